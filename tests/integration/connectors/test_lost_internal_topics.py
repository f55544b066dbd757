"""Each internal topic is lost, while its flow runs and while it is stopped (docs/internal-topics.md)."""

import itertools
from collections.abc import Iterator

import pytest

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.names.internal_topic import InternalTopic
from replication.domain.names.internal_topics import (
    APPLIED_SETTINGS,
    CHECKPOINTS,
    CONNECT_CONFIGS,
    CONNECT_STATUS,
    CONTROL,
    DEAD_LETTERS,
    GAPS,
    HEARTBEATS,
    INTERNAL_TOPICS,
    OFFSET_RUNS,
    OFFSET_SYNCS,
    POSITIONS,
    PRODUCERS,
    RAW_METRICS,
)
from replication.domain.plan.plan_document import PlanDocument
from replication.kafka.producer import ConfluentRecordProducer
from replication.worker.engine.data_engine import WireDataEngine, WireSlotHandle
from replication.worker.engine.slot_spec import build_slot_spec
from tests.integration.connectors.conftest import Planning
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import delete_topic, read_all

pytestmark = [pytest.mark.kafka, pytest.mark.slow]
LONG_S = 120
PARTITIONS = 2
BATCH = 40
REFRESH_MS = itertools.count(1_000_000, 1_000_000)
ESSENTIAL = (POSITIONS, OFFSET_RUNS, GAPS, PRODUCERS)
OTHERS = (
    OFFSET_SYNCS,
    CHECKPOINTS,
    HEARTBEATS,
    RAW_METRICS,
    APPLIED_SETTINGS,
    CONNECT_CONFIGS,
    CONNECT_STATUS,
    DEAD_LETTERS,
)
# a service writes it, so its loss is tested with the lists of services
NOT_OF_DRIVERS = (CONTROL,)
ROWS = [
    *(pytest.param(topic, id=topic.template) for topic in ESSENTIAL),
    *(pytest.param(topic, id=topic.template, marks=pytest.mark.large) for topic in OTHERS),
]


def test_every_internal_topic_has_a_row() -> None:
    named = [topic.template for topic in (*ESSENTIAL, *OTHERS, *NOT_OF_DRIVERS)]
    assert sorted(named) == sorted(topic.template for topic in INTERNAL_TOPICS)


class LossLab:
    """One flow of one topic with two partitions; the second one is idle after the first records."""

    def __init__(self, planning: Planning) -> None:
        self._planning = planning
        self._topic = planning.create(f"orders-{planning.mark}", partitions=PARTITIONS)
        self.flow: DesiredFlow = planning.flow(settings={"srm.errors.policy": "dead_letter"})
        self._connector = planning.connector_of(self.flow)
        self._engine = WireDataEngine(f"loss-{planning.mark}", pool_bytes=16 * 1024 * 1024)
        self._engine.start()
        self._plan: PlanDocument | None = None
        self._handles: list[WireSlotHandle] = []
        self._written: dict[int, list[bytes]] = {number: [] for number in range(PARTITIONS)}

    def close(self) -> None:
        self._engine.stop(15)

    def refresh(self) -> PlanDocument:
        """Plan again, as the planner does at each refresh."""
        self._plan = self._connector.run_once(self._plan, next(REFRESH_MS))
        return self._plan

    def start(self) -> None:
        plan, planning = self.refresh(), self._planning
        self._handles = [
            self._engine.start_slot(
                build_slot_spec(self.flow, plan, slot, planning.source_client, planning.target_client),
                driver="lab",
                boot="boot",
            )
            for slot in range(len(plan.slots))
        ]

    def stop(self) -> None:
        for handle in self._handles:
            handle.stop()
        for handle in self._handles:
            assert handle.wait(LONG_S), "the slot does not stop"

    def wait_for_end(self) -> None:
        eventually(lambda: all(handle.wait(0) for handle in self._handles), LONG_S, "the slots fail")
        assert all(handle.error() for handle in self._handles)

    def produce(self, *partitions: int) -> None:
        producer = ConfluentRecordProducer(self._planning.source_client)
        for number in partitions:
            start = len(self._written[number])
            for index in range(start, start + BATCH):
                value = b"%d-%d" % (number, index)
                self._written[number].append(value)
                producer.send(self._topic, key=None, value=value, partition=number)
        producer.flush()
        producer.close()

    def wait_for_copies(self) -> None:
        eventually(self._all_copied, LONG_S, f"all records of {self._topic} are copied")

    def _all_copied(self) -> bool:
        return all(
            set(written) <= set(copied) for written, copied in zip(self._written.values(), self.copies(), strict=True)
        )

    def copies(self) -> list[list[bytes]]:
        bootstrap = self._planning.target_client.bootstrap[0]
        read = read_all(bootstrap, self._planning.remote(self._topic), PARTITIONS)
        return [[record.value or b"" for record in partition] for partition in read]

    def repeated(self) -> int:
        """The number of records that were copied more than once."""
        return sum(len(copied) - len(set(copied)) for copied in self.copies())

    def name(self, topic: InternalTopic) -> str:
        other = self._planning.target_client.alias if topic is OFFSET_SYNCS else self._planning.source_client.alias
        return topic.name(other)

    def lose(self, topic: InternalTopic) -> None:
        client = self._planning.source_client if topic is OFFSET_SYNCS else self._planning.target_client
        delete_topic(client.bootstrap[0], self.name(topic))

    def policy(self, topic: InternalTopic) -> str | None:
        """The cleanup policy of the topic now; None while it does not exist."""
        admin = self._planning.source if topic is OFFSET_SYNCS else self._planning.target
        found = admin.topic_configs([self.name(topic)])
        return found[self.name(topic)]["cleanup.policy"].value if self.name(topic) in found else None


@pytest.fixture
def lab(planning: Planning) -> Iterator[LossLab]:
    made = LossLab(planning)
    yield made
    made.close()


@pytest.mark.parametrize("topic", ROWS)
def test_a_topic_lost_while_the_flow_runs_comes_back_and_no_record_is_missing(
    lab: LossLab, topic: InternalTopic
) -> None:
    lab.start()
    lab.produce(0, 1)
    lab.wait_for_copies()

    lab.lose(topic)
    lab.produce(0)
    if topic is POSITIONS:
        lab.wait_for_end()
        lab.start()  # the refresh, then the restart that the driver repeats
    else:
        lab.wait_for_copies()  # the next refresh may be minutes away
        lab.refresh()
    assert lab.policy(topic) == topic.cleanup_policy
    lab.produce(0)
    lab.wait_for_copies()

    lab.stop()
    lab.start()
    lab.produce(0, 1)
    lab.wait_for_copies()
    assert lab.repeated() == 0


@pytest.mark.parametrize("topic", ROWS)
def test_a_topic_lost_while_the_flow_is_stopped_comes_back_and_no_record_is_missing(
    lab: LossLab, topic: InternalTopic
) -> None:
    lab.start()
    lab.produce(0, 1)
    lab.wait_for_copies()
    lab.stop()

    lab.lose(topic)
    lab.start()
    assert lab.policy(topic) == topic.cleanup_policy
    lab.produce(0, 1)
    lab.wait_for_copies()

    assert lab.repeated() == 0
