"""Writing single records: heartbeats, checkpoints, raw metrics of the control worker."""

from collections.abc import Sequence
from typing import Protocol


class RecordProducer(Protocol):
    """Idempotent producer with acks=all. `send` never blocks on the network; any thread."""

    def send(
        self,
        topic: str,
        *,
        key: bytes | None,
        value: bytes | None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> None:
        """Queue a record. Without a partition the key's murmur2 hash decides, as in Java.

        Raises RetriableError when the local queue is full.
        """

    def flush(self, timeout_s: float = 10.0) -> None:
        """Wait until all queued records are acknowledged.

        Raises the first failure since the last flush, or ClusterUnreachableError when the time is over; records still
        queued then are given up, so that a later flush reports about later records only.
        """

    def close(self) -> None: ...
