"""Finds where a reset leads: the offset it means in the source topic of now."""

from typing import NamedTuple

from replication.domain.control.orders import Reset, ToOffset, ToTimestamp
from replication.domain.errors import TopicMissingError
from replication.ports.fetch.metadata import OffsetAt
from replication.tasks.slot_context import SlotContext


class ResetPlace(NamedTuple):
    """An offset of the topic with this id."""

    topic_id: bytes
    offset: int


class ResetOffsets:
    """Asks the source cluster."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context

    async def of(self, reset: Reset) -> ResetPlace:
        """Return the place: inside of the log, the nearest one to what is asked. Raises what the cluster raises."""
        source, upstream = self._context.ports.source, reset.upstream
        described = (await source.describe([reset.topic])).get(reset.topic)
        start, end = await self._one(reset, "earliest"), await self._one(reset, "latest")
        if described is None or described.error is not None or start is None or end is None:
            raise TopicMissingError(
                f"{upstream} gives no offsets now; the reset {reset.id} is tried again",
                cluster=self._context.spec.flow.source,
                topic=reset.topic,
                partition=reset.partition,
            )
        match reset.to:
            case ToOffset(offset=wanted):
                offset = wanted
            case ToTimestamp(timestamp_ms=timestamp_ms):
                found = await self._one(reset, timestamp_ms)
                offset = end if found is None or found < 0 else found
            case "earliest":
                offset = start
            case _:
                offset = end
        return ResetPlace(described.topic_id, min(max(offset, start), end))

    async def _one(self, reset: Reset, at: OffsetAt) -> int | None:
        return (await self._context.ports.source.offsets({reset.upstream: at})).get(reset.upstream)
