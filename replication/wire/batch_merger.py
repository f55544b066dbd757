"""Builds batches out of records one after the other, each as large as the target takes.

Batches are built uncompressed by the Cython builder and packed by us: its own packing uses the slowest levels.
The loop over a batch's records is the hot path of the record path (0.4 us per record), hence written out.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from aiokafka.record.default_records import DefaultRecordBatchBuilder

from replication.codecs.record_batch import read_header
from replication.domain.batch import HEADER_BYTES
from replication.domain.compression import NONE
from replication.domain.record import NO_TIMESTAMP, Record
from replication.ports.record_path import BuiltBatch
from replication.wire.compression import pack, with_payload
from replication.wire.record_codec import decode_records, new_builder

LOOSEST = 4.0  # batches to be packed may be that much larger before; what turns out too large is split
MARGIN = 0.9  # of what the last batches shrank by: the next ones may shrink less


class BatchMerger:
    """One stretch of records of one partition; offsets ascend."""

    def __init__(self, max_bytes: int, codec: int, *, looseness: float = LOOSEST) -> None:
        """`looseness` says how much larger than `max_bytes` batches may be before they are packed."""
        self._max_bytes = max_bytes
        self._codec = codec
        self._limit_bytes = max_bytes if codec == NONE else int(max_bytes * looseness)
        self.looseness = looseness  # as the batches packed so far suggest
        self._built: list[BuiltBatch] = []
        self._builder: DefaultRecordBatchBuilder = new_builder(self._limit_bytes)
        self._stretches: list[tuple[int, int]] = []  # (upstream offset, index in the batch) where a run begins
        self._count = 0
        self._expected: int | None = None  # the upstream offset that continues the run
        self._timeless = False  # the batch began with a record without a timestamp

    def take(self, records: Iterable[Any], position: int) -> None:
        """Decoded records in the order of their offsets; those below the position, if any, come first."""
        rest = iter(records)
        if self._count == 0 or self._timeless:
            self._take_slowly(rest, position)
        self._take_quickly(rest)

    def _take_slowly(self, records: Iterator[Any], position: int) -> None:
        """Up to the first record with a timestamp: the builder takes -1 for none yet, and lends it a later one."""
        for record in records:
            if record.offset >= position:
                self._add_decoded(record)
                if not self._timeless:
                    return

    def _take_quickly(self, records: Iterator[Any]) -> None:
        append, stretches, count, expected = self._builder.append, self._stretches, self._count, self._expected
        for record in records:
            offset = record.offset
            if append(count, record.timestamp, record.key, record.value, record.headers) is None:
                self._count, self._expected = count, expected
                self._close()
                self._add_decoded(record)
                if self._timeless:
                    self._take_slowly(records, 0)
                append, stretches, count, expected = self._builder.append, self._stretches, self._count, self._expected
                continue
            if offset != expected:
                stretches.append((offset, count))
            count += 1
            expected = offset + 1
        self._count, self._expected = count, expected

    def _add_decoded(self, record: Any) -> None:
        timestamp = NO_TIMESTAMP if record.timestamp is None else record.timestamp  # message format 0 has none
        self.add(Record(record.offset, timestamp, record.key, record.value, record.headers))

    def add(self, record: Record) -> None:
        """One more record, with a timestamp of its own or none."""
        if self._timeless and record.timestamp != NO_TIMESTAMP:
            self._close()  # the builder would lend this timestamp to the records before it
        if not self._append(record):
            self._close()
            self._append(record)

    def _append(self, record: Record) -> bool:
        offset, timestamp, key, value, headers = record
        listed = headers if type(headers) is list else list(headers)  # the builder takes nothing else
        if self._builder.append(self._count, timestamp, key, value, listed) is None:
            return False
        if self._count == 0:
            self._timeless = timestamp == NO_TIMESTAMP
        if offset != self._expected:
            self._stretches.append((offset, self._count))
        self._count += 1
        self._expected = offset + 1
        return True

    def finish(self, source_bytes: int) -> list[BuiltBatch]:
        """Every batch, oldest first; the source's bytes are divided among them by their records."""
        self._close()
        left_bytes, left_records = source_bytes, sum(batch.records for batch in self._built)
        for number, batch in enumerate(self._built):
            share = left_bytes * batch.records // left_records
            self._built[number] = batch._replace(source_bytes=share)
            left_bytes, left_records = left_bytes - share, left_records - batch.records
        return self._built

    def _close(self) -> None:
        if self._count == 0:
            return
        data = bytearray(self._builder.build())
        runs = self._runs()
        if self._codec != NONE:
            data = self._packed(data)
        if len(data) > self._max_bytes and self._count > 1:
            self._split(self._builder.build(), runs)
        else:
            self._built.append(
                BuiltBatch(
                    data,
                    runs[0][0],
                    runs[-1][0] + runs[-1][2] - 1,
                    self._count,
                    read_header(memoryview(data), 0).max_timestamp,
                    runs,
                )
            )
        self._builder = new_builder(self._limit_bytes)
        self._stretches = []
        self._count = 0
        self._expected = None
        self._timeless = False

    def _packed(self, data: bytearray) -> bytearray:
        payload = pack(memoryview(data)[HEADER_BYTES:], self._codec)
        if len(data) * 4 >= self._max_bytes:  # a small rest tells little
            self.looseness = max(1.0, min(LOOSEST, MARGIN * len(data) / (HEADER_BYTES + len(payload))))
        if len(payload) + HEADER_BYTES >= self._max_bytes > len(data):
            return data  # it cannot be packed; plain it still fits
        return with_payload(memoryview(data), payload, self._codec)

    def _split(self, data: bytes | bytearray, runs: tuple[tuple[int, int, int], ...]) -> None:
        """The batch is too large even packed: once more, in pieces that fit unpacked."""
        pieces = BatchMerger(self._max_bytes, self._codec, looseness=1.0)
        records = decode_records(data)
        for upstream, _index, length in runs:
            for offset in range(upstream, upstream + length):
                pieces.add(next(records)._replace(offset=offset))
        self._built.extend(pieces.finish(0))

    def _runs(self) -> tuple[tuple[int, int, int], ...]:
        ends = [index for _offset, index in self._stretches[1:]] + [self._count]
        return tuple((offset, index, end - index) for (offset, index), end in zip(self._stretches, ends, strict=True))
