"""The histograms of tiles: read from reports, merged, packed for the shuffle, written as columns of a row.

`compiled_histogram` is the same in C, for where a compiler was found when the packages were installed.
"""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import orjson

from replication.domain.reporting.histogram import MAX_BUCKET, ZERO_BUCKET, Histogram

MOST_AMOUNT = 1 << 40  # a value above these is invalid
MOST_SUM_MS = 1 << 58  # a year of latency for every record of a busy period
MOST_BIGINT = (1 << 63) - 1
BUCKETS = {str(bucket): bucket for bucket in range(ZERO_BUCKET, MAX_BUCKET + 1)}  # by their names in JSON
_AS_TEXT = orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS
_WHOLE = {int}
_HEAD = struct.Struct("=5q")
_BUCKET_BYTES = struct.calcsize("=hq")


class PythonHistogram(Histogram):
    """A histogram with the forms in which it travels and is stored."""

    __slots__ = ()

    @classmethod
    def read(cls, values: Sequence[Any]) -> "PythonHistogram":
        """Read the wire form strictly. Raises ValueError, TypeError, KeyError or AttributeError where it is invalid."""
        histogram = cls()
        count, min_ms, max_ms, sum_ms, negative_count, buckets = values
        check_amounts((count, min_ms, max_ms, negative_count, *buckets.values()), MOST_AMOUNT)
        check_amounts((sum_ms,), MOST_SUM_MS)
        histogram.count, histogram.min_ms, histogram.max_ms = count, min_ms, max_ms
        histogram.sum_ms, histogram.negative_count = sum_ms, negative_count
        histogram.buckets = {BUCKETS[bucket]: weight for bucket, weight in buckets.items()}
        return histogram

    def to_columns(self) -> tuple[Any, ...]:
        """Return count, extremes, sum, negative count, and the buckets as JSON text.

        Records times their age can be more than a database holds: a copy of old records at full speed, for an hour.
        """
        counted = self.count > 0
        return (
            self.count,
            self.min_ms if counted else None,
            self.max_ms if counted else None,
            min(self.sum_ms, MOST_BIGINT),
            self.negative_count,
            orjson.dumps(self.buckets, option=_AS_TEXT).decode(),
        )

    @classmethod
    def from_columns(cls, values: Sequence[Any]) -> "PythonHistogram":
        """Read back what `to_columns` returned."""
        histogram = cls()
        count, min_ms, max_ms, histogram.sum_ms, histogram.negative_count, buckets = values
        histogram.count, histogram.min_ms, histogram.max_ms = count, min_ms or 0, max_ms or 0
        histogram.buckets = {BUCKETS[bucket]: weight for bucket, weight in orjson.loads(buckets).items()}
        return histogram

    def packed(self) -> bytes:
        """Return the numbers in binary form: five, then the buckets, then their weights."""
        head = _HEAD.pack(self.count, self.min_ms, self.max_ms, min(self.sum_ms, MOST_BIGINT), self.negative_count)
        size = len(self.buckets)
        return head + struct.pack(f"={size}h{size}q", *self.buckets, *self.buckets.values())

    @classmethod
    def unpacked(cls, data: bytes) -> "PythonHistogram":
        """Read back what `packed` returned."""
        histogram = cls()
        numbers = _HEAD.unpack_from(data)
        histogram.count, histogram.min_ms, histogram.max_ms, histogram.sum_ms, histogram.negative_count = numbers
        size = (len(data) - _HEAD.size) // _BUCKET_BYTES
        found = struct.unpack_from(f"={size}h{size}q", data, _HEAD.size)
        histogram.buckets = dict(zip(found[:size], found[size:], strict=True))
        return histogram

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked_histogram, (self.packed(),)


def check_amounts(values: tuple[Any, ...], most: int) -> None:
    """Raise ValueError for a value that is not a whole number in [0, most]; true and false are not."""
    if set(map(type, values)) != _WHOLE or min(values) < 0 or max(values) > most:
        raise ValueError("a number is missing or out of bounds")


if TYPE_CHECKING:
    TileHistogram = PythonHistogram
else:
    try:
        from metrics.counting.sums.compiled_histogram import TileHistogram, check_amounts
    except ImportError:
        TileHistogram = PythonHistogram


def unpacked_histogram(data: bytes) -> TileHistogram:
    """Read a packed histogram, also one that the other implementation packed."""
    return TileHistogram.unpacked(data)
