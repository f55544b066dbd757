"""The sizes of a cluster's logs, as its brokers store them."""

from collections.abc import Collection, Mapping
from typing import Protocol

from replication.domain.identifiers import TopicPartition


class LogSizes(Protocol):
    """Every call blocks and may come from any thread. Raises `replication.domain.errors`."""

    def bytes_of(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return the bytes of the largest replica of each partition; partitions that do not exist are missing.

        Raises AuthorizationError when we lack DESCRIBE on the cluster.
        """

    def close(self) -> None: ...
