"""The cost of records that a group reads again: bytes by the sizes of remote logs, time by the rate of the group."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest

from replication.domain.errors import AuthorizationError
from replication.domain.identifiers import TopicPartition
from replication.memory.log_sizes import MemoryLogSizes
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.tasks.groups.record_sizes import ASK_EVERY_MS
from tests.support.groups.memory_ports import memory_ports
from tests.unit.replication.tasks.groups.checkpoint_lab import REMOTE, RUN, Lab, by_name

PLACE = TopicPartition(REMOTE, 0)


class CountedSizes(MemoryLogSizes):
    """Counts the requests; refuses them if it is told so."""

    requests = 0
    is_refused = False

    def bytes_of(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        self.requests += 1
        if self.is_refused:
            raise AuthorizationError("grant DESCRIBE on the cluster", cluster="west")
        return super().bytes_of(partitions)


class CostLab(Lab):
    """The group has read ten records more than are copied."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sizes = CountedSizes(self.target)
        self.copy(20, produce=60)
        self.commit("app", 30)

    def costed_task(self) -> CheckpointTask:
        order = self.order()
        ports = replace(memory_ports(self.source, self.target, order), target_sizes=self.sizes)
        return CheckpointTask(order, ports, RUN, clock_ms=lambda: self.now_ms)


@pytest.fixture
def lab() -> CostLab:
    return CostLab()


def test_bytes_are_the_average_of_the_remote_log(lab: CostLab) -> None:
    app = by_name(lab.round(lab.costed_task()))["app"]

    log = lab.target.topics[REMOTE].partitions[0]
    average = MemoryLogSizes(lab.target).bytes_of([PLACE])[PLACE] / log.end
    assert app.rereads == 10
    assert app.reread_bytes == round(10 * average)
    assert app.reread_ms is None  # the group has not been seen reading


def test_time_is_that_of_the_fastest_rate_of_the_group_with_members(lab: CostLab) -> None:
    lab.source.group_coordinator.join("app", "orders")
    lab.commit("app", 10)
    task = lab.costed_task()
    lab.round(task)
    lab.commit("app", 30)
    lab.round(task, after_ms=60_000)
    lab.source.group("app").members = 0  # it is moved now

    app = by_name(lab.round(task))["app"]

    assert (app.rereads, app.reread_ms) == (10, 30_000)


def test_sizes_are_asked_once_a_minute_and_only_for_records_that_come_again(lab: CostLab) -> None:
    lab.set_settings(emit_checkpoints_interval_seconds="10")
    task = lab.costed_task()
    lab.commit("app", 20)
    lab.round(task)
    assert lab.sizes.requests == 0

    lab.commit("app", 30)
    for _ in range(ASK_EVERY_MS // 10_000):
        lab.round(task, after_ms=10_000)
    assert lab.sizes.requests == 1

    lab.round(task, after_ms=10_000)
    assert lab.sizes.requests == 2


def test_a_refusal_leaves_the_bytes_unknown_and_the_round_succeeds(lab: CostLab) -> None:
    lab.sizes.is_refused = True

    report = lab.round(lab.costed_task())

    app = by_name(report)["app"]
    assert (app.rereads, app.reread_bytes) == (10, None)
    assert report.problem is None


def test_a_group_that_reads_nothing_again_costs_nothing(lab: CostLab) -> None:
    lab.commit("app", 20)

    app = by_name(lab.round(lab.costed_task()))["app"]

    assert (app.rereads, app.reread_bytes, app.reread_ms) == (0, 0, 0)
