"""Builds batches out of records one after the other, by aiokafka's Cython codec.

For records that rules inspect, for the old message formats, and where `record_splicer` could not be compiled.
The loop over a batch's records is the hot path of the record path (0.4 us per record), hence written out.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from aiokafka.record.default_records import DefaultRecordBatchBuilder

from replication.domain.batches.record import NO_TIMESTAMP, Record
from replication.wire.batches.built_batches import BuiltBatches
from replication.wire.batches.record_codec import new_builder


class BatchMerger:
    """One stretch of records of one partition; offsets ascend. Batches go to `built`, the last one by `close`."""

    def __init__(self, built: BuiltBatches) -> None:
        self._built = built
        self._builder: DefaultRecordBatchBuilder = new_builder(self._built.limit_bytes)
        self._stretches: list[tuple[int, int]] = []  # (upstream offset, index in the batch) where a run begins
        self._count = 0
        self._expected: int | None = None  # the upstream offset that continues the run
        self._timeless = False  # the batch began with a record without a timestamp

    def extend(self, records: Iterable[Any], position: int) -> None:
        """Add decoded records in the order of their offsets; those below the position, if any, come first."""
        rest = iter(records)
        if self._count == 0 or self._timeless:
            self._extend_slowly(rest, position)
        self._extend_quickly(rest)

    def _extend_slowly(self, records: Iterator[Any], position: int) -> None:
        """Up to the first record with a timestamp: the builder takes -1 for none yet, and lends it a later one."""
        for record in records:
            if record.offset >= position:
                self._add_decoded(record)
                if not self._timeless:
                    return

    def _extend_quickly(self, records: Iterator[Any]) -> None:
        append, stretches, count, expected = self._builder.append, self._stretches, self._count, self._expected
        for record in records:
            offset = record.offset
            if append(count, record.timestamp, record.key, record.value, record.headers) is None:
                self._count, self._expected = count, expected
                self.close()
                self._add_decoded(record)
                if self._timeless:
                    self._extend_slowly(records, 0)
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
        """One more record, with its own timestamp or none."""
        if self._timeless and record.timestamp != NO_TIMESTAMP:
            self.close()  # the builder would lend this timestamp to the records before it
        if not self._append(record):
            self.close()
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

    def close(self) -> None:
        """Hand on the batch that has begun, if any."""
        if self._count == 0:
            return
        self._built.add(bytearray(self._builder.build()), self._count, self._runs())
        self._builder = new_builder(self._built.limit_bytes)
        self._stretches = []
        self._count = 0
        self._expected = None
        self._timeless = False

    def _runs(self) -> tuple[tuple[int, int, int], ...]:
        ends = [index for _offset, index in self._stretches[1:]] + [self._count]
        return tuple((offset, index, end - index) for (offset, index), end in zip(self._stretches, ends, strict=True))
