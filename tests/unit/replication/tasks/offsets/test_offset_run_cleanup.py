"""Old offset runs are removed now and then, by the slot whose partitions they are of."""

from collections.abc import Callable, Collection, Mapping, Sequence

import pytest

from replication.codecs.offset_runs import encode_key
from replication.domain.errors import RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.ports.fetch.metadata import OffsetAt
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.offsets import offset_run_cleanup as run_tidying
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.offset_records import OffsetRecords
from replication.tasks.offsets.offset_run_cleanup import EVERY_S, FIRST_AFTER_S, PROOF_WITHIN_S, OffsetRunCleanup
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, a_copy

READ_S = 5.0


def segment(first: int) -> RunSegment:
    return RunSegment("orders", 0, TOPIC_ID, (OffsetRun(first, first, 10),))


class Target:
    """The runs topic, and a remote partition of which only the last records are left."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self.segments = [segment(first) for first in range(0, 100, 10)]
        self.is_away = False
        self.reads = 0
        self.appended: list[OutgoingRecord] = []

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        return {remote: 35 for remote, wanted in at.items() if remote.topic == "a.orders" and wanted == "earliest"}

    async def read_runs(
        self, topic: str, upstreams: Collection[TopicPartition], give: Callable[[bytes, RunSegment | None], None]
    ) -> None:
        assert topic == "srm-offset-runs.a.internal"
        self.reads += 1
        await self._loop.sleep(READ_S)
        if self.is_away:
            raise RetriableError("no leader")
        for each in self.segments:
            give(encode_key(each), each)

    async def append(self, topic: str, records: Sequence[OutgoingRecord]) -> int:
        assert topic == "srm-offset-runs.a.internal"
        self.appended += records
        return 0

    @property
    def removed(self) -> list[bytes | None]:
        return [record.key for record in self.appended if record.value is None]


class SleepyLoop(VirtualLoop):
    """Its wall clock continues while the machine sleeps, the other one does not."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.asleep_ms


class Slot:
    """Commits are taken `commit_s` after they begin, and each lets the machine sleep for `asleep_ms`."""

    def __init__(self) -> None:
        self.loop = SleepyLoop()
        self.commit_s = 0.5
        self.commits_left = 1_000_000
        self.asleep_ms = 0
        self.target = Target(self.loop)
        self.context = a_context(self.loop, {"target": self.target, "history": self.target, "records": self.target})
        self.copy = a_copy(self.context, "orders", position=100)
        a_copy(self.context, "leaderless")
        self.loop.spawn(self.commit())
        self.records = OffsetRecords(self.context, GapLog())
        self.loop.spawn(OffsetRunCleanup(self.context, self.records).run())

    async def commit(self) -> None:
        while self.commits_left:
            moved = [copy for copy in self.context.roster.copies.values() if not copy.progress.is_committed]
            await self.loop.sleep(self.commit_s)
            if moved:
                self.commits_left -= 1
                self.loop.asleep_ms += self.asleep_ms
            for copy in moved:
                copy.progress.note_committed(copy.progress.position)

    def collect(self, first: int) -> None:
        """A segment that begins there waits to be written."""
        self.copy.runs.add(first, first, 10)
        self.records.close_segment(self.copy, TOPIC_ID)

    def read(self) -> None:
        """Until the runs topic is about to have been read."""
        self.loop.run_for(FIRST_AFTER_S + READ_S / 2)
        assert self.target.reads == 1


def keys(*firsts: int) -> list[bytes]:
    return [encode_key(segment(first)) for first in firsts]


def test_segments_of_deleted_copies_are_removed_where_they_were_written() -> None:
    slot = Slot()
    slot.collect(500)
    slot.loop.spawn(slot.records.flush())

    slot.loop.run_for(FIRST_AFTER_S + 2 * READ_S)

    assert slot.target.removed == keys(0, 10, 20)
    assert len({record.partition for record in slot.target.appended}) == 1


def test_the_topic_is_read_a_few_times_a_day() -> None:
    slot = Slot()

    slot.loop.run_for(FIRST_AFTER_S / 2)
    assert slot.target.reads == 0
    slot.loop.run_for(FIRST_AFTER_S + EVERY_S / 2)
    assert slot.target.reads == 1
    slot.loop.run_for(EVERY_S)
    assert slot.target.reads == 2


def test_nothing_is_removed_of_a_partition_that_is_sent_back_meanwhile() -> None:
    slot = Slot()
    slot.loop.run_for(FIRST_AFTER_S + READ_S / 2)

    slot.copy.restart_at(TOPIC_ID, 10, reset_ids=("r",))
    slot.loop.run_for(2 * READ_S)

    assert slot.target.removed == []


def test_nothing_is_removed_of_a_partition_that_is_on_its_way_back() -> None:
    slot = Slot()
    slot.copy.restart_at(TOPIC_ID, 10, reset_ids=("r",))

    slot.loop.run_for(FIRST_AFTER_S + 2 * READ_S)

    assert slot.target.removed == []


@pytest.mark.parametrize("commits", [0, 1])
def test_nothing_is_removed_when_the_target_takes_no_commit_begun_after_the_reading(commits: int) -> None:
    slot = Slot()
    slot.read()

    slot.commits_left = commits  # the one may have been on its way since before the process was frozen
    slot.loop.run_for(FIRST_AFTER_S / 2)

    assert slot.target.removed == []


def test_each_few_removals_follow_upon_a_commit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tidying, "REMOVED_AT_ONCE", 2)
    slot = Slot()
    slot.read()

    slot.commits_left = 2
    slot.loop.run_for(FIRST_AFTER_S / 2)

    assert slot.target.removed == keys(0, 10)


def test_nothing_is_removed_when_a_commit_takes_so_long_that_it_proves_little() -> None:
    slot = Slot()
    slot.read()

    slot.commit_s = 2 * PROOF_WITHIN_S
    slot.loop.run_for(FIRST_AFTER_S / 2)

    assert slot.target.removed == []


def test_nothing_is_removed_after_the_machine_slept_during_the_commit() -> None:
    slot = Slot()
    slot.read()

    slot.asleep_ms = 60_000
    slot.loop.run_for(FIRST_AFTER_S / 2)

    assert slot.target.removed == []


def test_a_task_that_is_to_stop_removes_nothing_more() -> None:
    slot = Slot()
    slot.loop.run_for(FIRST_AFTER_S + READ_S + 0.3)

    slot.context.stopping = True
    slot.loop.run_for(READ_S)

    assert slot.target.removed == []


@pytest.mark.parametrize("is_pending", [False, True])
def test_segments_that_are_not_written_yet_keep_their_keys(is_pending: bool) -> None:
    slot = Slot()
    if is_pending:
        slot.collect(10)
    else:
        slot.copy.runs.add(10, 500, 5)

    slot.loop.run_for(FIRST_AFTER_S + 2 * READ_S)

    assert slot.target.removed == keys(0)


def test_what_fails_is_tried_again_with_the_next_round() -> None:
    slot = Slot()
    slot.target.is_away = True
    slot.loop.run_for(FIRST_AFTER_S + 2 * READ_S)
    assert slot.target.removed == []

    slot.target.is_away = False
    slot.loop.run_for(EVERY_S + 2 * READ_S)

    assert slot.target.removed == keys(0, 10, 20)
