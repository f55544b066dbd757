"""A topic that leaves a running slot is forgotten even if its remote topic is gone, on real brokers."""

import uuid
from typing import Any

import pytest

from replication.domain.settings.choices import Delivery
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import delete_topic, produce, read_all

pytestmark = pytest.mark.kafka

DELIVERIES: tuple[Delivery, ...] = ("at_least_once", "exactly_once")
LEFT_S = 60.0


@pytest.mark.parametrize("has_records", [True, False], ids=["with records on the way", "caught up"])
@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_denied_topic_whose_remote_topic_is_gone_does_not_degrade_the_flow(
    lab: SlotLab, delivery: Delivery, has_records: bool
) -> None:
    number = uuid.uuid4().hex[:6]
    denied, kept = lab.topic(f"denied-{number}", 2), lab.topic(f"kept-{number}")
    with lab.running(lab.spec({denied: 2, kept: 1}, delivery=delivery)) as handle:
        produce(lab.source_bootstrap, denied, ({"value": b"1", "partition": at} for at in (0, 1)))
        lab.wait_committed(handle, denied, 2)
        delete_topic(lab.target_bootstrap, lab.remote(denied))
        if has_records:
            produce(lab.source_bootstrap, denied, ({"value": b"2", "partition": at} for at in (0, 1)))
            until(handle, lambda live: live["states"].get("stalled", 0) > 0)

        handle.update(lab.spec({kept: 1}, plan_version=2, delivery=delivery))
        produce(lab.source_bootstrap, kept, [{"value": b"3"}])

        until(handle, lambda live: live["partitions"] == 1, LEFT_S)
        until(handle, lambda live: is_well(live) and live["lag_offsets"] == 0, LEFT_S)

    assert [record.value for record in read_all(lab.target_bootstrap, lab.remote(kept))[0]] == [b"3"]


def is_well(live: dict[str, Any]) -> bool:
    return live["cause"] is None and live["states"] == {"caught_up": 1}
