"""The most that a reset of a partition would cover: records to copy again, or records to skip."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from replication.domain.control.orders import ResetTo, ToOffset


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPartition:
    """The newest report of a partition: next offset to copy, end of the source, recent rates; None is unknown."""

    copied_to: int | None = None
    source_end: int | None = None
    records_per_second: float | None = None
    bytes_per_second: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Most records, and their size by the recent size of a record; None is unknown."""

    records: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetReach:
    """The most that a reset would copy again, and the most that it would skip."""

    again: Amount
    skipped: Amount


def reset_reach(to: ResetTo, known: KnownPartition) -> ResetReach:
    """Return the most that a reset would cover. Retention, compaction and a time inside the log make it less."""
    position, end = known.copied_to, known.source_end
    again: int | None = 0
    skipped: int | None = 0
    if to == "earliest":
        again = position
    elif to == "latest":
        skipped = _distance(position, end)
    elif isinstance(to, ToOffset):
        again = _distance(to.offset, position)
        skipped = _distance(position, None if end is None else min(to.offset, end))
        if position is not None and to.offset <= position:
            skipped = 0  # a rewind, also if the end is unknown
    else:
        again, skipped = position, _distance(position, end)
    return ResetReach(again=_amount(again, known), skipped=_amount(skipped, known))


def is_beyond_end(to: ResetTo, known: KnownPartition) -> bool:
    """Return True if the log ends before the wanted offset: the partition then continues at the end."""
    return isinstance(to, ToOffset) and known.source_end is not None and to.offset > known.source_end


def reset_total(reaches: Collection[ResetReach]) -> ResetReach:
    """Return the sum; a number that is unknown of one partition is unknown of all."""
    return ResetReach(
        again=_sum_amounts(reach.again for reach in reaches), skipped=_sum_amounts(reach.skipped for reach in reaches)
    )


def _distance(start: int | None, end: int | None) -> int | None:
    return None if start is None or end is None else max(end - start, 0)


def _amount(records: int | None, known: KnownPartition) -> Amount:
    if not records:
        return Amount(records=records, bytes=records)
    if not known.records_per_second or known.bytes_per_second is None:
        return Amount(records=records, bytes=None)
    return Amount(records=records, bytes=round(records * known.bytes_per_second / known.records_per_second))


def _sum_amounts(amounts: Iterable[Amount]) -> Amount:
    found = list(amounts)
    return Amount(records=_sum(each.records for each in found), bytes=_sum(each.bytes for each in found))


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = list(numbers)
    return None if None in known else sum(number for number in known if number is not None)
