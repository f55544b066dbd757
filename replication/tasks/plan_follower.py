"""Adds partitions to a running slot and removes them, as newer plans say."""

from collections.abc import Callable, Collection, Iterable, Sequence

import structlog

from replication.domain.errors import FencedError, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import PlannedPartition, SlotSpec
from replication.tasks.control.orders import Orders
from replication.tasks.hand_over import HandOver
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.slot_takeover import SlotTakeover
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

LEAVING_S = 0.5
HANDING_OVER_S = 0.1
LEAVING_PATIENCE_S = 30.0  # for a target that takes nothing: its topic may be gone
ANOTHER_ADDS_S = 0.005
UNTIL_NEXT_PLAN_S = 60.0


class PlanFollower:
    """One coroutine per slot. A partition that leaves is finished and committed before it is forgotten.

    So is one whose remote topic has another name in a newer plan; then it is added under that name.
    """

    def __init__(
        self,
        context: SlotContext,
        events: SlotEvents,
        committer: PositionCommitter,
        orders: Orders,
        takeover: SlotTakeover,
    ) -> None:
        self._context = context
        self._events = events
        self._committer = committer
        self._orders = orders
        self._hand_over = HandOver(context, takeover)
        self._next_spec: SlotSpec | None = None
        self._leaving: dict[TopicPartition, float] = {}  # since when
        self._arriving: set[TopicPartition] = set()  # not read before holds and resets are applied
        self._is_adding = False
        self._update_signal = context.ports.loop.signal()

    def is_arriving(self, copy: PartitionCopy) -> bool:
        """True until holds and resets are applied to the partition."""
        return copy.upstream in self._arriving

    def is_leaving(self, copy: PartitionCopy) -> bool:
        """True when the plan does not name the partition, or its remote topic, any more."""
        return copy.upstream in self._leaving

    def update(self, spec: SlotSpec) -> None:
        """Follow a newer plan of the same generation."""
        self._next_spec = spec
        self._update_signal.set()

    def stop(self) -> None:
        """Wake the coroutine so that it sees the stop flag."""
        self._update_signal.set()

    def adopt_newest(self) -> None:
        """Start with the newest plan, if one came since the task was made."""
        if self._next_spec is not None:
            self._context.adopt(self._next_spec)
            self._next_spec = None

    async def first_partitions(self) -> list[PlannedPartition]:
        """Return the partitions with which the slot starts. Raises what Kafka raises."""
        if self._hand_over.is_under_way:
            await self._hand_over.refresh()
        return self._startable()

    def _startable(self) -> list[PlannedPartition]:
        """Return the partitions of the plan that no other slot can have."""
        return [each for each in self._context.spec.partitions if self._hand_over.may_take(each)]

    async def run(self) -> None:
        """Add and drop partitions until the task stops."""
        context = self._context
        while not context.stopping:
            await self._update_signal.wait(self._pause_s())
            has_left = self._forget_left()
            spec, self._next_spec = self._next_spec, None
            if spec is None and (has_left or self._hand_over.is_under_way):
                spec = context.spec  # a partition that left under its former remote name returns under the new one
            if spec is None or context.stopping:
                continue
            try:
                await self._apply(spec)
            except FencedError as error:
                context.fail(error)
            except ReplicationError as error:
                log.warning("plan not applied yet", flow=str(spec.flow), version=spec.plan_version, error=str(error))
                if self._next_spec is None:
                    self._next_spec = spec
                await context.ports.loop.sleep(1.0)
                self._update_signal.set()

    def _pause_s(self) -> float:
        if self._hand_over.is_under_way:
            return HANDING_OVER_S
        return LEAVING_S if self._leaving else UNTIL_NEXT_PLAN_S

    async def start_others(self) -> None:
        """Try partitions again that had no start offset yet. Raises what the clusters raise."""
        await self._add(lambda: list(self._context.roster.unstarted.values()))
        self._context.refresh_signal.set()

    async def _apply(self, spec: SlotSpec) -> None:
        context = self._context
        is_new = spec is not context.spec
        wanted = {planned.upstream: planned for planned in spec.partitions}
        context.adopt(spec)  # first, so that its holds and resets find partitions that arrive
        if self._hand_over.is_under_way:
            await self._hand_over.refresh()
        has_added = await self._add(self._startable)
        kept = {
            each for each in context.roster.upstreams() if each not in wanted and not self._hand_over.may_give(each)
        }
        for upstream, copy in context.roster.copies.items():
            planned = wanted.get(upstream)
            if upstream in kept:
                continue  # no other slot copies it yet
            if planned is None or planned.remote_topic != copy.planned.remote_topic:
                self._let_leave(copy)
            else:
                copy.adopt(planned)
                if self._leaving.pop(upstream, None) is not None:
                    self._events.ready(copy)
        context.roster.keep_unstarted(wanted.keys() | kept)
        if is_new or has_added:
            context.refresh_signal.set()
        if self._hand_over.is_under_way:
            await self._give_and_wait(wanted.keys())

    async def _give_and_wait(self, wanted: Collection[TopicPartition]) -> None:
        """Finish what other slots get, and see that others give up what is ours."""
        if all(upstream in wanted for upstream in self._context.roster.upstreams()):
            await self._hand_over.note_given()
        elif self._has_sent_leavers() and self._context.spec.delivery == "at_least_once":
            await self._committer.commit()  # not in a second: the next owner waits for it
        await self._hand_over.fence_late()

    def _has_sent_leavers(self) -> bool:
        leaving = (self._context.roster.copies[upstream] for upstream in self._leaving)
        return any(copy.queue.is_idle and not copy.progress.is_committed for copy in leaving)

    async def _add(self, planned: Callable[[], Iterable[PlannedPartition]]) -> bool:
        """Add partitions (asked for when it is our turn) that are missing; held ones are not read for a moment.

        Return True when there were any.
        """
        context = self._context
        while self._is_adding:
            await context.ports.loop.sleep(ANOTHER_ADDS_S)
        self._is_adding = True
        added = [each for each in planned() if each.upstream not in context.roster.copies]
        self._arriving.update(each.upstream for each in added)
        try:
            await self._add_and_hold(added)
        finally:
            self._is_adding = False
            self._arriving.clear()
            for each in added:  # after an error as well: some may be there already
                copy = context.roster.copies.get(each.upstream)
                if copy is not None:
                    self._events.ready(copy)
        return bool(added)

    async def _add_and_hold(self, added: Sequence[PlannedPartition]) -> None:
        failure: ReplicationError | None = None
        try:
            await self._committer.add_partitions(added)
        except ReplicationError as error:
            failure = error
        await self._orders.apply()
        if failure is not None:
            raise failure

    def _let_leave(self, copy: PartitionCopy) -> None:
        self._leaving.setdefault(copy.upstream, self._context.ports.loop.monotonic_s())
        self._events.stop_reading(copy)

    def _forget_left(self) -> bool:
        """Forget partitions that are finished. True when there were any."""
        left = [copy for copy in map(self._context.roster.copies.__getitem__, self._leaving) if self._has_left(copy)]
        for copy in left:
            self._events.left(copy)
            self._context.roster.remove(copy.upstream)
            del self._leaving[copy.upstream]
        return bool(left)

    def _has_left(self, copy: PartitionCopy) -> bool:
        progress, queue = copy.progress, copy.queue
        is_done = progress.is_committed and not progress.uncommitted
        if is_done and not queue.is_idle and not queue.in_flight and self._is_late(copy):
            self._give_up(copy)
        return queue.is_closed or (is_done and queue.is_idle)

    def _is_late(self, copy: PartitionCopy) -> bool:
        return self._context.ports.loop.monotonic_s() - self._leaving[copy.upstream] > LEAVING_PATIENCE_S

    def _give_up(self, copy: PartitionCopy) -> None:
        """Drop what the target does not take: whoever copies the partition next reads it again."""
        log.warning("left with unsent records", flow=str(self._context.spec.flow), partition=str(copy.upstream))
        if copy.queue.is_in_doubt:
            self._events.transaction_lost(f"{copy.remote} left with a batch in doubt")
        copy.queue.abandon()
