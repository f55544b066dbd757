"""A fetch answer as rows of batches: small neighbours that are alike need one decision, and one header of them.

Topics full of tiny batches cost most where every header is unpacked; here only five fields of most of them are.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from replication.codecs.record_batch import CorruptBatchError, batches, header_at, read_header
from replication.domain.batch import CONTROL_BIT, HEADER_BYTES, LENGTH_OVERHEAD_BYTES, BatchHeader, BatchRow

_LIKENESS = struct.Struct(">8xi4xb4xh20xq6xi")  # length, magic, attributes, producer id, records
_SHORTEST = HEADER_BYTES - LENGTH_OVERHEAD_BYTES


class Answer(NamedTuple):
    """Every whole batch of one partition's answer, up to the first that makes no sense.

    `data_batches`, `records` and `size_bytes` leave control batches and empty ones out.
    """

    rows: list[BatchRow]
    data_batches: int
    records: int
    size_bytes: int
    broken: CorruptBatchError | None


def row_of(at: int, header: BatchHeader) -> BatchRow:
    """One batch that stands by itself."""
    return BatchRow(at, header, at + header.length + LENGTH_OVERHEAD_BYTES, at, 1, header.records)


def last_header(view: memoryview, row: BatchRow) -> BatchHeader:
    """The header of the row's last batch."""
    return row.first if row.batches == 1 else read_header(view, row.last_at)


def singly(view: memoryview, row: BatchRow) -> list[BatchRow]:
    """The row's batches one by one."""
    if row.batches == 1:
        return [row]
    return [row_of(at + row.at, header) for at, header in batches(view[row.at : row.end])]


def scan(view: memoryview, *, alike_bytes: int = 0) -> Answer:
    """Neighbours of equal attributes and producer, each smaller than `alike_bytes`, make one row."""
    rows: list[BatchRow] = []
    data_batches = records = size_bytes = at = 0
    broken = None
    try:
        while True:
            for row in _small_rows(view, at, alike_bytes) if alike_bytes else ():
                rows.append(row)
                data_batches += row.batches
                records += row.records
                size_bytes += row.end - row.at - LENGTH_OVERHEAD_BYTES * row.batches
                at = row.end
            header = header_at(view, at)
            if header is None:
                break
            row = row_of(at, header)
            rows.append(row)
            at = row.end
            if header.records > 0 and not header.attributes & CONTROL_BIT:
                data_batches += 1
                records += header.records
                size_bytes += header.length
    except CorruptBatchError as error:
        broken = error
    return Answer(rows, data_batches, records, size_bytes, broken)


def _small_rows(view: memoryview, at: int, alike_bytes: int) -> Iterator[BatchRow]:
    """Rows from `at` on, up to a batch that needs a look of its own."""
    fields, largest = _LIKENESS.unpack_from, alike_bytes - LENGTH_OVERHEAD_BYTES
    last_start = len(view) - HEADER_BYTES if largest >= _SHORTEST else -1
    start = last_at = at
    count = total = 0
    alike: tuple[int, int] | None = None
    while at <= last_start:
        length, magic, attributes, producer_id, records = fields(view, at)
        end = at + length + LENGTH_OVERHEAD_BYTES
        if (
            magic != 2
            or records <= 0
            or attributes & CONTROL_BIT
            or not _SHORTEST <= length <= largest
            or end > len(view)
        ):
            break
        if (attributes, producer_id) != alike:
            if count:
                yield BatchRow(start, read_header(view, start), at, last_at, count, total)
            alike, start, count, total = (attributes, producer_id), at, 0, 0
        count += 1
        total += records
        last_at, at = at, end
    if count:
        yield BatchRow(start, read_header(view, start), at, last_at, count, total)
