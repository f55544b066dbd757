"""What the parts of one source task share: its partitions, its ports, and whether it should stop."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from replication.domain.errors import AuthenticationError, Cause
from replication.domain.gap import Gap
from replication.domain.headroom import Outlook
from replication.domain.identifiers import TopicPartition
from replication.domain.limits import Limit
from replication.domain.offset_run import RunSegment
from replication.domain.refused_record import RefusedRecord
from replication.domain.slot import PlannedPartition, SlotSpec
from replication.domain.tuning import Tuning
from replication.ports.batch_opener import BatchOpener
from replication.ports.loop import Loop, Signal
from replication.ports.memory import Memory
from replication.ports.producer_registry import ProducerRegistry
from replication.ports.record_path import RecordPath
from replication.ports.source_reader import SourceReader
from replication.ports.target_history import TargetHistory
from replication.ports.target_writer import RecordAppender, TargetWriter
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_pace import SlotPace

LONGEST_SLEEP_S = 0.1
REFUSED_SHOWN = 20
REFUSED_REPORTED = 1_000  # per period; the rest is in the log


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotPorts:
    """The adapters of one slot."""

    loop: Loop
    reader: SourceReader
    writer: TargetWriter
    records: RecordAppender  # on the target: offset runs, gaps, raw metrics
    syncs: RecordAppender  # where the offset syncs live
    opener: BatchOpener
    history: TargetHistory  # asked for partitions without a position
    record_path: RecordPath
    producers: ProducerRegistry  # of the source
    memory: Memory | None = None  # for what lies outside of frames


class PendingGap(NamedTuple):
    """A gap that is not written down yet, and the very copy that waits for it: partitions leave and come back."""

    copy: PartitionCopy
    gap: Gap


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
    control_signal: Signal  # holds, resets or the throttle may have changed
    memory: Memory | None = None
    pace: SlotPace = field(default_factory=SlotPace)
    copies: dict[TopicPartition, PartitionCopy] = field(default_factory=dict)
    stopping: bool = False
    failure: BaseException | None = None
    causes: dict[str, Cause] = field(default_factory=dict)
    pending_syncs: dict[TopicPartition, list[tuple[int, int]]] = field(default_factory=dict)
    pending_segments: list[RunSegment] = field(default_factory=list)
    unstarted: dict[TopicPartition, PlannedPartition] = field(default_factory=dict)  # no start offset known yet
    pending_gaps: list[PendingGap] = field(default_factory=list)
    unreported_gaps: list[Gap] = field(default_factory=list)  # for the raw metrics
    gaps_total: int = 0
    refused: deque[RefusedRecord] = field(default_factory=lambda: deque(maxlen=REFUSED_SHOWN))
    unreported_refused: list[RefusedRecord] = field(default_factory=list)  # for the raw metrics
    refused_total: int = 0
    transactions_aborted: int = 0
    committed_ms: int | None = None
    lag: int | None = None  # as the last live document says
    tuning: Tuning = field(default_factory=Tuning)
    connections: int = 1  # to each target broker, as many as are open
    limit: Limit | None = None
    outlook: Outlook = field(default_factory=lambda: Outlook(None, None))
    warning: Cause | None = None  # something that will go wrong
    without_memory_s: float = 0.0  # in all: how long fetches waited for memory
    round_trip_ms: float = 0.0  # to the target, the shortest of late; 0 until it is known well

    @property
    def loop(self) -> Loop:
        return self.ports.loop

    def note_refused(self, refused: RefusedRecord) -> None:
        """The target does not take a record: counted, and named to whoever looks."""
        self.refused.append(refused)
        self.unreported_refused = [*self.unreported_refused, refused][-REFUSED_REPORTED:]
        self.refused_total += refused.records

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
        """What the whole slot suffers from: a refused login before what follows from it, else the oldest."""
        return min(self.causes.values(), key=_worst_first, default=None)

    def trouble(self, doing: str, error: BaseException) -> Cause:
        """Something failed that concerns the whole slot; the cause is kept from its first moment until `settled`."""
        cause = Cause.of(error, self.loop.now_ms())
        known = self.causes.get(doing)
        self.causes[doing] = known if known is not None and known.code == cause.code else cause
        return self.causes[doing]

    def settled(self, doing: str) -> None:
        """The same thing worked."""
        self.causes.pop(doing, None)


def _worst_first(cause: Cause) -> tuple[bool, int]:
    return cause.code != AuthenticationError.code, cause.since_ms
