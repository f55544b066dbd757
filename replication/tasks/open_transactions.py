"""Says which partitions of a read_committed flow wait for a transaction at the source to end."""

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

EVERY_S = 2.0
LONG_MS = 30_000  # an open transaction of that age is worth a word


class OpenTransactions:
    """The last stable offset stands while the high watermark is beyond it: everything after it waits."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._since: dict[TopicPartition, tuple[int, int]] = {}  # the stable offset and when it was first seen to stand

    async def run(self) -> None:
        context = self._context
        while not context.stopping:
            if context.spec.isolation_level == "read_committed":
                await self._look()
            await context.pause(EVERY_S)

    async def _look(self) -> None:
        now_ms = self._context.loop.now_ms()
        for copy in list(self._context.copies.values()):
            stable = _standing_at(copy)
            if stable is None:
                self._since.pop(copy.upstream, None)
                copy.waits = None
                continue
            offset, since_ms = self._since.setdefault(copy.upstream, (stable, now_ms))
            if offset != stable:
                self._since[copy.upstream] = (stable, now_ms)
                copy.waits = None
            elif now_ms - since_ms >= LONG_MS:
                copy.waits = await self._cause(copy, stable, since_ms, now_ms)

    async def _cause(self, copy: PartitionCopy, stable: int, since_ms: int, now_ms: int) -> Cause:
        """Made once per transaction; its age is told by `since_ms`."""
        if copy.waits is not None:
            return copy.waits
        upstream = copy.upstream
        who = await self._owner(upstream, stable)
        waiting = (copy.high_watermark or stable) - stable
        return Cause(
            code="open_transaction",
            text=(
                f"{upstream}: {who} is open at offset {stable} for more than {(now_ms - since_ms) // 1000} s, "
                f"{waiting} offsets wait behind it; end its producer or run kafka-transactions.sh abort "
                f"--topic {upstream.topic} --partition {upstream.partition} --start-offset {stable}"
            ),
            topic=upstream.topic,
            partition=upstream.partition,
            since_ms=since_ms,
        )

    async def _owner(self, upstream: TopicPartition, stable: int) -> str:
        """Whose transaction it is, where the source tells; the right to ask may be missing."""
        try:
            producer_id = await self._context.ports.reader.open_producer(upstream, stable)
        except ReplicationError as error:
            log.info("open transaction not named", partition=str(upstream), error=str(error))
            producer_id = None
        return "a transaction" if producer_id is None else f"the transaction of producer id {producer_id}"


def _standing_at(copy: PartitionCopy) -> int | None:
    """The last stable offset where everything before it is done and something stands behind it."""
    stable, end = copy.log_end, copy.high_watermark
    is_waiting = stable is not None and end is not None and copy.done_next >= stable and end > stable
    return stable if is_waiting else None
