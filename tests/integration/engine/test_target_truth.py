"""Copies that a real target loses are found: its topic is deleted, deleted and created again, or cut by a restore."""

import json
import uuid
from typing import Any

import pytest

from replication.domain.settings.choices import Delivery
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import create_topic, delete_topic, produce, read_all

pytestmark = pytest.mark.kafka

DELIVERIES: tuple[Delivery, ...] = ("at_least_once", "exactly_once")


def settings(delivery: Delivery) -> dict[str, Any]:
    return {"delivery": delivery, "isolation_level": "read_committed"} if delivery == "exactly_once" else {}


def numbered(numbers: range) -> list[dict[str, Any]]:
    return [{"key": "k", "value": f"{number}", "partition": 0} for number in numbers]


def values(lab: SlotLab, topic: str) -> list[int]:
    return [int(record.value or b"") for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]]


def gaps(lab: SlotLab, topic: str) -> list[tuple[str, int, int | None]]:
    found = [json.loads(record.value or b"") for record in read_all(lab.target_bootstrap, lab.gaps_topic)[0]]
    return [(gap["cause"], gap["from_offset"], gap["to_offset"]) for gap in found if gap["topic"] == topic]


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_remote_topic_deleted_and_created_again_while_the_slot_is_away_is_copied_again(
    lab: SlotLab, delivery: Delivery
) -> None:
    topic, changes = lab.topic(f"recreated-{uuid.uuid4().hex[:6]}"), settings(delivery)
    produce(lab.source_bootstrap, topic, numbered(range(300)))
    with lab.running(lab.spec({topic: 1}, **changes)) as handle:
        lab.wait_committed(handle, topic, 1)
    delete_topic(lab.target_bootstrap, lab.remote(topic))
    create_topic(lab.target_bootstrap, lab.remote(topic))
    produce(lab.source_bootstrap, topic, numbered(range(300, 310)))

    with lab.running(lab.spec({topic: 1}, target_policy="rewind", **changes)) as handle:
        until(handle, lambda live: live.get("records_total", 0) >= 310 and live.get("lag_offsets") == 0)

    assert values(lab, topic) == list(range(310))
    assert gaps(lab, topic) == [("target_truncated", 0, 0)]


def test_a_remote_topic_deleted_under_a_running_slot_comes_back_with_a_gap(lab: SlotLab) -> None:
    topic = lab.topic(f"deleted-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(range(300)))
    with lab.running(lab.spec({topic: 1})) as handle:
        lab.wait_committed(handle, topic, 1)
        delete_topic(lab.target_bootstrap, lab.remote(topic))
        produce(lab.source_bootstrap, topic, numbered(range(300, 310)))
        until(handle, lambda live: live.get("states", {}).get("stalled") == 1)
        create_topic(lab.target_bootstrap, lab.remote(topic))
        lab.wait_committed(handle, topic, 1)
        until(handle, lambda live: live.get("gaps_total") == 1)

    assert values(lab, topic) == list(range(300, 310))
    assert gaps(lab, topic) == [("target_truncated", 0, 300)]


def test_a_remote_topic_that_is_shorter_than_acknowledged_stops_its_partition(lab: SlotLab) -> None:
    topic = lab.topic(f"shorter-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(range(300)))
    with lab.running(lab.spec({topic: 1})) as handle:
        lab.wait_committed(handle, topic, 1)
    delete_topic(lab.target_bootstrap, lab.remote(topic))
    create_topic(lab.target_bootstrap, lab.remote(topic))

    for _ in range(2):
        with lab.running(lab.spec({topic: 1}, target_policy="stop")) as handle:
            until(handle, lambda live: live.get("open_gaps") == 1)

    assert values(lab, topic) == []
    assert gaps(lab, topic) == [("target_truncated", 0, 300)]
