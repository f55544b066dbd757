"""The record path: source batches are decoded, their records looked at where the flow asks for it, and built anew."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from aiokafka.record.memory_records import MemoryRecords

from replication.codecs.record_batch import CorruptBatchError, verify
from replication.domain.batch import CODEC_MASK, HEADER_BYTES, LENGTH_OVERHEAD_BYTES, TargetRules
from replication.domain.compression import NONE
from replication.domain.identifiers import TopicPartition
from replication.domain.record import NO_TIMESTAMP, Record
from replication.domain.record_rules import LeftOut, RecordRules, TransformError
from replication.ports.record_path import Rebuilt, RefusedRecord, SourceBatch
from replication.wire.batch_merger import BatchMerger
from replication.wire.compression import pack, unpack, with_payload

LARGEST_BUILT_BYTES = 1_000_000  # a batch gains nothing by being larger, and requests stay short
OWN_CHECKSUM_BYTES = 2_048  # from that size on our checksum is quicker than the decoder's


class WireRecordPath:
    """The `RecordPath` of one slot."""

    def __init__(self, rules: RecordRules | None = None) -> None:
        """Without rules every record goes on as it is."""
        self._records = rules

    def looks_at(self, topic: str) -> bool:
        return self._records is not None and self._records.concern(topic)

    def rebuild(
        self,
        upstream: TopicPartition,
        view: memoryview,
        batches: Sequence[SourceBatch],
        *,
        position: int,
        rules: TargetRules,
    ) -> Rebuilt:
        merger = BatchMerger(min(rules.max_message_bytes, LARGEST_BUILT_BYTES), _codec(batches, rules))
        records = chain.from_iterable(_decoded(view, batches))
        size_bytes = sum(header.length + LENGTH_OVERHEAD_BYTES for _at, header in batches)
        if self._records is not None and self.looks_at(upstream.topic):
            return _look_at_each(self._records, upstream, records, position, merger, size_bytes)
        merger.take(records, position)
        return Rebuilt(merger.finish(size_bytes))

    def recompress(self, view: memoryview, batch: SourceBatch, codec: int) -> bytearray:
        at, header = batch
        data = view[at : at + header.size_bytes]
        payload = unpack(data[HEADER_BYTES:], header.attributes & CODEC_MASK)
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


def _decoded(view: memoryview, batches: Sequence[SourceBatch]) -> Iterator[Any]:
    """The decoder's batches, each checked; those that stand next to each other are decoded in one go."""
    for start, end, members in _neighbours(batches):
        decoder = MemoryRecords(bytes(view[start:end]))
        for at, header in members:
            batch = decoder.next_batch()
            if header.magic >= 2 and header.length >= OWN_CHECKSUM_BYTES:
                verify(view, at, header)
            elif not batch.validate_crc():
                raise CorruptBatchError(f"checksum of the batch at offset {header.base_offset} does not fit its bytes")
            yield batch


def _neighbours(batches: Sequence[SourceBatch]) -> Iterator[tuple[int, int, Sequence[SourceBatch]]]:
    first, end = 0, batches[0][0]
    for number, (at, header) in enumerate(batches):
        if at != end:
            yield batches[first][0], end, batches[first:number]
            first = number
        end = at + header.length + LENGTH_OVERHEAD_BYTES
    yield batches[first][0], end, batches[first:]


def _codec(batches: Sequence[SourceBatch], rules: TargetRules) -> int:
    """The codec of the first batch stands for all; sets of the old formats are written plain."""
    _at, first = batches[0]
    return rules.codec_for(first.attributes & CODEC_MASK if first.magic >= 2 else NONE)
