"""Exactly once: the slot's batches and positions in one transaction after the other.

While one transaction ends, fetching goes on and fills the queues of the next. What a batch changes besides the target's
log (position, offset syncs and runs, counts) happens when its transaction has committed. When a transaction cannot be
committed, all of it is fetched and sent again from the committed positions, under the next epoch of our producer.
"""

from collections.abc import Awaitable, Callable, Collection

import structlog

from replication.domain.errors import Cause, ReplicationError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position
from replication.ports.target_writer import ProducerIdentity
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_positions import SourcePositions
from replication.tasks.source_produce import SourceProduce
from replication.tasks.transaction_gate import TransactionGate

log = structlog.get_logger(__name__)

LOOK_S, LONGEST_LOOK_S = 0.002, 0.05
TICK_S = 0.05
DOUBT_PATIENCE_S = 10.0  # then the transaction is given up, and the partition in doubt left out of the next
WHEN_STOPPING_S = 3.0
FIRST_EXCLUSION_S = 5.0
LONGEST_EXCLUSION_S = 60.0


class SourceTransactions:
    """Ends a transaction every interval."""

    def __init__(
        self,
        context: SlotContext,
        positions: SourcePositions,
        produce: SourceProduce,
        done: Callable[[PartitionCopy, Entry, int], None],
        renewed: Callable[[ProducerIdentity], Awaitable[None]],
        rewound: Callable[[PartitionCopy], None],
    ) -> None:
        """`done` is called for every entry of a committed transaction, `renewed` with what the producer is after an
        aborted one, and then `rewound` for every partition that has to be read again."""
        self._context = context
        self._positions = positions
        self._produce = produce
        self._done = done
        self._renewed = renewed
        self._rewound = rewound
        self._gate = TransactionGate(context, produce.offer)
        self._is_last = False
        self._committed_s = float("-inf")  # or looked in vain for something to commit
        produce.use_transactions(self._gate)

    def hold(self, copy: PartitionCopy, entry: Entry, _now_ms: int) -> None:
        """An entry is on the target, but its transaction is open."""
        copy.uncommitted.append(entry)

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
        """Positions that moved without a record to send need no transaction of their own five times a second."""
        spec, now_s, opened_s = self._context.spec, self._context.loop.monotonic_s(), self._gate.opened_s
        if self._gate.must_abort is not None or self._gate.needs_positions:
            return True
        if opened_s is not None:
            return now_s - opened_s >= spec.transaction_interval_ms / 1000
        if self._gate.is_joining:
            return False  # a far coordinator takes longer than a tick: to close now would let no batch out, ever
        return now_s - self._committed_s >= spec.commit_interval_ms / 1000

    async def commit(self) -> None:
        """End the open transaction. Raises FencedError when the slot has a new owner, and what it cannot mend."""
        self._gate.close()
        try:
            in_doubt = await self._wait_for_answers()
            if self._gate.must_abort is not None:
                await self._start_anew([], self._gate.must_abort)
            elif in_doubt:
                await self._start_anew(in_doubt, "the target does not answer")
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
        """Until nothing is in flight and every batch sent is known to stand or not; those that stay in doubt."""
        context, loop = self._context, self._context.loop
        patience_s = WHEN_STOPPING_S if context.stopping else DOUBT_PATIENCE_S
        if self._is_last:
            patience_s = 0.0  # nothing is sent any more that would tell
        deadline_s = loop.monotonic_s() + patience_s
        look_s = LOOK_S
        while True:
            if not self._produce.in_flight and not self._gate.is_joining:
                in_doubt = [copy for copy in context.copies.values() if copy.is_in_doubt and not copy.given_up]
                if not in_doubt or self._gate.must_abort is not None or loop.monotonic_s() > deadline_s:
                    return in_doubt
            if context.failure is not None:
                return []
            await loop.sleep(look_s)
            look_s = min(LONGEST_LOOK_S, look_s * 1.5)

    async def _commit(self) -> None:
        context = self._context
        moved: dict[TopicPartition, tuple[PartitionCopy, int, Position]] = {
            upstream: (copy, len(copy.uncommitted), copy.position_in_transaction)
            for upstream, copy in context.copies.items()
            if copy.uncommitted or not copy.is_committed
        }
        self._committed_s = context.loop.monotonic_s()
        if context.failure is not None or (not moved and self._gate.is_empty):
            return
        try:
            await self._positions.write({upstream: moved[upstream][2] for upstream in moved}, transactional=True)
        except TransactionAbortedError as error:
            await self._start_anew([], error.text)
            return
        context.settled("transaction")
        now_ms = context.loop.now_ms()
        for copy, count, position in moved.values():
            for _ in range(count):
                self._done(copy, copy.uncommitted.popleft(), now_ms)
            copy.committed = position
            if count:
                copy.exclusions = 0

    async def _start_anew(self, culprits: Collection[PartitionCopy], reason: str) -> None:
        """Abort, and go on from the committed positions; partitions in doubt wait longer than the others."""
        context = self._context
        self._gate.seal()
        log.warning(
            "transaction aborted",
            flow=str(context.spec.flow),
            slot=context.spec.slot,
            reason=reason,
            partitions=[str(copy.remote) for copy in culprits],
        )
        context.transactions_aborted += 1
        await context.ports.writer.abort_transaction()
        await self._renewed(await context.ports.writer.renew())
        now_s = context.loop.monotonic_s()
        for copy in culprits:
            wait_s = min(LONGEST_EXCLUSION_S, FIRST_EXCLUSION_S * 2.0**copy.exclusions)
            copy.exclusions += 1
            copy.resend_after_s = now_s + wait_s
            copy.target_waits = self._cause(copy, wait_s)
        for copy in list(context.copies.values()):
            if copy.given_up:
                copy.uncommitted.clear()
            else:
                copy.rewind()
                self._rewound(copy)

    def _cause(self, copy: PartitionCopy, wait_s: float) -> Cause:
        text = (
            f"remote partition {copy.remote} does not answer; it is left out of transactions for {wait_s:.0f} s, "
            "so that the others go on"
        )
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        return Cause(
            code="target_in_doubt", text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms
        )
