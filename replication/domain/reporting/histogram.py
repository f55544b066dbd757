"""Latency histograms with buckets a factor 2^(1/4) apart, merged by adding.

Bucket -1 holds 0 ms; bucket b holds [2^(b/4), 2^((b+1)/4)) ms. A quantile is interpolated between the whole ms of its
bucket, as if its records were spread evenly. It is never further from the true value than a factor 2^(1/4). The
smallest and the largest value are exact. Negative values (clock skew) are counted apart and never shown as latency.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

ZERO_BUCKET = -1
MAX_BUCKET = 160  # 2^40 ms, 34 years


_SMALL_BUCKETS = (ZERO_BUCKET, *(math.floor(4 * math.log2(ms)) for ms in range(1, 4_096)))


def bucket_of(ms: int) -> int:
    """The bucket of a latency >= 0 in ms."""
    return _SMALL_BUCKETS[ms] if ms < len(_SMALL_BUCKETS) else math.floor(4 * math.log2(ms))


def bucket_bounds_ms(bucket: int) -> tuple[int, int]:
    """Return the smallest and the largest whole ms of a bucket."""
    if bucket == ZERO_BUCKET:
        return 0, 0
    low = math.ceil(2 ** (bucket / 4))
    return low, max(low, math.ceil(2 ** ((bucket + 1) / 4)) - 1)


class Histogram:
    """A mutable histogram of milliseconds, weighted by records."""

    __slots__ = ("buckets", "count", "max_ms", "min_ms", "negative_count", "sum_ms")

    def __init__(self) -> None:
        self.count = 0
        self.min_ms = 0
        self.max_ms = 0
        self.sum_ms = 0
        self.negative_count = 0
        self.buckets: dict[int, int] = {}

    def add(self, ms: int, weight: int = 1) -> None:
        """Count `weight` records of this latency; a negative latency only counts as negative."""
        if ms < 0:
            self.negative_count += weight
            return
        if self.count == 0:
            self.min_ms = self.max_ms = ms
        elif ms < self.min_ms:
            self.min_ms = ms
        elif ms > self.max_ms:
            self.max_ms = ms
        self.count += weight
        self.sum_ms += ms * weight
        bucket = bucket_of(ms)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + weight

    def merge(self, other: Histogram) -> None:
        """Add another histogram's counts to this one."""
        self.negative_count += other.negative_count
        if other.count == 0:
            return
        self.min_ms = other.min_ms if self.count == 0 else min(self.min_ms, other.min_ms)
        self.max_ms = other.max_ms if self.count == 0 else max(self.max_ms, other.max_ms)
        self.count += other.count
        self.sum_ms += other.sum_ms
        own = self.buckets
        for bucket, count in other.buckets.items():
            own[bucket] = own[bucket] + count if bucket in own else count

    def quantile(self, q: float) -> float | None:
        """The q-quantile (0..1) in ms, None when nothing was counted; never outside min and max."""
        if self.count == 0:
            return None
        rank = max(1, math.ceil(q * self.count))
        if rank >= self.count:
            return float(self.max_ms)
        if rank == 1:
            return float(self.min_ms)
        seen = 0
        for bucket in sorted(self.buckets):
            weight = self.buckets[bucket]
            if seen + weight >= rank:
                return self._within(bucket, (rank - seen - 0.5) / weight)
            seen += weight
        return float(self.max_ms)

    def _within(self, bucket: int, share: float) -> float:
        """The value that a share of the bucket's records does not exceed; min and max narrow the bucket."""
        low_ms, high_ms = (min(max(bound, self.min_ms), self.max_ms) for bound in bucket_bounds_ms(bucket))
        return low_ms + (high_ms - low_ms) * share

    @property
    def mean_ms(self) -> float | None:
        return self.sum_ms / self.count if self.count else None

    def to_list(self) -> list[Any]:
        """The wire form `[count, min_ms, max_ms, sum_ms, negative_count, {bucket: count}]`."""
        buckets = {str(bucket): count for bucket, count in sorted(self.buckets.items())}
        return [self.count, self.min_ms, self.max_ms, self.sum_ms, self.negative_count, buckets]

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> Histogram:
        """Read the wire form; ValueError when it is none."""
        try:
            count, min_ms, max_ms, sum_ms, negative_count, buckets = values
            histogram = cls()
            histogram.count, histogram.min_ms, histogram.max_ms = int(count), int(min_ms), int(max_ms)
            histogram.sum_ms, histogram.negative_count = int(sum_ms), int(negative_count)
            histogram.buckets = {int(bucket): int(weight) for bucket, weight in buckets.items()}
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise ValueError(f"not a histogram: {values!r}") from error
        return histogram
