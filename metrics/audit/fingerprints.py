"""Fingerprints of ranges, and which ranges differ. Pure.

A fingerprint is a count, and for each content hash its xor, its sum, and its sum weighted with the place of the record
in the range: xor alone cancels equal pairs, and only the weighted sum notices another order. All modulo 2^64.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrics.audit.ranges import OffsetRange


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Records of one side of one range; two of them are equal when content and order are."""

    count: int = 0
    sums: tuple[int, ...] = ()


EMPTY = Fingerprint()


@dataclass(frozen=True, slots=True)
class Difference:
    """A range whose sides differ."""

    range: OffsetRange
    source: Fingerprint
    target: Fingerprint

    @property
    def surplus(self) -> int:
        """Records that the target has more."""
        return self.target.count - self.source.count


def differences(
    ranges: Sequence[OffsetRange],
    source: Mapping[int, Fingerprint],
    target: Mapping[int, Fingerprint],
    *,
    counts_only: bool,
) -> list[Difference]:
    """The ranges that differ, in order."""
    found = []
    for each in ranges:
        ours, theirs = source.get(each.number, EMPTY), target.get(each.number, EMPTY)
        same = ours.count == theirs.count if counts_only else ours == theirs
        if not same:
            found.append(Difference(each, ours, theirs))
    return found


def weighted(sum_of_products: int, first_place: int, total: int) -> int:
    """Sum of hash x place in the range, from places that are counted from anywhere."""
    return (sum_of_products - first_place * total) % (1 << 64)
