"""The plan decides where partitions start, not the order in which slots and partitions begin; on real brokers."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka.admin import NewPartitions

from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.desired.desired_document import DesiredFlow, NamePatterns
from replication.domain.offsets.start_position import StartAt
from replication.domain.plan.plan_document import PlanDocument
from replication.kafka.admin import open_admin
from replication.worker.engine.data_engine import WireSlotHandle
from replication.worker.engine.slot_spec import build_slot_spec
from tests.support.engine.auditor import committed_positions
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import admin, create_topic, produce, read_all

pytestmark = pytest.mark.kafka

HISTORY = 40


class PlannedFlow:
    """A flow between the lab's clusters, as the planner and the slots see it."""

    def __init__(self, lab: SlotLab, topic: str, start: StartAt) -> None:
        self._lab = lab
        self.topic = topic
        self.flow = DesiredFlow(source=lab.source.alias, topics=NamePatterns(allow=(topic,)), tasks_max=2, start=start)
        self.plan = self.plan_again(None)

    def plan_again(self, previous: PlanDocument | None) -> PlanDocument:
        source, target = open_admin(self._lab.source), open_admin(self._lab.target)
        try:
            connector = SourceConnector(self.flow, self._lab.target.alias, source, target)
            self.plan = connector.run_once(previous, 1)
        finally:
            source.close()
            target.close()
        return self.plan

    @contextmanager
    def slot(self, number: int) -> Iterator[WireSlotHandle]:
        spec = build_slot_spec(self.flow, self.plan, number, self._lab.source, self._lab.target)
        with self._lab.running(spec) as handle:
            self.wait_started(handle, {planned.upstream.partition for planned in spec.partitions})
            yield handle

    def wait_started(self, handle: WireSlotHandle, partitions: set[int]) -> None:
        until(handle, lambda _: partitions <= self.positions().keys())

    def positions(self) -> dict[int, int]:
        return committed_positions(self._lab.target_bootstrap, self._lab.source.alias, self.topic)


def produce_each(lab: SlotLab, topic: str, partitions: range, records: int) -> None:
    values = [{"key": "k", "value": f"{at}", "partition": number} for number in partitions for at in range(records)]
    produce(lab.source_bootstrap, topic, values)


@pytest.mark.parametrize("start", ["latest", 4_000_000_000_000], ids=["latest", "a time after the last record"])
def test_a_slot_that_starts_a_moment_later_does_not_copy_the_history(lab: SlotLab, start: StartAt) -> None:
    topic = f"starts-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic, 4)
    produce_each(lab, topic, range(4), HISTORY)
    flow = PlannedFlow(lab, topic, start)

    with flow.slot(0), flow.slot(1):
        assert flow.positions() == dict.fromkeys(range(4), HISTORY)

    assert all(not records for records in read_all(lab.target_bootstrap, lab.remote(topic), 4))


def test_a_partition_that_is_added_later_is_copied_from_its_first_record(lab: SlotLab) -> None:
    topic = f"grows-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic, 2)
    produce_each(lab, topic, range(2), HISTORY)
    flow = PlannedFlow(lab, topic, "latest")
    with flow.slot(0), flow.slot(1):
        pass
    admin(lab.source_bootstrap).create_partitions([NewPartitions(topic, 4)])[topic].result(20)
    produce_each(lab, topic, range(2, 4), 3)
    flow.plan_again(flow.plan)

    with flow.slot(0) as first, flow.slot(1) as second:
        for handle in (first, second):
            until(handle, lambda live: live.get("lag_offsets") == 0 and live.get("records_total", 0) == 3)

    copied = [len(records) for records in read_all(lab.target_bootstrap, lab.remote(topic), 4)]
    assert copied == [0, 0, 3, 3]
