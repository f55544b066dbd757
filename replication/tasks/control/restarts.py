"""Restarts partitions within a running slot: each begins again at its committed position, alone.

What is queued is dropped. What is on its way is answered first, and committed: a request cannot be called back, and
under exactly once it is part of a transaction that the neighbours share. A partition whose target takes nothing is
given up after a while; its sequences are used again, or the producer is renewed, as for partitions that leave.
"""

import structlog

from replication.domain.control.orders import RestartOrder
from replication.domain.identifiers import TopicPartition
from replication.tasks.control.orders import Orders
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.plan_follower import PlanFollower
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

IDLE_S = 1.0
CHECK_S = 0.02
PATIENCE_S = 3.0  # for answers of the target


class PartitionRestarts:
    """One coroutine per slot. Orders of the specification that the slot started with are done: it has just begun."""

    def __init__(
        self,
        context: SlotContext,
        events: SlotEvents,
        committer: PositionCommitter,
        orders: Orders,
        plan_follower: PlanFollower,
    ) -> None:
        self._context = context
        self._events = events
        self._committer = committer
        self._orders = orders
        self._plan_follower = plan_follower
        self._open: dict[str, set[TopicPartition]] = {restart.id: set() for restart in context.spec.restarts}
        self._since_s: dict[TopicPartition, float] = {}  # partitions that are restarting

    @property
    def done(self) -> list[str]:
        """The orders that are carried out for every partition that the slot has."""
        ordered = [restart.id for restart in self._context.spec.restarts]
        return [key for key in ordered if key in self._open and not self._open[key]]

    def is_restarting(self, copy: PartitionCopy) -> bool:
        """True until the partition has begun again: it must not be read meanwhile."""
        return copy.upstream in self._since_s

    async def run(self) -> None:
        """Carry out orders as they come, until the task stops."""
        context = self._context
        while not context.stopping:
            await context.restart_signal.wait(CHECK_S if self._since_s else IDLE_S)
            if not context.stopping:
                self.advance()

    def advance(self) -> None:
        """Begin what is newly ordered, and finish what can be finished now."""
        ordered = {restart.id for restart in self._context.spec.restarts}
        self._open = {key: left for key, left in self._open.items() if key in ordered}
        for restart in self._context.spec.restarts:
            if restart.id not in self._open:
                self._open[restart.id] = self._begin(restart)
        self._retry_failed()
        for upstream in list(self._since_s):
            if self._has_ended(upstream):
                del self._since_s[upstream]
                for left in self._open.values():
                    left.discard(upstream)

    def _begin(self, restart: RestartOrder) -> set[TopicPartition]:
        roster = self._context.roster
        chosen = [copy for upstream, copy in roster.copies.items() if restart.covers(upstream)]
        for copy in chosen:
            self._let_settle(copy)
        if any(map(restart.covers, roster.unstarted)):
            self._context.refresh_signal.set()  # they are tried again
        return {copy.upstream for copy in chosen}

    def _retry_failed(self) -> None:
        """Restart partitions that stopped at a record or batch under other rules than those of now."""
        rules = self._context.spec.rejection_rules
        for copy in list(self._context.roster.copies.values()):
            has_failed = copy.obstructions.special == "failed" and copy.failed_under not in (None, rules)
            if has_failed and copy.upstream not in self._since_s:
                self._let_settle(copy)

    def _let_settle(self, copy: PartitionCopy) -> None:
        log.info("partition restarts", flow=str(self._context.spec.flow), partition=str(copy.upstream))
        self._since_s.setdefault(copy.upstream, self._context.ports.loop.monotonic_s())
        self._events.stop_reading(copy)
        copy.forget_unsent()

    def _has_ended(self, upstream: TopicPartition) -> bool:
        copy = self._context.roster.copies.get(upstream)
        if copy is None or self._plan_follower.is_leaving(copy):
            return True  # whoever copies it next begins at the committed position
        if not self._is_settled(copy):
            return False
        self._begin_again(copy)
        return True

    def _is_settled(self, copy: PartitionCopy) -> bool:
        """True when nothing is on its way any more, and all that arrived is committed."""
        queue, progress = copy.queue, copy.progress
        if queue.in_flight or copy.barrier.waits or copy.retries.is_repairing:
            return False
        if not queue.is_idle and not queue.is_closed and self._is_late(copy):
            self._give_up(copy)
        return (queue.is_idle or queue.is_closed) and progress.is_committed and not progress.uncommitted

    def _is_late(self, copy: PartitionCopy) -> bool:
        return self._context.ports.loop.monotonic_s() - self._since_s[copy.upstream] > PATIENCE_S

    def _give_up(self, copy: PartitionCopy) -> None:
        """Drop what the target does not take."""
        log.warning("restarts with unsent records", flow=str(self._context.spec.flow), partition=str(copy.upstream))
        if copy.queue.is_in_doubt:
            self._events.transaction_lost(f"{copy.remote} restarts with a batch in doubt")
            if self._context.spec.delivery == "exactly_once":
                return  # the abort empties the queue, in this partition and its neighbours
        copy.queue.abandon()

    def _begin_again(self, copy: PartitionCopy) -> None:
        roster = self._context.roster
        self._events.left(copy)
        roster.remove(copy.upstream)
        if self._committer.reopen(copy) is None:
            roster.postpone(copy.planned)  # its position is looked for again
        else:
            self._orders.restrict_now()
        self._context.refresh_signal.set()  # it is read once its leaders are known and the target's log is compared
