"""A topic that leaves a running slot and returns continues exactly where it left, on real brokers."""

import uuid
from dataclasses import replace
from typing import Any

import pytest

from replication.domain.settings.choices import Delivery
from replication.worker.engine.data_engine import WireSlotHandle
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import create_topic, produce, read_all

pytestmark = pytest.mark.kafka

DELIVERIES: tuple[Delivery, ...] = ("at_least_once", "exactly_once")


def settings(delivery: Delivery) -> dict[str, Any]:
    return {"delivery": delivery, "isolation_level": "read_committed"} if delivery == "exactly_once" else {}


def leave(lab: SlotLab, handle: WireSlotHandle, version: int, **changes: Any) -> None:
    handle.update(lab.spec({}, plan_version=version, **changes))
    until(handle, lambda live: live.get("plan_version") == version and live.get("partitions") == 0)


def write(lab: SlotLab, handle: WireSlotHandle, topic: str, *values: str) -> None:
    """Produce records one by one, and wait until each is copied and committed."""
    for value in values:
        produce(lab.source_bootstrap, topic, [{"key": "k", "value": value, "partition": 0}])
        lab.wait_committed(handle, topic, 1)


def values(lab: SlotLab, remote: str) -> list[bytes | None]:
    return [record.value for record in read_all(lab.target_bootstrap, remote)[0]]


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_quiet_topic_that_returns_to_the_allow_list_loses_no_record(lab: SlotLab, delivery: Delivery) -> None:
    topic, changes = lab.topic(f"returns-{uuid.uuid4().hex[:6]}"), settings(delivery)
    with lab.running(lab.spec({topic: 1}, **changes)) as handle:
        write(lab, handle, topic, "v1")
        leave(lab, handle, 2, **changes)
        handle.update(lab.spec({topic: 1}, plan_version=3, **changes))
        write(lab, handle, topic, "v2", "v3")

    assert values(lab, lab.remote(topic)) == [b"v1", b"v2", b"v3"]


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_topic_that_is_renamed_and_renamed_back_is_in_one_of_both_copies(lab: SlotLab, delivery: Delivery) -> None:
    topic, changes = lab.topic(f"renamed-{uuid.uuid4().hex[:6]}"), settings(delivery)
    first, second = lab.remote(topic), f"{topic}-copy"
    create_topic(lab.target_bootstrap, second)
    spec = lab.spec({topic: 1}, **changes)
    renamed = replace(spec, partitions=tuple(replace(each, remote_topic=second) for each in spec.partitions))
    written: list[bytes] = []
    with lab.running(spec) as handle:
        for version, (planned, remote) in enumerate([(spec, first), (renamed, second), (spec, first)], 2):
            handle.update(replace(planned, plan_version=version))
            before = len(values(lab, remote))
            while len(values(lab, remote)) == before:  # the slot finishes under the former name first
                written.append(str(len(written)).encode())
                write(lab, handle, topic, written[-1].decode())

    copies = values(lab, first), values(lab, second)
    assert all(copy == sorted(copy, key=lambda value: int(value or b"")) for copy in copies)
    assert sorted([*copies[0], *copies[1]], key=lambda value: int(value or b"")) == written
