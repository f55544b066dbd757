"""The registry of slots' producer ids in one cluster."""

from collections.abc import Sequence
from typing import Protocol

from replication.domain.produce.producer_registry import RegisteredProducer


class ProducerRegistry(Protocol):
    """Coroutines belong to the loop's thread."""

    async def read(self) -> Sequence[RegisteredProducer]:
        """Every entry up to the end as of now; a cluster without a registry has none.

        Raises ReplicationError while it cannot be read whole, so that no batch is judged by half a registry.
        """
        ...

    def close(self) -> None: ...
