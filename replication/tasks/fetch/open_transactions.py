"""Says which partitions of a read_committed flow wait for a transaction at the source to end."""

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

EVERY_S = 2.0
LONG_S = 30.0  # an open transaction of that age is reported


class OpenTransactions:
    """Watches for a last stable offset that stays while the high watermark is beyond it: everything after it waits."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._since: dict[TopicPartition, tuple[int, float]] = {}  # the stable offset, and when it was first seen

    async def run(self) -> None:
        context = self._context
        while not context.stopping:
            if context.spec.isolation_level == "read_committed":
                await self._check()
            await context.pause(EVERY_S)

    async def _check(self) -> None:
        now_s, copies = self._context.ports.loop.monotonic_s(), self._context.roster.copies
        self._since = {upstream: known for upstream, known in self._since.items() if upstream in copies}
        for copy in list(self._context.roster.copies.values()):
            stable = _blocked_at(copy)
            if stable is None:
                self._since.pop(copy.upstream, None)
                copy.obstructions.clear("source")
                continue
            offset, since_s = self._since.setdefault(copy.upstream, (stable, now_s))
            if offset != stable:
                self._since[copy.upstream] = (stable, now_s)
                copy.obstructions.clear("source")
            elif now_s - since_s >= LONG_S:
                copy.obstructions.set("source", await self._cause(copy, stable, now_s - since_s))

    async def _cause(self, copy: PartitionCopy, stable: int, age_s: float) -> Cause:
        """Return the cause, made once per transaction; it names the age."""
        known = copy.obstructions.of("source")
        if known is not None:
            return known
        upstream = copy.upstream
        who = await self._owner(upstream, stable)
        waiting = (copy.cursor.high_watermark or stable) - stable
        text = (
            f"{upstream}: {who} is open at offset {stable} for more than {int(age_s)} s, "
            f"{waiting} offsets wait behind it; end its producer or run kafka-transactions.sh abort "
            f"--topic {upstream.topic} --partition {upstream.partition} --start-offset {stable}"
        )
        return copy.cause("open_transaction", text, self._context.ports.loop.now_ms() - round(age_s * 1000))

    async def _owner(self, upstream: TopicPartition, stable: int) -> str:
        """Return the owner of the transaction, where the source reports it; the right to ask may be missing."""
        try:
            producer_id = await self._context.ports.source.open_producer(upstream, stable)
        except ReplicationError as error:
            log.info("open transaction not named", partition=str(upstream), error=str(error))
            producer_id = None
        return "a transaction" if producer_id is None else f"the transaction of producer id {producer_id}"


def _blocked_at(copy: PartitionCopy) -> int | None:
    """Return the last stable offset where everything before it is done and something is behind it."""
    stable, end = copy.cursor.log_end, copy.cursor.high_watermark
    is_waiting = stable is not None and end is not None and copy.progress.next_offset >= stable and end > stable
    return stable if is_waiting else None
