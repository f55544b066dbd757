"""Passes the events of a slot on to the parts that act on them."""

from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.control.restarts import PartitionRestarts
from replication.tasks.fetch.fetcher import Fetcher
from replication.tasks.offsets.offset_records import OffsetRecords
from replication.tasks.offsets.target_logs import TargetLogs
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.plan_follower import PlanFollower
from replication.tasks.produce.producer_renewal import ProducerRenewal
from replication.tasks.produce.sender import Sender
from replication.tasks.produce.slot_takeover import SlotTakeover
from replication.tasks.produce.transactions import Transactions
from replication.tasks.reporting.slot_metrics import SlotMetrics


class EventRouter:
    """Implements `SlotEvents`. The parts are built with the router, so they are connected afterwards."""

    def __init__(self) -> None:
        self._is_started = False
        self._fetcher: Fetcher
        self._sender: Sender
        self._transactions: Transactions | None
        self._plan_follower: PlanFollower
        self._restarts: PartitionRestarts
        self._records: OffsetRecords
        self._metrics: SlotMetrics
        self._takeover: SlotTakeover
        self._renewal: ProducerRenewal
        self._target_logs: TargetLogs

    def connect(
        self,
        *,
        fetcher: Fetcher,
        sender: Sender,
        transactions: Transactions | None,
        plan_follower: PlanFollower,
        restarts: PartitionRestarts,
        records: OffsetRecords,
        metrics: SlotMetrics,
        takeover: SlotTakeover,
        renewal: ProducerRenewal,
        target_logs: TargetLogs,
    ) -> None:
        """Pass events to these parts from now on."""
        self._fetcher = fetcher
        self._sender = sender
        self._transactions = transactions
        self._plan_follower = plan_follower
        self._restarts = restarts
        self._records = records
        self._metrics = metrics
        self._takeover = takeover
        self._renewal = renewal
        self._target_logs = target_logs

    def start(self) -> None:
        """The slot is ours: partitions that are ready are copied from now on."""
        self._is_started = True

    def ready(self, copy: PartitionCopy) -> None:
        """Send and fetch the partition; only send what it has when it is leaving, or about to begin again."""
        if self._is_started and not self._plan_follower.is_arriving(copy):
            self._sender.schedule_send(copy)
            if not (self._plan_follower.is_leaving(copy) or self._restarts.is_restarting(copy)):
                self._fetcher.resume(copy)

    def stop_reading(self, copy: PartitionCopy) -> None:
        """Fetch the partition no more."""
        self._fetcher.stop_reading(copy)

    def filled(self, copy: PartitionCopy) -> None:
        """Send the partition's queue."""
        self._sender.schedule_send(copy)

    def finished(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """Under exactly once an entry counts when its transaction commits."""
        if not copy.progress.acknowledge(entry):
            self._target_logs.note_truncation(copy)
        if self._transactions is not None:
            copy.progress.hold(entry)
        else:
            self.done(copy, entry, now_ms)

    def done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """Move the position over an entry, and count it."""
        if entry.restart_topic_id is not None:
            self._records.close_segment(copy, entry.restart_topic_id)
            copy.counters.start_range(entry.restart_topic_id, entry.next)
        copy.progress.advance(entry)
        self._records.collect(copy, entry)
        copy.counters.count(entry, now_ms, self._metrics.second_latency)

    def left(self, copy: PartitionCopy) -> None:
        """Write down what is known of the partition, and forget it."""
        self._records.close_segment(copy, copy.progress.topic_id)
        self._metrics.close_period()
        self._fetcher.leave(copy)
        self._sender.leave(copy)

    def acknowledged(self, copy: PartitionCopy) -> None:
        """Fetch the partition again if it was held back."""
        self._fetcher.note_acknowledged(copy)

    def memory_released(self, copy: PartitionCopy) -> None:
        """Fetch dropped batches again when the partition advances."""
        self._fetcher.hold_until_acknowledged(copy)

    def sequences_lost(self, copy: PartitionCopy) -> None:
        """Renew the producer; under exactly once the abort of the open transaction does."""
        if self._transactions is not None:
            self._transactions.demand_abort(f"{copy.remote} lost the state of our producer")
        else:
            self._renewal.demand(copy)

    def transaction_lost(self, reason: str) -> None:
        """Abort the open transaction, if there is one."""
        if self._transactions is not None:
            self._transactions.demand_abort(reason)

    async def renewed(self, identity: ProducerIdentity) -> None:
        """Register the producer, then send as it."""
        await self._takeover.register(identity)
        self._sender.set_producer(identity)

    def rewound(self, copy: PartitionCopy) -> None:
        """Read the partition again from its position."""
        self.stop_reading(copy)
        self.ready(copy)

    async def start_others(self) -> None:
        """Try partitions again that had no start offset yet."""
        await self._plan_follower.start_others()
