"""Writing a slot's batches to the target cluster."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class OutgoingBatch(NamedTuple):
    """One batch of one partition, ready for the target; a Produce carries at most one per partition."""

    topic: str
    partition: int
    data: memoryview | bytes


class ProduceResult(NamedTuple):
    """The broker's answer for one partition. Error code 0 is success."""

    topic: str
    partition: int
    error_code: int
    base_offset: int
    message: str | None


class Produced(NamedTuple):
    """A broker's answer. `throttle_ms` is how long it makes us wait for exceeding a quota."""

    results: Sequence[ProduceResult]
    throttle_ms: int = 0


class BatchProducer(Protocol):
    """Writes batches that carry the slot's producer id already. All coroutines belong to the loop's thread.

    Raises RetriableError while the cluster cannot be reached, AuthenticationError or AuthorizationError when it
    refuses us.
    """

    async def widen(self, connections: int) -> int:
        """Have at least that many connections to each broker. Returns how many there are."""
        ...

    async def produce(
        self, node: int, batches: Sequence[OutgoingBatch], *, transactional: bool, connection: int = 0
    ) -> Produced:
        """One Produce (acks=all) to one broker; answers come in the order of the requests of the connection.

        `transactional` says that the batches carry the transactional bit; their partitions have joined then.
        """
        ...
