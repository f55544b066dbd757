"""Exactly once: the slot's batches and positions in one transaction after the other.

While one transaction ends, fetching continues and fills the queues of the next. What a batch changes besides the
target's log (position, offset syncs and runs, counts) happens when its transaction has committed. When a transaction
cannot be committed, all of it is fetched and sent again from the committed positions, under our producer's next epoch.
"""

from collections.abc import Collection

import structlog

from replication.domain.errors import Cause, ReplicationError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.domain.produce.backoff import exclusion_s
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.sender import Sender
from replication.tasks.produce.transaction_gate import TransactionGate
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

CHECK_S, LONGEST_CHECK_S = 0.002, 0.05
TICK_S = 0.05
DOUBT_PATIENCE_S = 10.0  # then the transaction is aborted, and the partition in doubt excluded from the next
WHEN_STOPPING_S = 3.0


class Transactions:
    """Ends a transaction every interval."""

    def __init__(self, context: SlotContext, events: SlotEvents, positions: PositionCommitter, sender: Sender) -> None:
        self._context = context
        self._events = events
        self._positions = positions
        self._sender = sender
        self._gate = TransactionGate(context, events)
        self._is_last = False
        self._committed_s = float("-inf")  # or when there was nothing to commit
        self.aborted = 0
        sender.use_transactions(self._gate)

    def demand_abort(self, reason: str) -> None:
        """The open transaction cannot be committed."""
        self._gate.demand_abort(reason)

    async def run(self) -> None:
        """Commit every interval, until the task stops."""
        context = self._context
        while not context.stopping:
            if self._is_due():
                try:
                    await self.commit()
                except ReplicationError as error:
                    log.warning("transaction failed", flow=str(context.spec.flow), error=str(error))
                    context.fail(error)
            await context.pause(min(TICK_S, context.spec.transaction_interval_ms / 1000))

    def _is_due(self) -> bool:
        """True when a transaction must end; positions that moved without a record need none of their own this often."""
        spec, now_s, opened_s = self._context.spec, self._context.ports.loop.monotonic_s(), self._gate.opened_s
        if self._gate.must_abort is not None or self._gate.needs_positions:
            return True
        if opened_s is not None:
            return now_s - opened_s >= spec.transaction_interval_ms / 1000
        if self._gate.is_joining:
            return False  # a far coordinator takes longer than a tick: to close now would let no batch out, ever
        return now_s - self._committed_s >= spec.commit_interval_ms / 1000

    async def commit(self) -> None:
        """End the open transaction. Raises FencedError when the slot has a new owner, and errors that end the task."""
        self._gate.close()
        try:
            in_doubt = await self._wait_for_answers()
            if self._gate.must_abort is not None:
                await self._abort([], self._gate.must_abort)
            elif in_doubt:
                await self._abort(in_doubt, "the target does not answer")
            else:
                await self._commit()
        finally:
            if not self._is_last:
                self._gate.open()

    async def finish(self) -> None:
        """The last `commit`: no other transaction is opened behind it."""
        self._is_last = True
        await self.commit()

    async def _wait_for_answers(self) -> list[PartitionCopy]:
        """Wait until the fate of every batch is known; return the partitions that stay in doubt."""
        context, loop = self._context, self._context.ports.loop
        patience_s = WHEN_STOPPING_S if context.stopping else DOUBT_PATIENCE_S
        if self._is_last:
            patience_s = 0.0  # nothing is sent any more that would show it
        deadline_s = loop.monotonic_s() + patience_s
        check_s = CHECK_S
        while True:
            if not self._sender.in_flight and not self._gate.is_joining:
                in_doubt = [
                    each
                    for each in context.roster.copies.values()
                    if each.queue.is_in_doubt and not each.queue.is_closed
                ]
                if not in_doubt or self._gate.must_abort is not None or loop.monotonic_s() > deadline_s:
                    return in_doubt
            if context.failure is not None:
                return []
            await loop.sleep(check_s)
            check_s = min(LONGEST_CHECK_S, check_s * 1.5)

    async def _commit(self) -> None:
        context = self._context
        moved: dict[TopicPartition, tuple[PartitionCopy, int, Position]] = {
            upstream: (copy, len(copy.progress.uncommitted), copy.position_in_transaction)
            for upstream, copy in context.roster.copies.items()
            if copy.progress.uncommitted or not copy.progress.is_committed
        }
        self._committed_s = context.ports.loop.monotonic_s()
        if context.failure is not None or (not moved and self._gate.is_empty):
            return
        try:
            await self._positions.write({upstream: moved[upstream][2] for upstream in moved}, transactional=True)
        except TransactionAbortedError as error:
            await self._abort([], error.text)
            return
        context.clear_trouble("transaction")
        now_ms = context.ports.loop.now_ms()
        for copy, count, position in moved.values():
            for _ in range(count):
                self._events.done(copy, copy.progress.take_held(), now_ms)
            copy.progress.note_committed(position)
            if count:
                copy.retries.end_exclusions()

    async def _abort(self, culprits: Collection[PartitionCopy], reason: str) -> None:
        """Abort, and continue from the committed positions; partitions in doubt wait longer than the others."""
        context = self._context
        self._gate.seal()
        log.warning(
            "transaction aborted",
            flow=str(context.spec.flow),
            slot=context.spec.slot,
            reason=reason,
            partitions=[str(copy.remote) for copy in culprits],
        )
        self.aborted += 1
        await context.ports.transactions.abort()
        await self._events.renewed(await context.ports.transactions.renew())
        now_s = context.ports.loop.monotonic_s()
        for copy in culprits:
            wait_s = exclusion_s(copy.retries.exclusions)
            copy.retries.note_exclusion(now_s + wait_s)
            copy.obstructions.set("target", self._cause(copy, wait_s))
        for copy in list(context.roster.copies.values()):
            if copy.queue.is_closed:
                copy.progress.forget_held()
                copy.queue.restart_sequences()
            else:
                copy.rewind()
                self._events.rewound(copy)

    def _cause(self, copy: PartitionCopy, wait_s: float) -> Cause:
        text = (
            f"remote partition {copy.remote} does not answer; transactions skip it for {wait_s:.0f} s, "
            "so that the others continue"
        )
        return copy.cause("target_in_doubt", text, self._context.ports.loop.now_ms())
