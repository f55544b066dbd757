"""What the parts of one source task share: its partitions, its ports, and whether it should stop."""

from dataclasses import dataclass, field

from replication.domain.errors import Cause
from replication.domain.gap import Gap
from replication.domain.identifiers import TopicPartition
from replication.domain.offset_run import RunSegment
from replication.domain.slot import PlannedPartition, SlotSpec
from replication.ports.batch_rebuilder import BatchRebuilder
from replication.ports.loop import Loop, Signal
from replication.ports.source_reader import SourceReader
from replication.ports.target_writer import RecordAppender, TargetWriter
from replication.tasks.partition_copy import PartitionCopy

LONGEST_SLEEP_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotPorts:
    """The adapters of one slot."""

    loop: Loop
    reader: SourceReader
    writer: TargetWriter
    records: RecordAppender  # on the target: offset runs, gaps, raw metrics
    syncs: RecordAppender  # where the offset syncs live
    rebuild: BatchRebuilder


@dataclass(slots=True, kw_only=True)
class SlotContext:
    """Used on the loop's thread only, but for `spec`, which is replaced as a whole."""

    spec: SlotSpec
    ports: SlotPorts
    driver: str
    boot: str
    stop_signal: Signal
    refresh_signal: Signal  # leaders or topic ids need another look
    work_signal: Signal  # something to produce, or something was acknowledged
    copies: dict[TopicPartition, PartitionCopy] = field(default_factory=dict)
    stopping: bool = False
    failure: BaseException | None = None
    causes: dict[str, Cause] = field(default_factory=dict)
    pending_syncs: dict[TopicPartition, list[tuple[int, int]]] = field(default_factory=dict)
    pending_segments: list[RunSegment] = field(default_factory=list)
    unstarted: dict[TopicPartition, PlannedPartition] = field(default_factory=dict)  # no start offset known yet
    pending_gaps: list[Gap] = field(default_factory=list)
    unreported_gaps: list[Gap] = field(default_factory=list)  # for the raw metrics
    gaps_total: int = 0
    committed_ms: int | None = None

    @property
    def loop(self) -> Loop:
        return self.ports.loop

    async def pause(self, seconds: float) -> None:
        """Sleep, but not on when the task stops: whoever ends it waits for the parts that write."""
        until_s = self.loop.monotonic_s() + seconds
        while not self.stopping and (left_s := until_s - self.loop.monotonic_s()) > 0:
            await self.loop.sleep(min(left_s, LONGEST_SLEEP_S))

    def fail(self, error: BaseException) -> None:
        """End the task with this error; the first one counts."""
        if self.failure is None:
            self.failure = error
        self.stopping = True
        self.stop_signal.set()

    @property
    def cause(self) -> Cause | None:
        """What the whole slot suffers from at the moment, the oldest first."""
        return min(self.causes.values(), key=lambda cause: cause.since_ms, default=None)

    def trouble(self, doing: str, error: BaseException) -> Cause:
        """Something failed that concerns the whole slot; the cause is kept from its first moment until `settled`."""
        cause = Cause.of(error, self.loop.now_ms())
        known = self.causes.get(doing)
        self.causes[doing] = known if known is not None and known.code == cause.code else cause
        return self.causes[doing]

    def settled(self, doing: str) -> None:
        """The same thing worked."""
        self.causes.pop(doing, None)
