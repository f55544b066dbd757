"""The hours that a backfill replaces, the check that the raw topics still hold their records, and the steps. Pure.

Whole hours only, and only hours that the roll-up has passed: then each width holds the range completely, so replacing
it in all widths at once counts nothing twice.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from metrics.counting.rollup_totals import HEARD_WITHIN_MS
from metrics.errors import JobError
from metrics.store.backfill.backfill_range import HOUR_MS
from metrics.stream.ledger import LedgerEntry, RawPartition
from metrics.time_format import iso_time

TEN_SECONDS_SAFE_MS = 90 * 60_000  # younger than this the 10 s tiles are kept for sure
LONGEST_MS = 31 * 24 * HOUR_MS  # each minute of the range is a request to the cluster
_CUT_MS = 60_000

Offsets = Mapping[RawPartition, int]


@dataclass(frozen=True, slots=True)
class HourRange:
    """Whole hours [from_ms, to_ms)."""

    from_ms: int
    to_ms: int

    @property
    def hours(self) -> range:
        """The start of each."""
        return range(self.from_ms, self.to_ms, HOUR_MS)


def wanted_range(spec: Mapping[str, Any], rolled_to_ms: int) -> HourRange:
    """The whole hours that touch the range asked for. JobError says what to ask for instead."""
    from_ms, to_ms = spec.get("from_ms"), spec.get("to_ms")
    if not isinstance(from_ms, int) or not isinstance(to_ms, int) or from_ms < 0:
        raise JobError("a backfill needs from_ms and to_ms in epoch milliseconds")
    if from_ms >= to_ms:
        raise JobError(f"the range begins at {iso_time(from_ms)}, which is not before its end at {iso_time(to_ms)}")
    found = HourRange(from_ms - from_ms % HOUR_MS, to_ms + (-to_ms) % HOUR_MS)
    if found.to_ms > rolled_to_ms:
        raise JobError(
            f"the range reaches to {iso_time(found.to_ms)}, but only whole hours that have passed and are rolled up "
            f"can be replaced: end it at {iso_time(rolled_to_ms)} or earlier"
        )
    if found.to_ms - found.from_ms > LONGEST_MS:
        raise JobError(
            f"the range from {iso_time(found.from_ms)} to {iso_time(found.to_ms)} is longer than 31 days: "
            "ask for several"
        )
    return found


def check_complete(topic: str, partition: int, *, log_start: int, first_in_range: int | None) -> None:
    """JobError when records of the range may have been deleted: the log begins inside of it."""
    if log_start > 0 and (first_in_range is None or first_in_range <= log_start):
        raise JobError(
            f"{topic} partition {partition} begins after the start of the range: its raw metrics have expired, "
            "so the tiles that are there are better than what can be counted again"
        )


def cut_times(wanted: HourRange) -> range:
    """When to cut the reading, epoch ms: each minute until what was sent in time has come."""
    return range(wanted.from_ms, wanted.to_ms + HEARD_WITHIN_MS + 1, _CUT_MS)


def steps(starts: Offsets, cuts: Iterable[Offsets], most: Callable[[], int]) -> Iterator[Offsets]:
    """Yield the end of each step of the reading: a cut, unless more than `most()` records lie before it.

    `cuts` have an offset for each partition of `starts`; they are asked for as they are needed, and the last one is
    the end. A cut is one time in all raw partitions. A topic's lag is the sum of what partitions report in several of
    them, so they are read abreast of each other: with as many records from each one, a full one would be hours behind
    an empty one. What is too much between two cuts is divided in the same proportion everywhere.
    """
    at = fitting = starts
    for found in cuts:
        cut = {raw: max(offset, found[raw]) for raw, offset in fitting.items()}
        if fitting != at and _between(at, cut) > most():
            yield fitting
            at = fitting
        while (count := _between(at, cut)) > (bound := most()):
            parts = -(-count // bound)
            at = {raw: offset - (offset - cut[raw]) // parts for raw, offset in at.items()}  # rounded up
            yield at
        fitting = cut
    if fitting != at:
        yield fitting


def _between(start: Offsets, end: Offsets) -> int:
    return sum(end[raw] - offset for raw, offset in start.items())


def within(at: Offsets, ledger: Mapping[RawPartition, LedgerEntry]) -> tuple[Offsets, Offsets]:
    """The offsets at which to continue in each raw partition, and those before which the stream has counted.

    Raw partitions that the stream has found since the start are new: they are read from their beginning.
    """
    return (
        {raw: at.get(raw, 0) for raw in ledger},
        {raw: max(at.get(raw, 0), entry.next_offset) for raw, entry in ledger.items()},
    )
