"""Batches that unpack to far more than they take never hold the loop that all flows share."""

from io import BytesIO

import pytest
import zstandard
from crc32c import crc32c

from replication.codecs.record_batch import read_header
from replication.domain.batches.compression import GZIP, LZ4, SNAPPY, ZSTD
from replication.domain.batches.record_rules import RecordRules
from replication.domain.identifiers import FlowId
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.domain.settings.record_settings import RecordSettings
from replication.domain.settings.registry.records import MAX_UNPACKED_BYTES
from replication.domain.transforms.catalogue import make_transform
from replication.domain.transforms.settings import TransformSettings
from replication.tasks.rejected_records.dead_letters import OMITTED
from replication.wire.batches.compression import pack, with_payload
from replication.wire.batches.decompression import unpack
from replication.wire.batches.record_codec import Record, build_batch
from tests.support.engine.real_loop_slot import REMOTE_TOPIC, real_loop_slot
from tests.support.eventually import eventually

MB = 1024 * 1024
MERGING = RecordSettings(rebatching="always")


pytestmark = pytest.mark.slow


def bomb(plain_bytes: int, codec: int, records: int = 1) -> bytes:
    """A batch of records of zeros, as small as the codec makes it; zstd does not say the size of its frame."""
    plain = build_batch([Record(number, 1_000, None, bytes(plain_bytes), []) for number in range(records)])
    payload = _streamed(memoryview(plain)[61:]) if codec == ZSTD else pack(memoryview(plain)[61:], codec)
    data = with_payload(memoryview(plain), payload, codec)
    data[17:21] = crc32c(memoryview(data)[21:]).to_bytes(4, "big")
    return bytes(data)


def _streamed(data: memoryview) -> bytes:
    out = BytesIO()
    with zstandard.ZstdCompressor().stream_writer(out, closefd=False) as writer:
        writer.write(data)
    return out.getvalue()


def stored_payloads(batches: list[bytes]) -> list[bytes]:
    return [batch[61:] for batch in batches]


@pytest.mark.parametrize(
    ("codec", "plain_mb", "count"),
    [(ZSTD, 200, 25), (GZIP, 64, 10), (LZ4, 32, 20), (SNAPPY, 8, 10)],
    ids=["zstd", "gzip", "lz4", "snappy"],
)
def test_batches_that_would_take_long_to_merge_are_passed_on_whole(codec: int, plain_mb: int, count: int) -> None:
    data = bomb(plain_mb * MB, codec)

    with real_loop_slot(records=MERGING) as slot:
        for _ in range(count):
            assert slot.source.topics["orders"].append(0, data).error_code == 0
        slot.start()
        slot.wait_until_committed(count)

        copied = [batch.data for batch in slot.target.topics[REMOTE_TOPIC].partitions[0].batches]
        assert stored_payloads(copied) == [data[61:]] * count
        assert not slot.holds_the_loop, slot.longest_step_s


def transforming() -> RecordRules:
    settings = TransformSettings(name="t", type="insert_header", options=(("header", "h"), ("value", "v")))
    return RecordRules(flow=FlowId("a", "b"), transforms=[make_transform(settings, {})])


@pytest.mark.parametrize("way", ["transformed", "recompressed"])
def test_large_batches_that_must_be_opened_are_opened_beside_the_loop(way: str) -> None:
    data, count = bomb(60 * MB, ZSTD), 2
    rules = transforming() if way == "transformed" else None
    records = RecordSettings(rebatching="off", compression=None if rules else "gzip")

    with real_loop_slot(rules, records=records) as slot:
        for _ in range(count):
            assert slot.source.topics["orders"].append(0, data).error_code == 0
        slot.start()
        slot.wait_until_committed(count)

        copied = [batch.data for batch in slot.target.topics[REMOTE_TOPIC].partitions[0].batches]
        sizes = [len(unpack(batch[61:], read_header(memoryview(batch), 0).attributes & 7)) for batch in copied]
        assert len(copied) == count
        assert all(size > 60 * MB for size in sizes)
        assert not slot.holds_the_loop, slot.longest_step_s


@pytest.mark.parametrize("way", ["merged", "transformed", "recompressed"])
def test_an_answer_full_of_small_batches_that_hold_much_takes_many_steps(way: str) -> None:
    data, count = bomb(63_000, LZ4), 4_000
    rules = transforming() if way == "transformed" else None
    records = RecordSettings(rebatching="always", compression="none" if way == "recompressed" else None)

    with real_loop_slot(rules, records=records) as slot:
        for _ in range(count):
            assert slot.source.topics["orders"].append(0, data).error_code == 0
        slot.start()
        slot.wait_until_committed(count)

        found = sum(batch.header.records for batch in slot.target.topics[REMOTE_TOPIC].partitions[0].batches)
        assert found == count
        assert not slot.holds_the_loop, slot.longest_step_s


def test_a_large_batch_that_the_target_rejects_is_halved_beside_the_loop() -> None:
    data = bomb(30 * MB, ZSTD, records=2)

    with real_loop_slot(records=RecordSettings(rebatching="off")) as slot:
        slot.target.create(REMOTE_TOPIC, configs={"max.message.bytes": str(len(data) - 1)})
        assert slot.source.topics["orders"].append(0, data).error_code == 0
        slot.start()
        slot.wait_until_committed(2)

        copied = slot.target.topics[REMOTE_TOPIC].partitions[0].batches
        assert [batch.header.records for batch in copied] == [1, 1]
        assert not slot.holds_the_loop, slot.longest_step_s


def test_a_batch_too_large_to_open_keeps_its_codec() -> None:
    data = bomb(65 * MB, ZSTD)

    with real_loop_slot(records=RecordSettings(rebatching="off", compression="gzip")) as slot:
        assert slot.source.topics["orders"].append(0, data).error_code == 0
        slot.start()
        slot.wait_until_committed(1)

        [copied] = slot.target.topics[REMOTE_TOPIC].partitions[0].batches
        assert stored_payloads([copied.data]) == [data[61:]]


def test_a_batch_too_large_to_transform_stops_its_partition_by_name() -> None:
    with real_loop_slot(transforming()) as slot:
        assert slot.source.topics["orders"].append(0, bomb(65 * MB, ZSTD)).error_code == 0
        slot.start()

        eventually(lambda: "more than 64 MB" in str(slot.task.live), 60, "the partition says why it stops")
        assert slot.committed_to <= 0
        assert MAX_UNPACKED_BYTES.key in str(slot.task.live)


def test_a_flow_may_open_larger_batches() -> None:
    with real_loop_slot(transforming(), records=RecordSettings(max_unpacked_bytes=80 * MB)) as slot:
        assert slot.source.topics["orders"].append(0, bomb(65 * MB, ZSTD)).error_code == 0
        slot.start()
        slot.wait_until_committed(1)


def test_a_rejected_record_too_large_to_open_becomes_a_dead_letter_without_its_content() -> None:
    letters = ErrorHandling(policy="dead_letter", dead_letter_topic="letters")
    data = bomb(65 * MB, ZSTD)

    with real_loop_slot(records=RecordSettings(rebatching="off"), errors=letters) as slot:
        slot.target.create(REMOTE_TOPIC, configs={"max.message.bytes": str(len(data) - 1)})
        slot.target.create("letters")
        assert slot.source.topics["orders"].append(0, data).error_code == 0
        slot.start()
        slot.wait_until_committed(1)

        [letter] = slot.target.log("letters").records(committed=True)
        headers = dict(letter.headers)
        assert (letter.key, letter.value) == (None, None)
        assert headers[OMITTED] == b"key, value, headers"
        assert MAX_UNPACKED_BYTES.key.encode() in (headers["__connect.errors.exception.message"] or b"")
