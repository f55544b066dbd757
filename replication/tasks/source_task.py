"""The source task: the life of one slot from taking it over in Kafka to the last committed position.

Follows Kafka's MirrorSourceTask in what it copies, not in how: whole batches, positions in transactions, no record
touched without need.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

import structlog

from replication.domain.errors import ConfigurationError, FencedError, ReplicationError
from replication.domain.identifiers import TopicPartition, transactional_id
from replication.domain.slot import PlannedPartition, SlotSpec
from replication.ports.loop import Spawned
from replication.ports.target_writer import ProducerIdentity
from replication.tasks.batch_intake import BatchIntake
from replication.tasks.entry import Entry
from replication.tasks.open_transactions import OpenTransactions
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.refused_records import RefusedRecords
from replication.tasks.run_tidying import RunTidying
from replication.tasks.slot_context import SlotContext, SlotPorts
from replication.tasks.source_control import SourceControl
from replication.tasks.source_fetch import SourceFetch
from replication.tasks.source_gaps import SourceGaps
from replication.tasks.source_gauge import SourceGauge
from replication.tasks.source_leaders import SourceLeaders
from replication.tasks.source_live import SourceLive
from replication.tasks.source_loops import SourceLoops
from replication.tasks.source_metrics import SourceMetrics
from replication.tasks.source_positions import SourcePositions
from replication.tasks.source_produce import SourceProduce
from replication.tasks.source_records import SourceRecords
from replication.tasks.source_transactions import SourceTransactions
from replication.tasks.stuck_partitions import StuckPartitions

log = structlog.get_logger(__name__)

DRAIN_S = 5.0  # with what follows, less than a driver that stops waits for its slots
CEASE_S = 0.5
LAST_WRITES_S = 10.0
FIRST_RETRY_S = 0.5
LONGEST_RETRY_S = 10.0
LEAVING_S = 0.5
ANOTHER_ADDS_S = 0.005
UNTIL_NEXT_PLAN_S = 60.0


class SourceTask:
    """One slot. `run` is its whole life; everything is called on the loop's thread, only `live` is read by others."""

    def __init__(self, spec: SlotSpec, ports: SlotPorts, *, driver: str, boot: str) -> None:
        loop = ports.loop
        self._context = SlotContext(
            spec=spec,
            ports=ports,
            driver=driver,
            boot=boot,
            stop_signal=loop.signal(),
            refresh_signal=loop.signal(),
            work_signal=loop.signal(),
            control_signal=loop.signal(),
            memory=ports.memory,
        )
        self._gaps = SourceGaps(self._context)
        self._positions = SourcePositions(self._context, self._gaps)
        self._records = SourceRecords(self._context)
        self._metrics = SourceMetrics(self._context)
        self._live = SourceLive(self._context, self._metrics)
        self._produce = SourceProduce(self._context, self._finished, self._acknowledged, self._stop_reading)
        self._exactly_once: SourceTransactions | None = None
        if spec.delivery == "exactly_once":
            self._exactly_once = SourceTransactions(
                self._context, self._positions, self._produce, self._done, self._renewed, self._rewound
            )
        self._leaders = SourceLeaders(self._context, self._gaps, self._ready, self._stop_reading, self._start_others)
        self._gauge = SourceGauge(self._context)
        self._transactions = OpenTransactions(self._context)
        self._tidying = RunTidying(self._context)
        self._control = SourceControl(self._context, self._gaps, self._ready, self._stop_reading)
        self._loops = SourceLoops(self._context)
        self._fetch: SourceFetch | None = None
        self._next_spec: SlotSpec | None = None
        self._leaving: set[TopicPartition] = set()
        self._arriving: set[TopicPartition] = set()  # not read before holds and resets had a look
        self._is_adding = False
        self._update_signal = loop.signal()

    @property
    def live(self) -> dict[str, Any]:
        """The newest live document."""
        return self._live.document

    def stop(self) -> None:
        """Stop cleanly: what is in flight is acknowledged and committed first."""
        context = self._context
        context.stopping = True
        for signal in (context.stop_signal, context.refresh_signal, context.work_signal, context.control_signal):
            signal.set()
        self._update_signal.set()
        if self._fetch is not None:
            self._fetch.stop()

    def update(self, spec: SlotSpec) -> None:
        """A newer plan of the same generation."""
        self._next_spec = spec
        self._update_signal.set()

    async def run(self) -> None:
        """Copy until stopped. Raises what ended the task by itself, FencedError when the slot has a new owner."""
        context = self._context
        try:
            identity = await self._open()
            if identity is None:
                return
            await self._copy(identity)
        finally:
            context.stopping = True
            self._live.refresh()
            for port in (context.ports.reader, context.ports.writer, context.ports.records, context.ports.syncs):
                port.close()
            context.ports.producers.close()
            for copy in context.copies.values():
                copy.give_up()
        if context.failure is not None:
            raise context.failure

    async def _open(self) -> ProducerIdentity | None:
        """Connect, fence, read positions; again and again while a cluster is away. None when stopped meanwhile."""
        context = self._context
        pause_s = FIRST_RETRY_S
        while not context.stopping:
            try:
                for port in (context.ports.writer, context.ports.reader, context.ports.records, context.ports.syncs):
                    await port.open()
                identity = await self._take_over()
                await self._loops.register(identity)
                await self._positions.add_partitions(context.spec.partitions)
                await self._leaders.refresh()
            except ReplicationError as error:
                if not isinstance(error, ConfigurationError) and error.code in ("fenced", "fatal"):
                    raise
                cause = context.trouble("start", error)
                self._live.document = {**self._live.document, "cause": asdict(cause)}
                log.warning("start delayed", flow=str(context.spec.flow), slot=context.spec.slot, error=str(error))
                context.copies.clear()
                context.unstarted.clear()
                await context.stop_signal.wait(pause_s)
                pause_s = min(LONGEST_RETRY_S, pause_s * 2)
            else:
                context.settled("start")
                return identity
        return None

    async def _take_over(self) -> ProducerIdentity:
        """Fence slots that are used no more, then take our own; those still in use are fenced by their new owners."""
        spec, writer = self._context.spec, self._context.ports.writer
        for slot in spec.retired_slots:
            await writer.fence(transactional_id(spec.flow.target, spec.flow.source, slot))
        return await writer.fence(transactional_id(spec.flow.target, spec.flow.source, spec.slot))

    async def _copy(self, identity: ProducerIdentity) -> None:
        context, loop = self._context, self._context.loop
        self._produce.become(identity)
        refused = RefusedRecords(context, self._produce.offer)
        intake = BatchIntake(context, looped=self._loops, on_refused=refused.take)
        self._fetch = SourceFetch(context, intake, self._gaps, self._loops, self._produce.offer)
        await self._control.tick()
        for copy in context.copies.values():
            self._ready(copy)
        committing = self._exactly_once or self._positions
        writing = [loop.spawn(part.run()) for part in (self._produce, committing, self._records, self._metrics)]
        others = [loop.spawn(self._leaders.run()), loop.spawn(self._live.run()), loop.spawn(self._follow_plan())]
        others += [loop.spawn(part.run()) for part in (self._control, self._gauge, self._transactions, self._tidying)]
        others.append(loop.spawn(StuckPartitions(context, self._fetch.let_go).run()))
        context.refresh_signal.set()
        log.info("slot runs", flow=str(context.spec.flow), slot=context.spec.slot, partitions=len(context.copies))
        while not context.stopping:
            await context.stop_signal.wait(1.0)
            self._watch([*writing, *others])
        self._fetch.stop()
        await self._finish(writing)

    def _watch(self, parts: Iterable[Spawned]) -> None:
        """A part that died of a bug takes the slot with it, visibly."""
        for part in parts:
            if part.done and part.error is not None:
                self._context.fail(part.error)

    async def _finish(self, writing: Sequence[Spawned]) -> None:
        """What is in flight lands, then everything is written down once more, by nobody but us."""
        context, loop = self._context, self._context.loop
        await self._wait_for(writing, DRAIN_S)
        self._produce.cease()
        await self._wait_for(writing, CEASE_S)
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
        context, loop = self._context, self._context.loop
        deadline_s = loop.monotonic_s() + patience_s
        while not all(part.done for part in parts) and loop.monotonic_s() < deadline_s:
            if context.failure is not None and not even_failed:
                return
            context.work_signal.set()
            await loop.sleep(0.01)

    async def _write_down(self, *, is_quiet: bool) -> None:
        """What is done, whatever else did not end in time; a transaction that cannot end is left to its next owner."""
        if isinstance(self._context.failure, FencedError):
            return
        if self._context.failure is None:
            if self._exactly_once is None:
                await self._positions.commit()
                await self._positions.commit_for_others()
            elif is_quiet:
                await self._exactly_once.finish()
                await self._positions.commit_for_others()
        await self._records.finish()

    async def _follow_plan(self) -> None:
        """Add and drop partitions as newer plans say."""
        context = self._context
        while not context.stopping:
            await self._update_signal.wait(LEAVING_S if self._leaving else UNTIL_NEXT_PLAN_S)
            self._forget_left()
            spec, self._next_spec = self._next_spec, None
            if spec is None or context.stopping:
                continue
            try:
                await self._apply(spec)
            except ReplicationError as error:
                log.warning("plan not applied yet", flow=str(spec.flow), version=spec.plan_version, error=str(error))
                if self._next_spec is None:
                    self._next_spec = spec
                await context.loop.sleep(1.0)
                self._update_signal.set()

    async def _apply(self, spec: SlotSpec) -> None:
        context = self._context
        wanted: dict[Any, PlannedPartition] = {planned.upstream: planned for planned in spec.partitions}
        context.spec = spec  # first, so that its holds and resets find who arrives
        await self._add(lambda: spec.partitions)
        for upstream, copy in context.copies.items():
            if upstream not in wanted:
                self._leave(copy)
            else:
                copy.planned = wanted[upstream]
                if upstream in self._leaving:
                    self._leaving.discard(upstream)
                    self._ready(copy)
        context.unstarted = {upstream: planned for upstream, planned in context.unstarted.items() if upstream in wanted}
        context.refresh_signal.set()

    def _leave(self, copy: PartitionCopy) -> None:
        """The partition left the plan: nothing more is fetched, what was is finished and committed."""
        self._leaving.add(copy.upstream)
        self._stop_reading(copy)

    def _stop_reading(self, copy: PartitionCopy) -> None:
        if self._fetch is not None:
            self._fetch.leave_out(copy)

    async def _start_others(self) -> None:
        """Partitions that had no start offset yet get another try."""
        await self._add(lambda: list(self._context.unstarted.values()))
        self._context.refresh_signal.set()

    async def _add(self, planned: Callable[[], Iterable[PlannedPartition]]) -> None:
        """Those of them (asked for when it is our turn) that are not there yet; held ones are not read for a moment."""
        context = self._context
        while self._is_adding:
            await context.loop.sleep(ANOTHER_ADDS_S)
        self._is_adding = True
        added = [each for each in planned() if each.upstream not in context.copies]
        self._arriving.update(each.upstream for each in added)
        try:
            await self._add_and_hold(added)
        finally:
            self._is_adding = False
            self._arriving.clear()
            for each in added:  # after an error as well: some may be there already
                copy = context.copies.get(each.upstream)
                if copy is not None:
                    self._ready(copy)

    async def _add_and_hold(self, added: Sequence[PlannedPartition]) -> None:
        failure: ReplicationError | None = None
        try:
            await self._positions.add_partitions(added)
        except ReplicationError as error:
            failure = error
        await self._control.tick()
        if failure is not None:
            raise failure

    def _forget_left(self) -> None:
        for upstream in list(self._leaving):
            copy = self._context.copies[upstream]
            if copy.given_up or (copy.is_idle and copy.is_committed and not copy.uncommitted):
                self._records.restarted(copy, copy.done_topic_id, self._context.loop.now_ms())
                self._metrics.close_period()
                del self._context.copies[upstream]
                self._leaving.discard(upstream)

    def _ready(self, copy: PartitionCopy) -> None:
        if self._fetch is not None and copy.upstream not in self._arriving:
            self._produce.offer(copy)
            if copy.upstream not in self._leaving:
                self._fetch.resume(copy)

    async def _renewed(self, identity: ProducerIdentity) -> None:
        """The slot's producer has another epoch, or even another id."""
        await self._loops.register(identity)
        self._produce.become(identity)

    def _rewound(self, copy: PartitionCopy) -> None:
        """Its transaction was aborted: read it again from its position."""
        self._stop_reading(copy)
        self._ready(copy)

    def _finished(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """An entry is on the target, or had nothing to send; under exactly once it counts when it is committed."""
        if self._exactly_once is not None:
            self._exactly_once.hold(copy, entry, now_ms)
        else:
            self._done(copy, entry, now_ms)

    def _done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """An entry is on the target, or had nothing to send: the position moves over it."""
        if entry.restart_topic_id is not None:
            self._records.restarted(copy, entry.restart_topic_id, now_ms)
            self._metrics.restarted(copy, entry.restart_topic_id, entry.next)
            copy.done_topic_id = entry.restart_topic_id
            copy.has_position = True
        if entry.reset_ids is not None:
            copy.reset_ids = entry.reset_ids
        copy.done_next = entry.next
        copy.done_epoch = entry.leader_epoch
        downstream_next = entry.downstream_next
        if downstream_next is not None:
            copy.downstream_next = downstream_next
        self._records.done(copy, entry, now_ms)
        self._metrics.done(copy, entry, now_ms)

    def _acknowledged(self, copy: PartitionCopy) -> None:
        if self._fetch is not None:
            self._fetch.acknowledged(copy)
