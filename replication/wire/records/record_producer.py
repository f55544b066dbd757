"""The `RecordProducer` of one caller, over a sender that many callers share."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from replication.domain.errors import ClusterUnreachableError, ConfigurationError, ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.wire.records.queued_record import QueuedRecord
from replication.wire.records.record_sender import DELIVERY_S, RecordSender


class _Deliveries:
    """The records sent since some were last given up, and the first failure since the last flush."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pending = 0
        self._failure: ReplicationError | None = None

    def sent(self) -> None:
        with self._changed:
            self._pending += 1

    def not_sent(self) -> None:
        with self._changed:
            self._pending -= 1

    def done(self, failure: ReplicationError | None) -> None:
        with self._changed:
            self._pending -= 1
            self._failure = self._failure or failure
            if not self._pending:
                self._changed.notify_all()

    def wait(self, timeout_s: float) -> tuple[bool, ReplicationError | None]:
        """Return whether all are done, and take the first failure."""
        with self._changed:
            are_done = self._changed.wait_for(lambda: not self._pending, timeout_s)
            failure, self._failure = self._failure, None
            return are_done, failure


class WireRecordProducer:
    """The `RecordProducer` of one caller, over the sender that all callers of the cluster share."""

    def __init__(self, cluster: ClusterClient, shared: Callable[[], AbstractContextManager[RecordSender]]) -> None:
        """`shared` gives the sender for one call; its owner closes it."""
        self._cluster = cluster
        self._sender = shared
        self._deliveries = _Deliveries()

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
        deliveries = self._deliveries
        with self._sender() as sender:
            record = QueuedRecord(
                topic=topic,
                key=key,
                value=value,
                partition=partition,
                timestamp_ms=time.time_ns() // 1_000_000 if timestamp_ms is None else timestamp_ms,
                headers=tuple(headers),
                done=deliveries.done,
                until_s=sender.monotonic_s() + DELIVERY_S,
            )
            deliveries.sent()
            try:
                sender.put(record)
            except Exception:
                deliveries.not_sent()
                raise

    def flush(self, timeout_s: float = 10.0) -> None:
        with self._sender() as sender:
            are_done, failure = self._deliveries.wait(timeout_s)
            if are_done and failure is None:
                return
            if not are_done:
                self._deliveries = _Deliveries()  # later flushes report about later records only
                failure = failure or sender.last_failure
            raise self._named(failure)

    def _named(self, failure: ReplicationError | None) -> ReplicationError:
        """Return the failure; a time-out becomes the error of a cluster that does not answer."""
        if failure is not None and (isinstance(failure, ConfigurationError) or failure.topic is not None):
            return failure
        alias, servers = self._cluster.alias, ",".join(self._cluster.bootstrap)
        reason = "it did not acknowledge the records in time" if failure is None else failure.text
        text = f"cluster {alias} ({servers}) does not answer: {reason}; check that its brokers run"
        return ClusterUnreachableError(text, cluster=alias)

    def close(self) -> None:
        """Records that were sent are delivered all the same; call flush first to know."""
