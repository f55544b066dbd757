"""Records of a source partition and their damaged copy, with the offset runs of an engine that noticed nothing."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replication.domain.offsets.offset_run import OffsetRun

BATCH = 500  # records the engine is taken to have copied at once
BASE_MS = time.time_ns() // 1_000_000 - 3_600_000  # recent, or retention takes the records
KINDS = ("missing", "duplicate", "changed", "reordered", "unexpected")


class Sent(NamedTuple):
    """One record to be produced."""

    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Planted(NamedTuple):
    """A planted difference that the audit must find."""

    partition: int
    kind: str
    source_offset: int | None
    target_offset: int | None


@dataclass(slots=True)
class Copy:
    """One partition as the damaged target holds it."""

    records: list[Sent] = field(default_factory=list)
    runs: list[OffsetRun] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)


def record(partition: int, number: int) -> Sent:
    """Record `number` of a partition: every one is different."""
    headers: tuple[tuple[str, bytes | None], ...] = (("n", b"%d" % number), ("none", None)) if number % 7 == 0 else ()
    return Sent(b"key-%d" % number, b"%d-%d-" % (partition, number) + b"x" * 80, BASE_MS + number, headers)


def damaged(
    partition: int, source: Sequence[Sent], damage: Mapping[int, str], *, shift: int = 0, first: int = 0
) -> Copy:
    """The copy of source offsets from `first` on, at target offsets from `shift` on, damaged at these numbers."""
    copy = Copy()
    held: dict[int, tuple[int, Sent]] = {}

    def place() -> int:
        return shift + len(copy.records)

    for index, each in enumerate(source):
        number = first + index
        if index % BATCH == 0:
            copy.runs.append(OffsetRun(number, place(), min(BATCH, len(source) - index)))
        kind = damage.get(number)
        if kind == "missing":
            copy.planted.append(Planted(partition, kind, number, None))
        elif kind == "reordered":
            held[number + 5] = (number, each)
        elif kind == "changed":
            copy.planted.append(Planted(partition, kind, number, place()))
            copy.records.append(each._replace(value=b"broken" + (each.value or b"")[6:]))
        else:
            copy.records.append(each)
        if kind == "duplicate":
            copy.planted.append(Planted(partition, kind, number - 3, place()))
            copy.records.append(source[index - 3])
        if kind == "unexpected":
            copy.planted.append(Planted(partition, kind, None, place()))
            copy.records.append(Sent(b"alien-%d" % number, b"from no producer", BASE_MS))
        if number in held:
            moved, it = held.pop(number)
            copy.planted.append(Planted(partition, "reordered", moved, place()))
            copy.records.append(it)
    return copy


def random_damage(seed: int, records: int, errors: int) -> dict[int, str]:
    """So many errors of all kinds, far enough apart to be told from each other."""
    chance = random.Random(seed)
    places = chance.sample(range(1, (records - BATCH) // 20 - 1), errors)
    return {place * 20: KINDS[index % len(KINDS)] for index, place in enumerate(places)}
