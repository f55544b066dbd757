"""Decides which batches may go out now under exactly once: those of the open transaction."""

from collections.abc import Mapping

import structlog

from replication.domain.errors import ReplicationError, RetriableError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_errors import error_name, kafka_error
from replication.domain.produce.backoff import DENIED_S
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

AFTER_ERROR_S = 0.5


class TransactionGate:
    """Partitions join the open transaction together, and wait while it ends."""

    def __init__(self, context: SlotContext, events: SlotEvents) -> None:
        self._context = context
        self._events = events
        self._closed = self._sealed = False
        self._members: set[TopicPartition] = set()
        self._waiting: dict[TopicPartition, PartitionCopy] = {}
        self._is_joining = False
        self.opened_s: float | None = None  # when the transaction began; None when there is none
        self.must_abort: str | None = None  # why the open transaction cannot be committed any more

    @property
    def is_empty(self) -> bool:
        """True when no partition is part of the transaction, so that there is none."""
        return not self._members

    @property
    def needs_positions(self) -> bool:
        """True when all partitions that wait first need a committed position, and no transaction is in the way."""
        return not self._members and bool(self._waiting) and not self._joinable()

    @property
    def is_joining(self) -> bool:
        """True while the coordinator is asked to add partitions: the transaction cannot end then."""
        return self._is_joining

    def admits(self, copy: PartitionCopy) -> bool:
        """False when the partition must wait; it is sent when it need not wait any longer."""
        if not self._sealed:
            if not self._closed and copy.upstream in self._members:
                return True
            if copy.queue.next_batch is None or copy.queue.is_in_doubt:
                return True  # what went out already must be known before the transaction can end
        self._waiting[copy.upstream] = copy
        self._join()
        return False

    def demand_abort(self, reason: str) -> None:
        """The open transaction is lost."""
        self.must_abort = self.must_abort or reason
        self._closed = True

    def close(self) -> None:
        """Nothing new goes out until `open`; what went out and came back still does."""
        self._closed = True

    def seal(self) -> None:
        """Nothing at all goes out until `open`."""
        self._closed = self._sealed = True

    def open(self) -> None:
        """The transaction ended: the next one begins with the partitions that wait."""
        self._members.clear()
        self._closed = self._sealed = False
        self.must_abort = self.opened_s = None
        self._join()

    def _join(self) -> None:
        if self._waiting and not self._closed and not self._is_joining:
            self._is_joining = True
            self._context.ports.loop.spawn(self._add_waiting())

    async def _add_waiting(self) -> None:
        try:
            while (joining := self._joinable()) and not self._closed and self._context.failure is None:
                denied = await self._add(joining)
                if denied is None:
                    await self._context.ports.loop.sleep(AFTER_ERROR_S)
                    continue
                for upstream, copy in joining.items():
                    self._waiting.pop(upstream, None)
                    if copy.remote in denied:
                        self._exclude(copy, denied[copy.remote])
                    else:
                        self._members.add(upstream)
                if self._members and self.opened_s is None:
                    self.opened_s = self._context.ports.loop.monotonic_s()
                for copy in joining.values():
                    self._events.filled(copy)
        finally:
            self._is_joining = False

    def _joinable(self) -> dict[TopicPartition, PartitionCopy]:
        """Return partitions with a committed position: one missing after the first record is a lost one (ADR 8)."""
        return {upstream: copy for upstream, copy in self._waiting.items() if copy.progress.committed is not None}

    def _exclude(self, copy: PartitionCopy, code: int) -> None:
        """The partition may not be written now; the others continue, and it asks again later."""
        loop, about, known = self._context.ports.loop, kafka_error(code).trouble, copy.obstructions.of("target")
        if known is None or known.code != about.code:
            text = f"remote partition {copy.remote} {about.text} ({error_name(code)})"
            copy.obstructions.set("target", copy.cause(about.code, text, loop.now_ms()))
        copy.retries.note_denied(loop.monotonic_s() + DENIED_S)
        self._context.refresh_signal.set()

    async def _add(self, copies: dict[TopicPartition, PartitionCopy]) -> Mapping[TopicPartition, int] | None:
        """Return the codes of those denied; None when the coordinator does not answer now."""
        context = self._context
        try:
            denied = await context.ports.transactions.add_partitions([copy.remote for copy in copies.values()])
        except TransactionAbortedError as error:
            self.demand_abort(error.text)
        except RetriableError as error:
            context.note_trouble("transaction", error)
            log.warning("partitions wait for a transaction", flow=str(context.spec.flow), error=str(error))
        except ReplicationError as error:
            context.fail(error)
        else:
            context.clear_trouble("transaction")
            return denied
        return None
