"""Records the configs and ACLs a flow set on its remote topics, so that it never reverts those of others.

Kept in a compacted topic of the target; without one (a preflight, a test) it lasts as long as the object.
"""

from collections.abc import Callable

import structlog

from replication.codecs.applied_records import AppliedSettings, decode_applied, encode_applied
from replication.domain.errors import AuthorizationError, MalformedRecordError, ReplicationError
from replication.ports.producer import RecordProducer
from replication.ports.record_log import RecordLog

log = structlog.get_logger(__name__)
_NOTHING = AppliedSettings()


class AppliedLedger:
    """Blocking; one thread at a time. Clients are opened per use and closed again, because changes are rare."""

    def __init__(
        self,
        topic: str = "",
        *,
        open_log: Callable[[], RecordLog] | None = None,
        open_producer: Callable[[], RecordProducer] | None = None,
    ) -> None:
        self._topic = topic
        self._open_log = open_log
        self._open_producer = open_producer
        self._known: dict[str, AppliedSettings] | None = None
        self._unwritten: set[str] = set()

    def of(self, remote: str) -> AppliedSettings:
        """The settings this flow applied to the remote topic. The first call may raise the errors of RecordLog."""
        return self._load().get(remote, _NOTHING)

    def put(self, remote: str, settings: AppliedSettings) -> None:
        """Set the applied settings of a topic in memory; `flush` persists them."""
        if self.of(remote) != settings:
            self._load()[remote] = settings
            self._unwritten.add(remote)

    def flush(self) -> None:
        """Persist changes. A failure is logged and retried at the next call: replication does not wait for it."""
        if self._open_producer is None or not self._unwritten:
            return
        producer = self._open_producer()
        try:
            for remote in sorted(self._unwritten):
                key, value = encode_applied(remote, self.of(remote))
                producer.send(self._topic, key=key, value=value, partition=0)
            producer.flush()
            self._unwritten.clear()
        except ReplicationError as error:
            log.warning("applied settings not persisted, will be retried", topic=self._topic, error=error.text)
        finally:
            producer.close()

    def _load(self) -> dict[str, AppliedSettings]:
        if self._known is None:
            self._known = {} if self._open_log is None else self._read(self._open_log())
        return self._known

    def _read(self, records: RecordLog) -> dict[str, AppliedSettings]:
        known: dict[str, AppliedSettings] = {}
        try:
            for record in records.read_to_end(self._topic):
                try:
                    remote, settings = decode_applied(record.key, record.value)
                except MalformedRecordError as error:
                    log.warning("record skipped", topic=self._topic, offset=record.offset, error=error.text)
                    continue
                known[remote] = settings
        except AuthorizationError as error:  # not worth stopping a flow for
            log.warning("applied settings cannot be read, none will be reverted", topic=self._topic, error=error.text)
        finally:
            records.close()
        return known
