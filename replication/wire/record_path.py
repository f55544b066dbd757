"""The record path: source batches are decoded, their records looked at where the flow asks for it, and built anew."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from aiokafka.record.memory_records import MemoryRecords

from replication.codecs.batch_rows import singly
from replication.codecs.record_batch import CorruptBatchError, batches, verify
from replication.domain.batch import CODEC_MASK, HEADER_BYTES, BatchRow, TargetRules
from replication.domain.compression import LZ4, NONE
from replication.domain.identifiers import TopicPartition
from replication.domain.record import NO_TIMESTAMP, Record
from replication.domain.record_rules import LeftOut, RecordRules, TransformError
from replication.ports.record_path import Rebuilt, RefusedRecord
from replication.wire.batch_merger import LOOSEST, BatchMerger
from replication.wire.compression import pack, unpack, with_payload
from replication.wire.lz4_batches import unpacked

LARGEST_BUILT_BYTES = 1_000_000  # a batch gains nothing by being larger, and requests stay short
OWN_CHECKSUM_BYTES = 2_048  # from that size on our checksum is quicker than the decoder's


class WireRecordPath:
    """The `RecordPath` of one slot."""

    def __init__(self, rules: RecordRules | None = None) -> None:
        """Without rules every record goes on as it is."""
        self._records = rules
        self._looseness: dict[str, float] = {}  # by topic: see BatchMerger

    def looks_at(self, topic: str) -> bool:
        return self._records is not None and self._records.concern(topic)

    def rebuild(
        self,
        upstream: TopicPartition,
        view: memoryview,
        rows: Sequence[BatchRow],
        *,
        position: int,
        rules: TargetRules,
    ) -> Rebuilt:
        known = self._looseness.get(upstream.topic, LOOSEST)
        merger = BatchMerger(min(rules.max_message_bytes, LARGEST_BUILT_BYTES), _codec(rows, rules), looseness=known)
        rebuilt = self._rebuilt(upstream, view, rows, position, merger)
        self._looseness[upstream.topic] = merger.looseness
        return rebuilt

    def _rebuilt(
        self, upstream: TopicPartition, view: memoryview, rows: Sequence[BatchRow], position: int, merger: BatchMerger
    ) -> Rebuilt:
        records = chain.from_iterable(_decoded(view, rows))
        size_bytes = sum(row.end - row.at for row in rows)
        if self._records is not None and self.looks_at(upstream.topic):
            return _look_at_each(self._records, upstream, records, position, merger, size_bytes)
        merger.take(records, position)
        return Rebuilt(merger.finish(size_bytes))

    def recompress(self, view: memoryview, batch: BatchRow, codec: int) -> bytearray:
        data = view[batch.at : batch.end]
        payload = unpack(data[HEADER_BYTES:], batch.first.attributes & CODEC_MASK)
        return with_payload(data, pack(payload, codec), codec)


def _look_at_each(
    rules: RecordRules,
    upstream: TopicPartition,
    records: Iterator[Any],
    position: int,
    merger: BatchMerger,
    size_bytes: int,
) -> Rebuilt:
    left_out = {LeftOut.FILTERED: 0, LeftOut.LOOPED: 0}
    refused: list[RefusedRecord] = []
    for decoded in records:
        if decoded.offset < position:
            continue
        timestamp = NO_TIMESTAMP if decoded.timestamp is None else decoded.timestamp
        record = Record(decoded.offset, timestamp, decoded.key, decoded.value, decoded.headers)
        try:
            kept = rules.apply(upstream, record)
        except TransformError as error:
            refused.append(RefusedRecord(record, error.text))
            if rules.stops_at_refused:
                break
        else:
            if isinstance(kept, Record):
                merger.add(kept)
            else:
                left_out[kept] += 1
    return Rebuilt(merger.finish(size_bytes), left_out[LeftOut.FILTERED], left_out[LeftOut.LOOPED], refused)


def _decoded(view: memoryview, rows: Sequence[BatchRow]) -> Iterator[Any]:
    """The decoder's batches, each checked."""
    for is_lz4, neighbours in _neighbours(rows):
        if is_lz4:
            yield from _unpacked(view[neighbours[0].at : neighbours[-1].end])
        else:
            yield from _as_they_are(view, neighbours)


def _as_they_are(view: memoryview, neighbours: Sequence[BatchRow]) -> Iterator[Any]:
    """Batches that stand next to each other, decoded in one go."""
    decoder = MemoryRecords(bytes(view[neighbours[0].at : neighbours[-1].end]))
    for row in neighbours:
        if row.first.magic >= 2 and row.end - row.at >= OWN_CHECKSUM_BYTES * row.batches:
            for at, header in batches(view[: row.end], row.at):
                verify(view, at, header)
            for _ in range(row.batches):
                yield decoder.next_batch()
            continue
        for number in range(row.batches):
            batch = decoder.next_batch()
            if not batch.validate_crc():
                header = singly(view, row)[number].first
                raise CorruptBatchError(f"checksum of the batch at offset {header.base_offset} does not fit its bytes")
            yield batch


def _unpacked(view: memoryview) -> Iterator[Any]:
    """LZ4 batches that stand next to each other."""
    decoder = MemoryRecords(bytes(unpacked(bytes(view))))
    while decoder.has_next():
        yield decoder.next_batch()


def _neighbours(rows: Sequence[BatchRow]) -> Iterator[tuple[bool, Sequence[BatchRow]]]:
    """(packed by LZ4, rows that stand next to each other and are all that, or none)."""
    first = 0
    for number, row in enumerate(rows):
        if number > first and (row.at != rows[number - 1].end or _is_lz4(row) != _is_lz4(rows[first])):
            yield _is_lz4(rows[first]), rows[first:number]
            first = number
    yield _is_lz4(rows[first]), rows[first:]


def _is_lz4(row: BatchRow) -> bool:
    return row.first.magic >= 2 and row.first.attributes & CODEC_MASK == LZ4


def _codec(rows: Sequence[BatchRow], rules: TargetRules) -> int:
    """The codec of the first batch stands for all; sets of the old formats are written plain."""
    first = rows[0].first
    return rules.codec_for(first.attributes & CODEC_MASK if first.magic >= 2 else NONE)
