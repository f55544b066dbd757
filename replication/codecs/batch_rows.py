"""A fetch answer as rows of batches: small neighbours that are alike need one decision, and one header of them.

Topics full of tiny batches cost most where every header is unpacked; here only five fields of most of them are.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from replication.codecs.record_batch import CorruptBatchError, batches, header_at, read_header
from replication.domain.batches.batch_decision import (
    CONTROL_BIT,
    HEADER_BYTES,
    LENGTH_OVERHEAD_BYTES,
    BatchHeader,
    BatchRow,
)

_LIKENESS = struct.Struct(">8xi4xb4xh20xq6xi")  # length, magic, attributes, producer id, records
_SHORTEST = HEADER_BYTES - LENGTH_OVERHEAD_BYTES


class Answer(NamedTuple):
    """Return every whole batch of one partition's answer, up to the first invalid one.

    `data_batches`, `records` and `size_bytes` leave control batches and empty ones out.
    """

    rows: list[BatchRow]
    data_batches: int
    records: int
    size_bytes: int
    broken: CorruptBatchError | None


def row_of(at: int, header: BatchHeader) -> BatchRow:
    """Return the row of a single batch."""
    return BatchRow(at, header, at + header.length + LENGTH_OVERHEAD_BYTES, at, 1, header.records)


def last_header(view: memoryview, row: BatchRow) -> BatchHeader:
    """The header of the row's last batch."""
    return row.first if row.batches == 1 else read_header(view, row.last_at)


def singly(view: memoryview, row: BatchRow) -> list[BatchRow]:
    """The row's batches one by one."""
    if row.batches == 1:
        return [row]
    return [row_of(at + row.at, header) for at, header in batches(view[row.at : row.end])]


def split(view: memoryview, rows: Sequence[BatchRow], at: int) -> tuple[list[BatchRow], list[BatchRow]]:
    """The batches that end at this place or before, and those behind it; the place is between two batches."""
    before: list[BatchRow] = []
    after: list[BatchRow] = []
    for row in rows:
        if row.end <= at:
            before.append(row)
        elif row.at >= at:
            after.append(row)
        else:
            before.append(_row_of_alike(view[:at], row.at))
            after.append(_row_of_alike(view[: row.end], at))
    return before, after


def _row_of_alike(view: memoryview, at: int) -> BatchRow:
    """One row of the batches from `at` to the end of the view, which are alike."""
    found = ALIKE_RUN(view, at, len(view))
    if found is None or found[0] != len(view):
        raise CorruptBatchError(f"the batches from byte {at} on are not alike")
    end, last_at, count, total = found
    return BatchRow(at, read_header(view, at), end, last_at, count, total)


def rows_within(view: memoryview, rows: Sequence[BatchRow], most_bytes: int) -> Sequence[BatchRow]:
    """The first batches of contiguous rows that fill this many bytes; at least one."""
    begin = rows[0].at
    if rows[-1].end - begin <= most_bytes:
        return rows
    at = begin
    while at - begin < most_bytes and (header := header_at(view, at)) is not None:
        at += header.length + LENGTH_OVERHEAD_BYTES
    return split(view, rows, at)[0]


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
    """Rows from `at` on, up to a batch that has to be read separately."""
    largest = alike_bytes - LENGTH_OVERHEAD_BYTES
    while (found := ALIKE_RUN(view, at, largest)) is not None:
        end, last_at, count, total = found
        yield BatchRow(at, read_header(view, at), end, last_at, count, total)
        at = end


def alike_run(view: memoryview, at: int, largest: int) -> tuple[int, int, int, int] | None:
    """Batches from `at` on that are alike: where they end, where the last one begins, how many, their records.

    `largest` bounds their length fields. None where the first batch has to be read separately.
    """
    fields, last_start = _LIKENESS.unpack_from, len(view) - HEADER_BYTES
    last_at, count, total = at, 0, 0
    alike: tuple[int, int] | None = None
    while at <= last_start:
        length, magic, attributes, producer_id, records = fields(view, at)
        if magic != 2 or records <= 0 or attributes & CONTROL_BIT or not _SHORTEST <= length <= largest:
            break
        end = at + length + LENGTH_OVERHEAD_BYTES
        if end > len(view) or (count and (attributes, producer_id) != alike):
            break
        alike = attributes, producer_id
        count += 1
        total += records
        last_at, at = at, end
    return (at, last_at, count, total) if count else None


def _quickest_run() -> Callable[[memoryview, int, int], tuple[int, int, int, int] | None]:
    """The compiled one, where there was a C compiler when the packages were installed."""
    try:
        from replication.codecs.row_scanner import alike_run as compiled
    except ImportError:
        return alike_run
    return compiled


ALIKE_RUN = _quickest_run()
