"""The state that all parts of one source task share: its partitions, its ports, and the reasons to stop."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from replication.domain.errors import AuthenticationError, Cause, ReplicationError
from replication.domain.health.flow_facts import RECORDS_WAIT
from replication.domain.plan.slot import SlotSpec
from replication.ports.batches.batch_memory import BatchMemory
from replication.ports.batches.batch_opener import BatchOpener
from replication.ports.batches.record_path import RecordPath
from replication.ports.connection import SlotConnection
from replication.ports.fetch.batch_fetcher import BatchFetcher
from replication.ports.fetch.metadata import ClusterMetadata
from replication.ports.loop import Loop, Signal
from replication.ports.offsets.position_store import PositionStore
from replication.ports.offsets.target_history import TargetHistory
from replication.ports.produce.batch_producer import BatchProducer
from replication.ports.produce.owner_log import OwnerLog
from replication.ports.produce.producer_registry import ProducerRegistry
from replication.ports.produce.record_appender import RecordAppender
from replication.ports.produce.transactions import ProducerTransactions
from replication.tasks.control.slot_pace import SlotPace
from replication.tasks.control.topic_paces import TopicPaces
from replication.tasks.partition_roster import PartitionRoster

LONGEST_SLEEP_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotPorts:
    """The adapters of one slot, by the role they have in it."""

    loop: Loop
    connections: Sequence[SlotConnection]  # opened before anything else, in this order
    source: ClusterMetadata
    target: ClusterMetadata
    fetcher: BatchFetcher
    producer: BatchProducer
    transactions: ProducerTransactions
    positions: PositionStore
    history: TargetHistory  # asked for partitions without a position
    records: RecordAppender  # on the target: offset runs, gaps, raw metrics
    syncs: RecordAppender  # in the cluster that keeps the offset syncs
    opener: BatchOpener
    record_path: RecordPath
    producers: ProducerRegistry  # of the source
    owners: ProducerRegistry  # of the target: the slots that write to it
    claims: OwnerLog  # on the target: what the slot claims as its producer
    memory: BatchMemory | None = None  # for batches outside of frames


@dataclass(slots=True, kw_only=True)
class SlotContext:
    """Used on the loop's thread only, but for `spec`, which is replaced as a whole."""

    spec: SlotSpec
    ports: SlotPorts
    driver: str
    boot: str
    pace: SlotPace = field(default_factory=SlotPace)
    topic_paces: TopicPaces = field(init=False)
    roster: PartitionRoster = field(default_factory=PartitionRoster)
    stopping: bool = False
    stop_cause: Cause | None = None
    failure: BaseException | None = None
    causes: dict[str, Cause] = field(default_factory=dict)
    waiting: dict[str, Cause] = field(default_factory=dict)  # by internal topic that takes no records
    answers_due_s: dict[int, float] = field(default_factory=dict)  # by source broker, of fetches that are under way
    stop_signal: Signal = field(init=False)
    refresh_signal: Signal = field(init=False)  # leaders or topic ids must be asked for again
    work_signal: Signal = field(init=False)  # something to produce, or something was acknowledged
    control_signal: Signal = field(init=False)  # holds, resets or the throttle may have changed
    restart_signal: Signal = field(init=False)  # partitions may have to restart

    def __post_init__(self) -> None:
        loop = self.ports.loop
        self.topic_paces = TopicPaces(loop, self.roster)
        self.stop_signal, self.refresh_signal = loop.signal(), loop.signal()
        self.work_signal, self.control_signal = loop.signal(), loop.signal()
        self.restart_signal = loop.signal()

    async def pause(self, seconds: float) -> None:
        """Sleep, but not on when the task stops: its end waits for the parts that write."""
        loop = self.ports.loop
        until_s = loop.monotonic_s() + seconds
        while not self.stopping and (left_s := until_s - loop.monotonic_s()) > 0:
            await loop.sleep(min(left_s, LONGEST_SLEEP_S))

    def adopt(self, spec: SlotSpec) -> None:
        """Follow a newer plan of the same generation."""
        before, self.spec = self.spec, spec
        for copy in self.roster.copies.values():
            copy.syncs.follow(spec.offset_lag_max)
            if spec.writes_offset_syncs and not before.writes_offset_syncs:
                copy.syncs.begin_again()
        self.restart_signal.set()

    def stop(self, why: Cause | None = None) -> None:
        """Let every part see that the task ends; the first cause counts."""
        self.stopping, self.stop_cause = True, self.stop_cause or why
        signals = self.stop_signal, self.refresh_signal, self.work_signal, self.control_signal, self.restart_signal
        for signal in signals:
            signal.set()

    def fail(self, error: BaseException) -> None:
        """End the task with this error; the first one counts."""
        if self.failure is None:
            self.failure = error
        self.stopping = True
        self.stop_signal.set()

    @property
    def end_cause(self) -> Cause | None:
        """Why the task ends: its failure, or the reason of its stop."""
        if self.failure is not None:
            return Cause.of(self.failure, self.ports.loop.now_ms())
        return self.stop_cause

    @property
    def cause(self) -> Cause | None:
        """The trouble of the whole slot: a refused login before what follows from it, else the oldest."""
        return min(self.causes.values(), key=_worst_first, default=None)

    def note_trouble(self, doing: str, error: BaseException) -> Cause:
        """Note a failure that concerns the whole slot; its cause is kept from its first moment until it is cleared."""
        cause = Cause.of(error, self.ports.loop.now_ms())
        known = self.causes.get(doing)
        self.causes[doing] = known if known is not None and known.code == cause.code else cause
        return self.causes[doing]

    def clear_trouble(self, doing: str) -> None:
        """The same thing worked."""
        self.causes.pop(doing, None)

    def note_asked(self, node: int, wait_ms: int) -> None:
        """A fetch is on its way to a source broker, which answers after that time even without records."""
        self.answers_due_s[node] = self.ports.loop.monotonic_s() + wait_ms / 1000

    def note_ended(self, node: int) -> None:
        """The fetch has ended, with an answer or without."""
        self.answers_due_s.pop(node, None)

    def note_waiting(self, topic: str, error: ReplicationError) -> None:
        """Records for an internal topic could not be written and wait."""
        known = self.waiting.get(topic)
        since_ms = self.ports.loop.now_ms() if known is None else known.since_ms
        text = f"records for {topic} wait, copying continues: {error.text}"
        self.waiting[topic] = Cause(code=RECORDS_WAIT, text=text, topic=topic, partition=None, since_ms=since_ms)

    def note_written(self, topic: str) -> None:
        """An internal topic takes records."""
        self.waiting.pop(topic, None)


def _worst_first(cause: Cause) -> tuple[bool, int]:
    return cause.code != AuthenticationError.code, cause.since_ms
