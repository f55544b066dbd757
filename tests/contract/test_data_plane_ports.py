"""The behaviour of every adapter of the data plane's ports, in memory and on a real broker."""

import time
import uuid

import pytest

from replication.codecs.record_batch import batches
from replication.domain.batches.batch_decision import LOG_APPEND_TIME_BIT
from replication.domain.errors import ClusterUnreachableError, FencedError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.offsets.leader_epochs import EpochEnd
from replication.domain.offsets.positions import Position
from replication.domain.settings.choices import IsolationLevel
from replication.memory.broker import MemoryCluster
from replication.ports.fetch.batch_fetcher import BatchFetcher, FetchedPartition, FetchPosition
from replication.wire.batches.record_codec import decode_records
from replication.wire.produce import transactions
from tests.contract.control_ports import BOTH
from tests.contract.data_plane_ports import NODE, NOW_MS, DataPlane, MemoryPlane, WirePlane, batch, send

OUT_OF_RANGE, UNKNOWN_TOPIC, TOO_LARGE, UNKNOWN_TOPIC_ID, INVALID_RECORD = 1, 3, 10, 100, 87
OUT_OF_ORDER, FENCED_EPOCH, INVALID_TXN_STATE, TRANSACTION_ABORTABLE = 45, 47, 48, 120
ORDERS, OTHERS = TopicPartition("orders", 0), TopicPartition("others", 3)
SWEEP_S = 4.0  # the coordinator of the shared cluster looks for expired transactions every second


def memory_cannot(request: pytest.FixtureRequest, why: str) -> None:
    """A known gap of the memory family, which has to fail."""
    if request.node.callspec.params["plane"] == "memory":
        request.applymarker(pytest.mark.xfail(reason=why, strict=True))


def write(plane: DataPlane, topic: str, *sizes: int) -> None:
    """Batches of so many records without a producer, one after another."""
    slot = plane.slot()
    for number, size in enumerate(sizes):
        data = batch([b"%d" % (10 * number + at) for at in range(size)])
        assert plane.run(lambda data=data: send(slot, topic, data)).error_code == 0  # type: ignore[misc]


def fetch_once(plane: DataPlane, fetcher: BatchFetcher, position: FetchPosition) -> FetchedPartition | None:
    """The partition's part of one answer; None where the answer has none."""

    async def fetching() -> FetchedPartition | None:
        fetcher.want(NODE, position)
        fetched = await fetcher.fetch(NODE, max_wait_ms=300, max_bytes=2**20, partition_max_bytes=2**20)
        parts = [part._replace(records=part.records and memoryview(bytes(part.records))) for part in fetched.partitions]
        if fetched.frame is not None:
            fetched.frame.release()
        return parts[0] if parts else None

    return plane.run(fetching)


# a broker's answers for a topic that it has not opened yet
NOT_READY = (KafkaErrorCode.NOT_LEADER_OR_FOLLOWER, KafkaErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def fetched(
    plane: DataPlane, topic: str, topic_id: bytes, offset: int, epoch: int = -1, isolation: str = "read_uncommitted"
) -> FetchedPartition:
    level: IsolationLevel = "read_committed" if isolation == "read_committed" else "read_uncommitted"
    found: FetchedPartition | None = None
    for _ in range(50):
        found = fetch_once(plane, plane.fetcher(level), FetchPosition(topic, topic_id, 0, offset, epoch))
        if found is None or found.error_code not in NOT_READY:
            break
        time.sleep(0.1)
    assert found is not None
    return found


def values(part: FetchedPartition) -> list[bytes | None]:
    return [record.value for record in decode_records(part.records or b"")]


def test_one_partition_may_get_less_than_the_bound_of_all_but_for_its_first_batch(plane: DataPlane, topic: str) -> None:
    topic_id = plane.create(topic)
    write(plane, topic, 3, 2)
    fetched(plane, topic, topic_id, 0)
    part = fetch_once(plane, plane.fetcher("read_uncommitted"), FetchPosition(topic, topic_id, 0, 0, -1, most_bytes=1))

    assert part is not None
    assert values(part) == [b"0", b"1", b"2"]


def test_a_fetch_begins_with_the_batch_that_holds_the_offset(plane: DataPlane, topic: str) -> None:
    topic_id = plane.create(topic)
    write(plane, topic, 3, 2, 2)

    part = fetched(plane, topic, topic_id, 4)

    headers = [header for _at, header in batches(part.records or memoryview(b""))]
    assert [(header.base_offset, header.records) for header in headers] == [(3, 2), (5, 2)]
    assert all(header.leader_epoch == 0 for header in headers)
    assert (part.error_code, part.high_watermark, part.log_start_offset) == (0, 7, 0)


def test_a_fetch_at_the_end_waits_and_brings_nothing(plane: DataPlane, topic: str) -> None:
    topic_id = plane.create(topic)
    write(plane, topic, 3)

    fetcher = plane.fetcher()
    part = fetch_once(plane, fetcher, FetchPosition(topic, topic_id, 0, 3, -1))

    assert part is None or (part.error_code, part.records or b"") == (0, b"")


@pytest.mark.parametrize("offset", [0, 9])
def test_an_offset_outside_of_the_log_is_out_of_range(plane: DataPlane, topic: str, offset: int) -> None:
    topic_id = plane.create(topic)
    write(plane, topic, 3, 2)
    plane.delete_before(topic, 3)

    assert fetched(plane, topic, topic_id, offset).error_code == OUT_OF_RANGE
    assert fetched(plane, topic, topic_id, 3).log_start_offset == 3


def test_a_topic_id_that_no_topic_has_is_unknown(plane: DataPlane, topic: str) -> None:
    plane.create(topic)
    write(plane, topic, 1)

    assert fetched(plane, topic, uuid.uuid4().bytes, 0).error_code == UNKNOWN_TOPIC_ID


def test_a_reader_of_what_the_leader_never_had_is_told_where_they_part(plane: DataPlane, topic: str) -> None:
    topic_id = plane.create(topic)
    write(plane, topic, 3)

    part = fetched(plane, topic, topic_id, 5, epoch=0)

    assert (part.error_code, part.diverging, part.records or b"") == (0, EpochEnd(0, 3), b"")


def test_a_leader_names_the_end_of_an_epoch_and_rejects_readers_of_epochs_it_never_had(
    plane: DataPlane, topic: str
) -> None:
    topic_id = plane.create(topic)
    write(plane, topic, 3)
    here, missing = TopicPartition(topic, 0), TopicPartition(f"{topic}-missing", 0)

    source = plane.metadata()

    assert fetched(plane, topic, topic_id, 2, epoch=99).error_code == OUT_OF_RANGE
    assert plane.run(lambda: source.epoch_ends({here: 0, missing: 0})) == {here: EpochEnd(0, 3)}
    assert plane.run(lambda: source.epoch_ends({here: 99})) == {here: EpochEnd(-1, -1)}


def test_a_forgotten_partition_is_not_fetched(plane: DataPlane, topic: str) -> None:
    topic_id = plane.create(topic)
    write(plane, topic, 3)
    fetcher = plane.fetcher()
    fetch_once(plane, fetcher, FetchPosition(topic, topic_id, 0, 0, -1))

    plane.run(lambda: _forget(fetcher, topic, topic_id))

    assert not fetcher.wants_any(NODE)


async def _forget(fetcher: BatchFetcher, topic: str, topic_id: bytes) -> None:
    fetcher.forget(NODE, topic, topic_id, 0)


def test_metadata_names_ids_and_leaders_and_the_error_of_what_is_missing(plane: DataPlane, topic: str) -> None:
    topic_id = plane.create(topic, 2)
    metadata = plane.metadata()

    found = plane.run(lambda: metadata.describe([topic, f"{topic}-missing"]))

    assert (found[topic].topic_id, dict(found[topic].leaders), found[topic].error) == (
        topic_id,
        {0: NODE, 1: NODE},
        None,
    )
    assert found[f"{topic}-missing"].error == "UNKNOWN_TOPIC_OR_PARTITION"
    assert plane.run(lambda: metadata.describe([topic], NODE))[topic].topic_id == topic_id


def test_offsets_are_those_of_the_log_and_of_timestamps(plane: DataPlane, topic: str) -> None:
    plane.create(topic)
    write(plane, topic, 3)
    place = TopicPartition(topic, 0)
    metadata = plane.metadata()

    asked = ("earliest", "latest", NOW_MS + 15, NOW_MS + 99)
    found = [plane.run(lambda at=at: metadata.offsets({place: at}))[place] for at in asked]  # type: ignore[misc]

    assert found == [0, 3, 2, -1]


def test_a_repeated_batch_is_answered_with_its_first_offset_and_a_gap_is_refused(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    plane.create(topic)
    slot = plane.slot()

    async def producing() -> list[tuple[int, int]]:
        identity = await slot.transactions.fence(slot_id)
        answers = [await send(slot, topic, batch([b"a", b"b"], identity, at)) for at in (0, 2, 0, 6)]
        return [(answer.error_code, answer.base_offset) for answer in answers]

    assert plane.run(producing) == [(0, 0), (0, 2), (0, 0), (OUT_OF_ORDER, -1)]


def test_a_refused_batch_is_named_and_leaves_the_sequence_as_it_is(plane: DataPlane, topic: str, slot_id: str) -> None:
    plane.create(topic, max_message_bytes="1000")
    slot = plane.slot()

    async def producing() -> list[int]:
        identity = await slot.transactions.fence(slot_id)
        large = await send(slot, topic, batch([bytes(2_000)], identity, 0))
        small = await send(slot, topic, batch([b"a"], identity, 0))
        missing = await send(slot, f"{topic}-missing", batch([b"a"], identity, 0))
        return [large.error_code, small.error_code, missing.error_code]

    assert plane.run(producing) == [TOO_LARGE, 0, UNKNOWN_TOPIC]


def test_a_compacted_topic_takes_no_record_without_a_key(plane: DataPlane, topic: str) -> None:
    plane.create(topic, cleanup_policy="compact")
    slot = plane.slot()

    assert plane.run(lambda: send(slot, topic, batch([b"a"], keys=False))).error_code == INVALID_RECORD


def test_a_committed_transaction_is_seen_and_an_open_one_holds_committed_readers_back(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    topic_id = plane.create(topic)
    plane.create(f"mm2-offsets.{topic}.internal")
    place = TopicPartition(topic, 0)
    slot = plane.slot()
    committed, all_records = plane.metadata("read_committed"), plane.metadata()

    async def opening() -> tuple[int, int | None]:
        identity = await slot.transactions.fence(slot_id)
        assert await slot.transactions.add_partitions([place]) == {}
        answer = await send(slot, topic, batch([b"a", b"b"], identity, 0, transactional=True), transactional=True)
        assert answer.error_code == 0
        return identity.producer_id, await all_records.open_producer(place, 0)

    owner, found = plane.run(opening)
    assert found == owner
    assert plane.run(lambda: committed.offsets({place: "latest"})) == {place: 0}
    assert plane.run(lambda: all_records.offsets({place: "latest"})) == {place: 2}

    position = {ORDERS: Position(next_offset=2)}
    plane.run(lambda: slot.positions.commit(f"mm2-offsets.{topic}.internal", topic, position, transactional=True))

    part = fetched(plane, topic, topic_id, 0, isolation="read_committed")
    assert (values(part), part.aborted) == ([b"a", b"b"], ())


def test_an_aborted_transaction_is_named_to_committed_readers(plane: DataPlane, topic: str, slot_id: str) -> None:
    topic_id = plane.create(topic)
    slot = plane.slot()

    async def aborting() -> int:
        identity = await slot.transactions.fence(slot_id)
        await slot.transactions.add_partitions([TopicPartition(topic, 0)])
        await send(slot, topic, batch([b"a"], identity, 0, transactional=True), transactional=True)
        await slot.transactions.abort()
        await slot.transactions.abort()  # nothing is open any more, which is no error
        renewed = await slot.transactions.renew()
        assert (renewed.producer_id, renewed.epoch) == (identity.producer_id, identity.epoch + 1)
        return identity.producer_id

    producer_id = plane.run(aborting)

    part = fetched(plane, topic, topic_id, 0, isolation="read_committed")
    assert part.aborted == ((producer_id, 0),)
    assert values(part) == [b"a"]
    (_at, marker), *_ = batches(fetched(plane, topic, topic_id, 1).records or memoryview(b""))
    assert marker.is_control


def test_a_transactional_batch_needs_its_partition_in_the_transaction(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    plane.create(topic)
    slot = plane.slot()

    async def producing() -> int:
        identity = await slot.transactions.fence(slot_id)
        return (await send(slot, topic, batch([b"a"], identity, 0, transactional=True), transactional=True)).error_code

    assert plane.run(producing) in (INVALID_TXN_STATE, TRANSACTION_ABORTABLE)


def test_a_missing_partition_is_refused_and_the_others_join(plane: DataPlane, topic: str, slot_id: str) -> None:
    plane.create(topic)
    slot = plane.slot()
    here, missing = TopicPartition(topic, 0), TopicPartition(f"{topic}-missing", 0)

    async def joining() -> tuple[dict[TopicPartition, int], int]:
        identity = await slot.transactions.fence(slot_id)
        refused = dict(await slot.transactions.add_partitions([here, missing]))
        sent = await send(slot, topic, batch([b"a"], identity, 0, transactional=True), transactional=True)
        return refused, sent.error_code

    assert plane.run(joining) == ({missing: UNKNOWN_TOPIC}, 0)


def test_a_new_owner_aborts_the_open_transaction_and_shuts_the_old_one_out(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    topic_id = plane.create(topic, 2)
    positions = f"mm2-offsets.{topic}.internal"
    plane.create(positions)
    old, new = plane.slot(), plane.slot()
    place = TopicPartition(topic, 0)

    async def taking_over() -> tuple[int, int]:
        before = await old.transactions.fence(slot_id)
        await old.transactions.add_partitions([place])
        await send(old, topic, batch([b"a"], before, 0, transactional=True), transactional=True)
        after = await new.transactions.fence(slot_id)
        assert after.producer_id == before.producer_id
        assert after.epoch > before.epoch
        late = await send(old, topic, batch([b"b"], before, 1, transactional=True), transactional=True)
        plain = await send(old, topic, batch([b"b"], before, 1))
        return late.error_code, plain.error_code

    assert plane.run(taking_over) == (FENCED_EPOCH, FENCED_EPOCH)
    with pytest.raises(FencedError):
        plane.run(lambda: old.transactions.add_partitions([TopicPartition(topic, 1)]))
    with pytest.raises(FencedError):
        plane.run(lambda: old.transactions.renew())
    with pytest.raises(FencedError):
        plane.run(lambda: old.positions.commit(positions, topic, {ORDERS: Position(next_offset=1)}, transactional=True))
    assert fetched(plane, topic, topic_id, 0, isolation="read_committed").aborted
    assert plane.run(lambda: new.positions.read(positions, topic)) == {}


def test_a_transaction_past_its_time_out_counts_as_aborted(
    plane: DataPlane, topic: str, slot_id: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    memory_cannot(request, "a coordinator in memory expires no transaction")
    monkeypatch.setattr(transactions, "TRANSACTION_TIMEOUT_MS", 1_000)
    plane.create(topic)
    slot = plane.slot()

    async def expiring() -> None:
        await slot.transactions.fence(slot_id)
        await slot.transactions.add_partitions([TopicPartition(topic, 0)])
        await plane.loop.sleep(SWEEP_S)
        await slot.positions.commit(topic, "a", {ORDERS: Position(next_offset=1)}, transactional=True)

    with pytest.raises(TransactionAbortedError):
        plane.run(expiring)


def test_a_topic_of_log_append_time_stamps_its_batches(
    plane: DataPlane, topic: str, request: pytest.FixtureRequest
) -> None:
    memory_cannot(request, "a log in memory keeps the timestamps of producers")
    topic_id = plane.create(topic, message_timestamp_type="LogAppendTime")
    write(plane, topic, 1)

    (_at, header), *_ = batches(fetched(plane, topic, topic_id, 0).records or memoryview(b""))

    assert header.attributes & LOG_APPEND_TIME_BIT


@pytest.mark.timeout(60)
@pytest.mark.parametrize("family", BOTH)
def test_a_dead_cluster_is_named(family: str) -> None:
    cluster = MemoryCluster("b")
    cluster.is_up = False
    plane: DataPlane = MemoryPlane(cluster) if family == "memory" else WirePlane("127.0.0.1:1")
    try:
        with pytest.raises(ClusterUnreachableError, match="cluster b"):
            plane.metadata()
    finally:
        plane.close()
