"""The record path: batches rebuilt from the records of others, which are decoded where the flow asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from replication.codecs.record_batch import CorruptBatchError
from replication.domain.batches.batch_decision import CODEC_MASK, HEADER_BYTES, BatchRow, TargetRules
from replication.domain.batches.compression import NONE
from replication.domain.batches.record import NO_TIMESTAMP, Record
from replication.domain.batches.record_rules import RecordRules, SkipReason, TransformError
from replication.domain.identifiers import TopicPartition
from replication.ports.batches.record_path import MOST_PLAIN_BYTES, FailedTransform, Rebuilt, Recompressed
from replication.wire.batches import splicing
from replication.wire.batches.batch_decoder import DecodedRows
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

    def forget(self, topic: str) -> None:
        self._looseness.pop(topic, None)

    def rebuild(
        self,
        upstream: TopicPartition,
        view: memoryview,
        rows: Sequence[BatchRow],
        *,
        position: int,
        rules: TargetRules,
        most_plain_bytes: int = MOST_PLAIN_BYTES,
    ) -> Rebuilt:
        known = self._looseness.get(upstream.topic, LOOSEST)
        largest_bytes = min(rules.max_message_bytes, LARGEST_BUILT_BYTES)
        built = BuiltBatches(largest_bytes, _codec(rows, rules), looseness=known)
        stops = rules.errors_policy == "stop_partition"
        rebuilt = self._rebuilt(upstream, view, rows, position, built, most_plain_bytes, stops_at_rejected=stops)
        self._looseness[upstream.topic] = built.looseness
        return rebuilt

    def _rebuilt(
        self,
        upstream: TopicPartition,
        view: memoryview,
        rows: Sequence[BatchRow],
        position: int,
        built: BuiltBatches,
        most_plain_bytes: int,
        *,
        stops_at_rejected: bool,
    ) -> Rebuilt:
        if self._records is not None and self.decodes(upstream.topic):
            decoded = DecodedRows(view, rows, most_plain_bytes)
            return _apply_rules(self._records, upstream, decoded, position, built, stops_at_rejected=stops_at_rejected)
        splicer_type = splicing.SPLICER
        if splicer_type is not None and all(row.first.magic == SPLICED_MAGIC for row in rows):
            splicer = splicer_type(built.limit_bytes, unpack, built.add, most_plain_bytes)
            end = _splice(splicer, view, rows, position)
            plain_bytes = splicer.plain_bytes
        else:
            decoded = DecodedRows(view, rows, most_plain_bytes)
            merger = BatchMerger(built)
            merger.extend(decoded.records(), position)
            merger.close()
            end, plain_bytes = decoded.end, decoded.plain_bytes
        return Rebuilt(built.finish(_bytes_before(rows, end)), end, plain_bytes)

    def recompress(
        self, view: memoryview, batch: BatchRow, codec: int, most_plain_bytes: int = MOST_PLAIN_BYTES
    ) -> Recompressed:
        data = view[batch.at : batch.end]
        payload = unpack(data[HEADER_BYTES:], batch.first.attributes & CODEC_MASK, most_plain_bytes)
        if not payload and batch.first.records > 0:
            raise CorruptBatchError(f"the batch at offset {batch.first.base_offset} unpacks to nothing")
        return Recompressed(with_payload(data, pack(payload, codec), codec), len(payload))


def _splice(splicer: RecordSplicer, view: memoryview, rows: Sequence[BatchRow], position: int) -> int:
    """Merge the rows, contiguous ones in one call. Return the place behind the last batch that was merged."""
    at = end = rows[0].at
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        if following is None or following.at != row.end:
            merged_bytes = splicer.extend(view[at : row.end], position)
            end = at + merged_bytes if merged_bytes else end
            if at + merged_bytes < row.end:
                break
            at = row.end if following is None else following.at
    splicer.close()
    return end


def _bytes_before(rows: Sequence[BatchRow], end: int) -> int:
    """Return the bytes of the batches that end there or before."""
    return sum(min(row.end, end) - row.at for row in rows if row.at < end)


def _apply_rules(
    rules: RecordRules,
    upstream: TopicPartition,
    decoded: DecodedRows,
    position: int,
    built: BuiltBatches,
    *,
    stops_at_rejected: bool,
) -> Rebuilt:
    merger = BatchMerger(built)
    skipped = {SkipReason.FILTERED: 0, SkipReason.LOOPED: 0}
    refused: list[FailedTransform] = []
    end: int | None = None
    for each in decoded.records():
        if each.offset < position:
            continue
        timestamp = NO_TIMESTAMP if each.timestamp is None else each.timestamp
        record = Record(each.offset, timestamp, each.key, each.value, each.headers)
        try:
            kept = rules.apply(upstream, record)
        except TransformError as error:
            refused.append(FailedTransform(record, error.text))
            if stops_at_rejected:
                end = decoded.rows[-1].end
                break
        else:
            if isinstance(kept, Record):
                merger.add(kept)
            else:
                skipped[kept] += 1
    merger.close()
    end = decoded.end if end is None else end
    batches = built.finish(_bytes_before(decoded.rows, end))
    return Rebuilt(batches, end, decoded.plain_bytes, skipped[SkipReason.FILTERED], skipped[SkipReason.LOOPED], refused)


def _codec(rows: Sequence[BatchRow], rules: TargetRules) -> int:
    """Return the codec of the first batch, used for all; sets of the old formats are written uncompressed."""
    first = rows[0].first
    return rules.codec_for(first.attributes & CODEC_MASK if first.magic >= 2 else NONE)
