"""Reads the slots of a flow from the producer registry of its target."""

from collections.abc import Callable

from replication.codecs.producer_registry import decode_producer
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.ports.record_log import LogRecord, RecordLog


def registered_slots(log: RecordLog, flow: FlowId) -> list[RegisteredProducer]:
    """Return the entries of the flow; a missing registry has none. Raises the errors of RecordLog."""
    records = log.read_to_end(PRODUCERS_TOPIC, isolation="read_committed")
    return [entry for record in records if (entry := _entry(record)) is not None and entry.flow == flow]


class UsedGenerations:
    """Reads once which generations of a flow have run: a plan that was lost must not come back with an old number."""

    def __init__(self, flow: FlowId, open_log: Callable[[], RecordLog] | None = None) -> None:
        """Without a log (a preflight, a test) no generation has run."""
        self._flow = flow
        self._open_log = open_log
        self._newest: tuple[int, int] | None = None

    def newest(self) -> tuple[int, int]:
        """The newest generation of which a slot has started, and its newest layout; (0, 0) when there is none."""
        if self._newest is None:
            self._newest = (0, 0) if self._open_log is None else self._read(self._open_log())
        return self._newest

    def _read(self, log: RecordLog) -> tuple[int, int]:
        try:
            slots = registered_slots(log, self._flow)
            return max(((entry.generation, entry.layout) for entry in slots), default=(0, 0))
        finally:
            log.close()


def _entry(record: LogRecord) -> RegisteredProducer | None:
    try:
        return decode_producer(record.key, record.value)
    except MalformedRecordError:
        return None
