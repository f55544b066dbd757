"""The source task: the life of one slot from taking it over in Kafka to the last committed position.

Follows Kafka's MirrorSourceTask in what it copies, not in how: whole batches, positions in transactions, no record
touched without need.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import structlog

from replication.domain.errors import Cause, ConfigurationError, FencedError, ReplicationError
from replication.domain.plan.slot import SlotSpec
from replication.domain.reporting.recent_figures import PartitionFigures
from replication.ports.loop import Spawned
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.batches.batch_intake import BatchIntake
from replication.tasks.batches.loop_protection import LoopProtection
from replication.tasks.control.orders import Orders
from replication.tasks.control.restarts import PartitionRestarts
from replication.tasks.event_router import EventRouter
from replication.tasks.fetch.fetcher import Fetcher
from replication.tasks.fetch.leaders import Leaders
from replication.tasks.fetch.open_transactions import OpenTransactions
from replication.tasks.fetch.rejected_offsets import RejectedOffsets
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.offset_records import OffsetRecords
from replication.tasks.offsets.offset_run_cleanup import OffsetRunCleanup
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.offsets.target_logs import TargetLogs
from replication.tasks.plan_follower import PlanFollower
from replication.tasks.produce.producer_renewal import ProducerRenewal
from replication.tasks.produce.sender import Sender
from replication.tasks.produce.slot_takeover import SlotTakeover
from replication.tasks.produce.stuck_partitions import StuckPartitions
from replication.tasks.produce.transactions import Transactions
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.rejected_records.rejected_records import RejectedRecords
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.reporting.live_document import LiveDocument
from replication.tasks.reporting.partition_report import partition_figures
from replication.tasks.reporting.progress_watch import ProgressWatch
from replication.tasks.reporting.slot_metrics import SlotMetrics
from replication.tasks.slot_context import SlotContext, SlotPorts

log = structlog.get_logger(__name__)

DRAIN_S = 5.0  # with what follows, less than a driver that stops waits for its slots
STOP_SENDING_S = 0.5
LAST_WRITES_S = 10.0
FIRST_RETRY_S = 0.5
LONGEST_RETRY_S = 10.0


class _Part(Protocol):
    async def run(self) -> None: ...


class SourceTask:
    """One slot. `run` is its whole life; everything is called on the loop's thread, only `live` is read by others."""

    def __init__(self, spec: SlotSpec, ports: SlotPorts, *, driver: str, boot: str) -> None:
        self._context = context = SlotContext(spec=spec, ports=ports, driver=driver, boot=boot)
        self._router = events = EventRouter()
        gap_log, rejected_log, gauge = GapLog(), RejectedLog(), SlotGauge(context)
        gaps = GapHandler(context, gap_log)
        self._committer = PositionCommitter(context, gaps)
        self._records = OffsetRecords(context, gap_log)
        self._metrics = SlotMetrics(context, gap_log, rejected_log)
        self._sender = Sender(context, events, gauge, rejected_log)
        self._renewal = ProducerRenewal(context, events, self._sender, self._committer)
        self._orders, self._takeover = Orders(context, events, gaps), SlotTakeover(context)
        self._plan_follower = PlanFollower(context, events, self._committer, self._orders, self._takeover)
        self._restarts = PartitionRestarts(context, events, self._committer, self._orders, self._plan_follower)
        self._transactions: Transactions | None = None
        if spec.delivery == "exactly_once":
            self._transactions = Transactions(context, events, self._committer, self._sender)
        self._live = LiveDocument(
            context,
            progress=ProgressWatch(context, events),
            metrics=self._metrics,
            gauge=gauge,
            committer=self._committer,
            transactions=self._transactions,
            gap_log=gap_log,
            rejected_log=rejected_log,
            restarts=self._restarts,
        )
        self._target_logs = TargetLogs(context, events, gaps, self._records)
        self._leaders = Leaders(context, events, gaps, self._target_logs)
        self._loops = LoopProtection(context)
        rejected = RejectedRecords(context, events, rejected_log)
        intake = BatchIntake(context, gauge, looped=self._loops.looped, on_rejected=rejected.handle)
        self._rejected_offsets = RejectedOffsets(context, events, gaps)
        self._fetcher = Fetcher(context, events, intake, self._rejected_offsets, self._loops, gauge)
        self._others = self._parts_beside_copying(gauge)
        self._connect()

    def _parts_beside_copying(self, gauge: SlotGauge) -> Sequence[_Part]:
        context = self._context
        return (
            self._leaders,
            self._rejected_offsets,
            self._renewal,
            self._live,
            self._plan_follower,
            self._orders,
            self._restarts,
            gauge,
            OpenTransactions(context),
            OffsetRunCleanup(context, self._records),
            StuckPartitions(context, self._router),
        )

    def _connect(self) -> None:
        self._router.connect(
            fetcher=self._fetcher,
            sender=self._sender,
            transactions=self._transactions,
            plan_follower=self._plan_follower,
            restarts=self._restarts,
            records=self._records,
            metrics=self._metrics,
            takeover=self._takeover,
            renewal=self._renewal,
            target_logs=self._target_logs,
        )

    @property
    def live(self) -> dict[str, Any]:
        """The newest live document."""
        return self._live.document

    def partition_figures(self) -> list[PartitionFigures]:
        """Return the figures of each partition that is copied. From any thread."""
        return partition_figures(self._context, self._metrics)

    def stop(self, why: Cause | None = None) -> None:
        """Stop cleanly: what is in flight is acknowledged and committed first. The event of the end has the cause."""
        self._context.stop(why)
        self._plan_follower.stop()
        self._fetcher.stop()

    def update(self, spec: SlotSpec) -> None:
        """Follow a newer plan of the same generation."""
        self._plan_follower.update(spec)
        self._context.stop_signal.set()  # a start that was refused is tried again with it

    async def run(self) -> None:
        """Copy until stopped. Raises what ended the task without a stop, FencedError when the slot has a new owner."""
        context = self._context
        try:
            identity = await self._open()
            if identity is None:
                return
            await self._copy(identity)
        finally:
            context.stop()
            self._live.refresh()
            for connection in context.ports.connections:
                connection.close()
            context.ports.producers.close()
            context.ports.owners.close()
            for copy in context.roster.copies.values():
                copy.queue.close()
        if context.failure is not None:
            raise context.failure

    async def _open(self) -> ProducerIdentity | None:
        """Connect, fence, read positions; retry while a cluster is away. None when stopped meanwhile."""
        context = self._context
        pause_s = FIRST_RETRY_S
        while not context.stopping:
            self._plan_follower.adopt_newest()
            try:
                for connection in context.ports.connections:
                    await connection.open()
                identity = await self._takeover.fence_others()
                if context.stopping:
                    return None  # older owners may not be fenced yet: nothing may be committed
                await self._committer.add_partitions(await self._plan_follower.first_partitions())
                await self._leaders.refresh()
            except ReplicationError as error:
                if not isinstance(error, ConfigurationError) and error.code in ("fenced", "fatal"):
                    raise
                self._live.note_delayed_start(context.note_trouble("start", error))
                log.warning("start delayed", flow=str(context.spec.flow), slot=context.spec.slot, error=str(error))
                context.roster.clear()
                self._records.forget_gaps()
                await context.stop_signal.wait(pause_s)
                pause_s = min(LONGEST_RETRY_S, pause_s * 2)
            else:
                context.clear_trouble("start")
                return identity
        return None

    async def _copy(self, identity: ProducerIdentity) -> None:
        context, loop = self._context, self._context.ports.loop
        self._sender.set_producer(identity)
        await self._orders.apply()
        self._router.start()
        for copy in context.roster.copies.values():
            self._router.ready(copy)
        committing = self._transactions or self._committer
        writing = [loop.spawn(part.run()) for part in (self._sender, committing, self._records, self._metrics)]
        others = [loop.spawn(part.run()) for part in self._others]
        context.refresh_signal.set()
        log.info(
            "slot runs", flow=str(context.spec.flow), slot=context.spec.slot, partitions=len(context.roster.copies)
        )
        while not context.stopping:
            await context.stop_signal.wait(1.0)
            self._watch([*writing, *others])
            self._watch_logins()
        self._fetcher.stop()
        await self._finish(writing)

    def _watch(self, parts: Iterable[Spawned]) -> None:
        """A part that died of a bug takes the slot with it, visibly."""
        for part in parts:
            if part.done and part.error is not None:
                self._context.fail(part.error)

    def _watch_logins(self) -> None:
        """A changed login that a cluster refuses is told while the one before it serves."""
        refusals = (connection.refused_login() for connection in self._context.ports.connections)
        refusal = next((each for each in refusals if each is not None), None)
        if refusal is None:
            self._context.clear_trouble("login")
        else:
            self._context.note_trouble("login", refusal)

    async def _finish(self, writing: Sequence[Spawned]) -> None:
        """Wait for what is in flight, then write everything down once more, with no other part writing."""
        context, loop = self._context, self._context.ports.loop
        await self._wait_for(writing, DRAIN_S)
        self._sender.stop_sending()
        await self._wait_for(writing, STOP_SENDING_S)
        last = loop.spawn(self._write_down(is_quiet=all(part.done for part in writing)))
        await self._wait_for([last], LAST_WRITES_S, even_failed=True)
        if not last.done or last.error is not None:
            error = str(last.error or f"the target did not answer within {LAST_WRITES_S:.0f} s")
            log.warning("unclean stop", flow=str(context.spec.flow), slot=context.spec.slot, error=error)
        self._metrics.slot_event("stopped" if context.failure is None else "failed")
        self._metrics.close_period()
        await self._metrics.flush()
        log.info("slot stopped", flow=str(context.spec.flow), slot=context.spec.slot, error=str(context.failure or ""))

    async def _wait_for(self, parts: Sequence[Spawned], patience_s: float, *, even_failed: bool = False) -> None:
        context, loop = self._context, self._context.ports.loop
        deadline_s = loop.monotonic_s() + patience_s
        while not all(part.done for part in parts) and loop.monotonic_s() < deadline_s:
            if context.failure is not None and not even_failed:
                return
            context.work_signal.set()
            await loop.sleep(0.01)

    async def _write_down(self, *, is_quiet: bool) -> None:
        """Write down what is done, even if other parts did not end in time; the next owner ends an open transaction."""
        if isinstance(self._context.failure, FencedError):
            return
        if self._context.failure is None:
            await self._records.write_gaps()  # first: positions move over those that are written
            for copy in self._context.roster.copies.values():
                self._router.filled(copy)
            if self._transactions is None:
                await self._committer.commit()
                await self._committer.commit_for_others()
            elif is_quiet:
                await self._transactions.finish()
                await self._committer.commit_for_others()
        await self._records.finish()
        if is_quiet and self._context.failure is None:
            await self._takeover.claim.end()
