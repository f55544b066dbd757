"""The record path: batches rebuilt from the records of others, which are decoded where the flow asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from replication.codecs.record_batch import CorruptBatchError
from replication.domain.batches.batch_decision import CODEC_MASK, HEADER_BYTES, BatchRow, TargetRules
from replication.domain.batches.compression import NONE
from replication.domain.batches.record import NO_TIMESTAMP, Record
from replication.domain.batches.record_rules import RecordRules, SkipReason, TransformError
from replication.domain.identifiers import TopicPartition
from replication.ports.batches.record_path import FailedTransform, Rebuilt
from replication.wire.batches import splicing
from replication.wire.batches.batch_decoder import decoded
from replication.wire.batches.batch_merger import BatchMerger
from replication.wire.batches.built_batches import LOOSEST, BuiltBatches
from replication.wire.batches.compression import pack, with_payload
from replication.wire.batches.decompression import unpack

if TYPE_CHECKING:
    from replication.wire.batches.record_splicer import RecordSplicer

LARGEST_BUILT_BYTES = 1_000_000  # a batch gains nothing by being larger, and requests stay short
SPLICED_MAGIC = 2  # other message formats are decoded


class WireRecordPath:
    """The `RecordPath` of one slot."""

    def __init__(self, rules: RecordRules | None = None) -> None:
        """Without rules every record stays as it is."""
        self._records = rules
        self._looseness: dict[str, float] = {}  # by topic: see BuiltBatches

    def decodes(self, topic: str) -> bool:
        return self._records is not None and self._records.applies_to(topic)

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
        largest_bytes = min(rules.max_message_bytes, LARGEST_BUILT_BYTES)
        built = BuiltBatches(largest_bytes, _codec(rows, rules), looseness=known)
        rebuilt = self._rebuilt(upstream, view, rows, position, built)
        self._looseness[upstream.topic] = built.looseness
        return rebuilt

    def _rebuilt(
        self, upstream: TopicPartition, view: memoryview, rows: Sequence[BatchRow], position: int, built: BuiltBatches
    ) -> Rebuilt:
        size_bytes = sum(row.end - row.at for row in rows)
        if self._records is not None and self.decodes(upstream.topic):
            return _apply_rules(self._records, upstream, decoded(view, rows), position, built, size_bytes)
        splicer_type = splicing.SPLICER
        if splicer_type is not None and all(row.first.magic == SPLICED_MAGIC for row in rows):
            _splice(splicer_type(built.limit_bytes, unpack, built.add), view, rows, position)
        else:
            merger = BatchMerger(built)
            merger.extend(decoded(view, rows), position)
            merger.close()
        return Rebuilt(built.finish(size_bytes))

    def recompress(self, view: memoryview, batch: BatchRow, codec: int) -> bytearray:
        data = view[batch.at : batch.end]
        payload = unpack(data[HEADER_BYTES:], batch.first.attributes & CODEC_MASK)
        if not payload and batch.first.records > 0:
            raise CorruptBatchError(f"the batch at offset {batch.first.base_offset} unpacks to nothing")
        return with_payload(data, pack(payload, codec), codec)


def _splice(splicer: RecordSplicer, view: memoryview, rows: Sequence[BatchRow], position: int) -> None:
    """Merge the rows, contiguous ones in one call."""
    at = rows[0].at
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        if following is None or following.at != row.end:
            splicer.extend(view[at : row.end], position)
            at = row.end if following is None else following.at
    splicer.close()


def _apply_rules(
    rules: RecordRules,
    upstream: TopicPartition,
    records: Iterator[Any],
    position: int,
    built: BuiltBatches,
    size_bytes: int,
) -> Rebuilt:
    merger = BatchMerger(built)
    skipped = {SkipReason.FILTERED: 0, SkipReason.LOOPED: 0}
    refused: list[FailedTransform] = []
    for each in records:
        if each.offset < position:
            continue
        timestamp = NO_TIMESTAMP if each.timestamp is None else each.timestamp
        record = Record(each.offset, timestamp, each.key, each.value, each.headers)
        try:
            kept = rules.apply(upstream, record)
        except TransformError as error:
            refused.append(FailedTransform(record, error.text))
            if rules.stops_at_rejected:
                break
        else:
            if isinstance(kept, Record):
                merger.add(kept)
            else:
                skipped[kept] += 1
    merger.close()
    return Rebuilt(built.finish(size_bytes), skipped[SkipReason.FILTERED], skipped[SkipReason.LOOPED], refused)


def _codec(rows: Sequence[BatchRow], rules: TargetRules) -> int:
    """Return the codec of the first batch, used for all; sets of the old formats are written uncompressed."""
    first = rows[0].first
    return rules.codec_for(first.attributes & CODEC_MASK if first.magic >= 2 else NONE)
