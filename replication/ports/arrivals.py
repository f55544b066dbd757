"""The newest heartbeats that flows brought to a cluster."""

from typing import Protocol


class Arrivals(Protocol):
    """Blocking; any thread. Raises `replication.domain.errors` as ClusterAdmin does."""

    def newest_ms(self, topic: str) -> int | None:
        """Return the timestamp of the newest record in partition 0, at most about a second ago.

        None if the topic is missing or empty.
        """

    def close(self) -> None: ...
