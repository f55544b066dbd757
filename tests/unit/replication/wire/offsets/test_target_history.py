"""The history of earlier copies, read from a flow's internal topics."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar, cast

from replication.codecs.gap_records import encode_gap
from replication.codecs.mm2_records import OffsetSync, encode_offset_sync
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.ports.fetch.batch_fetcher import FetchedPartition
from replication.ports.fetch.metadata import TopicLeaders
from replication.ports.offsets.target_history import LastRun
from replication.wire.batches.record_codec import build_batch
from replication.wire.fetch.fetch_request import FetchAnswer
from replication.wire.network.error_translation import for_code
from replication.wire.offsets.target_history import WireTargetHistory
from tests.support.engine.virtual_loop import VirtualLoop

ORDERS, OTHERS = TopicPartition("orders", 0), TopicPartition("others", 3)
TOPIC, DENIED = "books", 29
Pair = tuple[bytes | None, bytes | None]
T = TypeVar("T")


class FlowTopics:
    """A cluster with one of a flow's own topics; a part of the `ClusterLink`."""

    alias = "b"

    def __init__(self, *records: Pair, code: int = 0) -> None:
        self._records, self._code = records, code

    async def describe(self, topics: list[str]) -> dict[str, TopicLeaders]:
        return {TOPIC: TopicLeaders(TOPIC, bytes([1] * 16), {0: 1}, None)}

    async def offsets(self, at: Mapping[TopicPartition, str]) -> dict[TopicPartition, int]:
        return {each: 7 if wanted == "earliest" else 7 + len(self._records) for each, wanted in at.items()}

    async def send(self, request: Any, node: int, *, doing: str) -> FetchAnswer:
        data = build_batch([Record(at, 1, key, value, ()) for at, (key, value) in enumerate(self._records)])
        data[0:8] = (7).to_bytes(8, "big")
        part = FetchedPartition(TOPIC, b"", 0, self._code, 9, 9, 7, (), -1, None, memoryview(data))
        return FetchAnswer(throttle_time_ms=0, error_code=0, session_id=0, partitions=[part], frame=None)

    def check(self, code: int, doing: str) -> None:
        if code:
            raise for_code(code, cluster=self.alias, doing=doing)


def ask(question: Callable[[WireTargetHistory], Coroutine[Any, Any, T]], target: FlowTopics, syncs: FlowTopics) -> T:
    loop = VirtualLoop()
    history = WireTargetHistory(cast("Any", loop), cast("Any", target), cast("Any", syncs))
    answers: list[T] = []

    async def asking() -> None:
        answers.append(await question(history))

    task = loop.spawn(asking())
    loop.run_until(lambda: task.done)
    if task.error is not None:
        raise task.error
    return answers[0]


def sync(upstream: TopicPartition, offset: int) -> Pair:
    return encode_offset_sync(OffsetSync(upstream=upstream, upstream_offset=offset, downstream_offset=1))


def gap(upstream: TopicPartition, from_offset: int) -> Gap:
    return Gap(
        source="a",
        target="b",
        topic=upstream.topic,
        topic_id=bytes(16),
        partition=upstream.partition,
        cause="retention",
        from_offset=from_offset,
        to_offset=99,
        count=1,
        detected_ms=from_offset,
        policy="stop",
    )


def test_the_newest_offset_sync_counts_where_the_syncs_are_kept() -> None:
    removed = (sync(ORDERS, 9)[0], None)
    syncs = FlowTopics(sync(ORDERS, 5), sync(OTHERS, 80), sync(ORDERS, 9), (b"odd", b"odd"), (None, b"odd"), removed)

    found = ask(lambda history: history.last_syncs(TOPIC, [ORDERS]), FlowTopics(), syncs)

    assert found == {ORDERS: 9}


def test_offset_syncs_that_may_not_be_read_tell_nothing() -> None:
    syncs = FlowTopics(sync(ORDERS, 5), code=DENIED)

    assert ask(lambda history: history.last_syncs(TOPIC, [ORDERS]), FlowTopics(), syncs) is None


def test_the_newest_gap_of_a_partition_counts() -> None:
    target = FlowTopics(*(encode_gap(gap(ORDERS, at)) for at in (10, 20)), encode_gap(gap(OTHERS, 30)), (b"k", b"odd"))

    assert ask(lambda history: history.last_gaps(TOPIC, [ORDERS]), target, FlowTopics()) == {ORDERS: gap(ORDERS, 20)}


def test_segments_come_in_the_order_they_were_written_and_removed_ones_as_none() -> None:
    first, second = (RunSegment("orders", 0, bytes(16), (OffsetRun(at, at, 5),)) for at in (0, 10))
    foreign = RunSegment("others", 0, bytes(16), first.runs)
    key = encode_key(first)
    written = [(encode_key(each), encode_value(each)) for each in (first, foreign, second)]
    target = FlowTopics(*written, (key, None), (encode_key(second), b"odd"))
    taken: list[tuple[bytes, RunSegment | None]] = []

    def give(key: bytes, segment: RunSegment | None) -> None:
        taken.append((key, segment))

    ask(lambda history: history.read_runs(TOPIC, [ORDERS], give), target, FlowTopics())

    assert taken == [(key, first), (encode_key(second), second), (key, None)]


def test_the_end_of_the_newest_run_of_each_partition_is_found() -> None:
    first, second = (RunSegment("orders", 0, bytes([9] * 16), (OffsetRun(at, at + 3, 5),)) for at in (0, 10))
    grown = RunSegment("orders", 0, second.topic_id, (*second.runs, OffsetRun(20, 24, 7)))
    foreign = RunSegment("others", 0, bytes(16), first.runs)
    written = [(encode_key(each), encode_value(each)) for each in (second, first, grown, foreign)]
    target = FlowTopics(*written, (None, b"odd"), (encode_key(grown), None), (b"odd", b"odd"))

    found = ask(lambda history: history.last_runs(TOPIC, [ORDERS]), target, FlowTopics())

    assert found == {ORDERS: LastRun(second.topic_id, 27, 31)}


def test_runs_that_cannot_be_read_tell_nothing() -> None:
    segment = RunSegment("orders", 0, bytes(16), (OffsetRun(0, 3, 5),))
    target = FlowTopics((encode_key(segment), b"odd"))

    assert ask(lambda history: history.last_runs(TOPIC, [ORDERS]), target, FlowTopics()) == {}
