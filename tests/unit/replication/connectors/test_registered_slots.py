"""The slots of a flow, as the producer registry of its target tells them."""

from collections.abc import Iterator

from replication.codecs.producer_registry import encode_producer
from replication.connectors.registered_slots import UsedGenerations, registered_slots
from replication.domain.identifiers import FlowId
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.domain.settings.choices import IsolationLevel
from replication.ports.record_log import LogRecord

FLOW = FlowId("a", "b")


class Registry:
    """A log of entries, and of what is none."""

    def __init__(self, *entries: tuple[str, int]) -> None:
        """Each is the source and the generation of a slot."""
        self._entries = entries
        self.reads = self.closed = 0

    def read_to_end(self, topic: str, *, isolation: IsolationLevel = "read_uncommitted") -> Iterator[LogRecord]:
        assert (topic, isolation) == ("srm-producers.internal", "read_committed")
        self.reads += 1
        yield LogRecord(topic=topic, partition=0, offset=0, key=b"nonsense", value=b"{", timestamp_ms=1)
        for number, (source, generation) in enumerate(self._entries):
            entry = RegisteredProducer(
                producer_id=number, source=source, target="b", slot=0, since_ms=1, generation=generation
            )
            key, value = encode_producer(entry)
            yield LogRecord(topic=topic, partition=0, offset=number + 1, key=key, value=value, timestamp_ms=1)

    def newest(self, topic: str, partition: int = 0) -> LogRecord | None:
        raise NotImplementedError

    def at(self, topic: str, partition: int, offset: int) -> LogRecord | None:
        raise NotImplementedError

    def read_from(
        self,
        topic: str,
        partition: int,
        offset: int,
        *,
        end: int | None = None,
        isolation: IsolationLevel = "read_uncommitted",
    ) -> Iterator[LogRecord]:
        raise NotImplementedError

    def close(self) -> None:
        self.closed += 1


def test_only_readable_entries_of_the_flow_are_returned() -> None:
    found = registered_slots(Registry(("a", 1), ("c", 9), ("a", 2)), FLOW)

    assert [entry.generation for entry in found] == [1, 2]


def test_the_newest_generation_is_read_once() -> None:
    registry = Registry(("a", 1), ("a", 4), ("c", 9), ("a", 2))
    used = UsedGenerations(FLOW, lambda: registry)

    assert [used.newest(), used.newest()] == [(4, 0), (4, 0)]
    assert (registry.reads, registry.closed) == (1, 1)


def test_without_entries_or_without_a_log_no_generation_has_run() -> None:
    assert UsedGenerations(FLOW, Registry).newest() == (0, 0)
    assert UsedGenerations(FLOW).newest() == (0, 0)
