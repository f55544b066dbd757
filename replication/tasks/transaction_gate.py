"""Which batches may go out now: any under at least once, those of the open transaction under exactly once."""

from collections.abc import Callable, Mapping
from typing import Protocol

import structlog

from replication.domain.errors import Cause, ReplicationError, RetriableError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error import error_name
from replication.domain.produce_verdict import trouble
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

AFTER_ERROR_S = 0.5
LEFT_OUT_S = 3.0


class Gate(Protocol):
    """Asked before a partition's next batch goes out."""

    def admits(self, copy: PartitionCopy) -> bool:
        """False when the partition must wait; it is offered again when it need not wait any longer."""
        ...

    def give_up(self, reason: str) -> None:
        """The target says that the open transaction is lost."""
        ...


class OpenGate:
    """At least once: a batch never waits for a transaction."""

    def admits(self, copy: PartitionCopy) -> bool:
        return True

    def give_up(self, reason: str) -> None:
        """There is none: the batch is sent again like any other."""


class TransactionGate:
    """Exactly once: partitions join the open transaction together, and wait while it ends."""

    def __init__(self, context: SlotContext, offer: Callable[[PartitionCopy], None]) -> None:
        self._context = context
        self._offer = offer
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
        """True when all that wait to be sent first need a committed position, and no transaction is in the way."""
        return not self._members and bool(self._waiting) and not self._those_that_may_join()

    @property
    def is_joining(self) -> bool:
        """True while the coordinator is asked to add partitions: the transaction cannot end then."""
        return self._is_joining

    def admits(self, copy: PartitionCopy) -> bool:
        if not self._sealed:
            if not self._closed and copy.upstream in self._members:
                return True
            if copy.next_batch is None or copy.is_in_doubt:
                return True  # what went out already must be known before the transaction can end
        self._waiting[copy.upstream] = copy
        self._join()
        return False

    def give_up(self, reason: str) -> None:
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
            self._context.loop.spawn(self._add_waiting())

    async def _add_waiting(self) -> None:
        try:
            while (joining := self._those_that_may_join()) and not self._closed and self._context.failure is None:
                refused = await self._add(joining)
                if refused is None:
                    await self._context.loop.sleep(AFTER_ERROR_S)
                    continue
                for upstream, copy in joining.items():
                    self._waiting.pop(upstream, None)
                    if copy.remote in refused:
                        self._leave_out(copy, refused[copy.remote])
                    else:
                        self._members.add(upstream)
                if self._members and self.opened_s is None:
                    self.opened_s = self._context.loop.monotonic_s()
                for copy in joining.values():
                    self._offer(copy)
        finally:
            self._is_joining = False

    def _those_that_may_join(self) -> dict[TopicPartition, PartitionCopy]:
        """A partition needs a committed position before its first record: a missing one is a lost one (ADR 8)."""
        return {upstream: copy for upstream, copy in self._waiting.items() if copy.committed is not None}

    def _leave_out(self, copy: PartitionCopy, code: int) -> None:
        """The partition may not be written now; the others go on, and it asks again later."""
        about, upstream = trouble(code), copy.upstream
        if copy.target_waits is None or copy.target_waits.code != about.code:
            copy.target_waits = Cause(
                code=about.code,
                text=f"remote partition {copy.remote} {about.text} ({error_name(code)})",
                topic=upstream.topic,
                partition=upstream.partition,
                since_ms=self._context.loop.now_ms(),
            )
        copy.attempts += 1
        copy.resend_after_s = self._context.loop.monotonic_s() + LEFT_OUT_S
        self._context.refresh_signal.set()

    async def _add(self, copies: dict[TopicPartition, PartitionCopy]) -> Mapping[TopicPartition, int] | None:
        """The codes of those refused; None when the coordinator does not answer now."""
        context = self._context
        try:
            refused = await context.ports.writer.join_transaction([copy.remote for copy in copies.values()])
        except TransactionAbortedError as error:
            self.give_up(error.text)
        except RetriableError as error:
            context.trouble("transaction", error)
            log.warning("partitions wait for a transaction", flow=str(context.spec.flow), error=str(error))
        except ReplicationError as error:
            context.fail(error)
        else:
            context.settled("transaction")
            return refused
        return None
