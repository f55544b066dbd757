"""The producers whose batches a slot drops, and the times at which it reads the registry."""

import asyncio
from collections.abc import Sequence

import pytest

from replication.codecs.producer_registry import decode_producer, encode_producer
from replication.domain.errors import MalformedRecordError, RetriableError
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.domain.settings.record_settings import RecordSettings
from replication.tasks.batches.loop_protection import LoopProtection
from tests.unit.replication.tasks.intake import context, stored

WATCHING = RecordSettings(loop_protection="producer_ids")
NEVER_BEFORE = 1_000_000.0  # an answer that came after every look there was


class Registry:
    """Of cluster a, the source of the flow a->b."""

    def __init__(self, *entries: RegisteredProducer) -> None:
        self.entries = list(entries)
        self.reads = 0
        self.fails = False

    async def read(self) -> Sequence[RegisteredProducer]:
        self.reads += 1
        if self.fails:
            raise RetriableError("the registry has no leader")
        return self.entries

    def close(self) -> None: ...


def producer(number: int, source: str, target: str = "a") -> RegisteredProducer:
    return RegisteredProducer(producer_id=number, source=source, target=target, slot=0, since_ms=5)


def meets(loops: LoopProtection, *producers: int) -> None:
    """A fetch brings batches of these producers."""
    brings(loops, NEVER_BEFORE, *producers)


def brings(loops: LoopProtection, heard_s: float, *producers: int) -> None:
    """A partition of the answer that came at this moment."""
    records = b"".join(bytes(stored(number * 10, 2, producer_id=one)) for number, one in enumerate(producers))
    asyncio.run(loops.learn_producers(memoryview(bytearray(records)), heard_s))


def test_only_what_the_flow_back_wrote_is_dropped() -> None:
    registry = Registry(producer(7, "b"), producer(8, "c"))
    loops = LoopProtection(context(WATCHING, producers=registry))

    meets(loops, 7, 8, 9, -1)

    assert [one for one in (7, 8, 9, -1) if one in loops.looped] == [7]


def test_flows_from_other_clusters_are_skipped_where_that_is_asked_for() -> None:
    registry = Registry(producer(7, "b"), producer(8, "c"))
    settings = RecordSettings(loop_protection="producer_ids", loop_origins=("c",))
    loops = LoopProtection(context(settings, producers=registry))

    meets(loops, 7, 8, 9)

    assert [one for one in (7, 8, 9) if one in loops.looped] == [7, 8]


def test_the_registry_is_read_once_per_producer_not_met_before() -> None:
    registry = Registry(producer(7, "b"))
    loops = LoopProtection(context(WATCHING, producers=registry))

    meets(loops, 9)
    meets(loops, 9, -1)
    meets(loops, 7, 9)
    assert registry.reads == 1  # the first look brought 7 as well
    registry.entries.append(producer(10, "b"))
    meets(loops, 10)

    assert registry.reads == 2
    assert 10 in loops.looped


def test_one_look_serves_all_that_an_answer_brings() -> None:
    registry = Registry(producer(7, "b"))
    loops = LoopProtection(context(WATCHING, producers=registry))

    for number in (7, 8, 9):
        brings(loops, 0.5, number)
    assert registry.reads == 1
    assert [one for one in (7, 8, 9) if one in loops.looped] == [7]
    registry.entries.append(producer(10, "b"))
    brings(loops, 1.5, 10)

    assert registry.reads == 2  # it began behind the answer that came at 1.5 s, and the first one before
    assert 10 in loops.looped


def test_a_failed_lookup_is_not_used() -> None:
    registry = Registry(producer(7, "b"))
    loops = LoopProtection(context(WATCHING, producers=registry))
    registry.fails = True

    for _ in range(2):
        with pytest.raises(RetriableError):
            brings(loops, 0.5, 7)

    assert registry.reads == 2


def test_without_producers_or_without_protection_the_registry_is_never_read() -> None:
    registry = Registry(producer(7, "b"))
    watching, unprotected = LoopProtection(context(WATCHING, producers=registry)), LoopProtection(context())

    meets(watching, -1)
    meets(unprotected, 7)

    assert registry.reads == 0
    assert 7 not in unprotected.looped


def test_no_batch_is_judged_while_the_registry_cannot_be_read() -> None:
    registry = Registry(producer(7, "b"))
    loops = LoopProtection(context(WATCHING, producers=registry))
    registry.fails = True

    with pytest.raises(RetriableError):
        meets(loops, 7)
    registry.fails = False
    meets(loops, 7)

    assert 7 in loops.looped


def test_registry_entries_survive_their_encoding_and_accept_more_fields() -> None:
    entry = producer(7, "b")
    key, value = encode_producer(entry)

    assert decode_producer(key, value) == entry
    assert decode_producer(key, b'{"v":1,"source":"b","target":"a","slot":0,"since_ms":5}') == entry
    assert decode_producer(key, value.replace(b'{"v":1', b'{"v":2,"new":[]')) == entry
    assert decode_producer(key, None) is None


@pytest.mark.parametrize(("key", "value"), [(b"7", b"no json"), (b"x", b"{}"), (None, b"[]"), (b"7", b'{"v":1}')])
def test_entries_that_make_no_sense_are_named(key: bytes | None, value: bytes) -> None:
    with pytest.raises(MalformedRecordError, match="producer registry"):
        decode_producer(key, value)
