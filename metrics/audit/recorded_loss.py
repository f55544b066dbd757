"""Source offsets that were not copied and recorded as such: gap records, skipped records, dead letters. Pure.

A recorded loss counts only where no offset run says that the offset was copied after all: a person may
have moved the flow back, or a log that was cut may have grown again at the same offsets.
"""

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics.audit.coverage import Span, united, without
from replication.domain.reporting.audit_words import LossKind

RECREATED = "topic_recreated"
_MAX_REASON_CHARS = 200
_EXACT_FIRST: tuple[LossKind, ...] = ("dead_lettered", "skipped", "gap")
_REFUSAL = re.compile(r"offset (\d+) \((\d+) records\): (.*)", re.DOTALL)
_LETTER = "__connect.errors."


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLoss:
    """Source offsets [first, next) of a partition, recorded as not copied at `at_ms`."""

    partition: int
    kind: LossKind
    first: int
    next: int
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """The source record that a dead letter replaces."""

    topic: str
    loss: RecordedLoss


def gap_loss(fields: Mapping[str, Any], topic_id: str) -> RecordedLoss | None:
    """A gap record (docs/contracts/gap-records.md) of this incarnation; None where it names no offsets of it."""
    first, following = fields.get("from_offset"), fields.get("to_offset")
    if fields.get("topic_id") != topic_id or not isinstance(first, int) or not isinstance(following, int):
        return None
    if first >= following:
        return None
    return RecordedLoss(
        partition=int(fields["partition"]),
        kind="gap",
        first=first,
        next=following,
        reason=f"gap record: {fields.get('cause')}",
        at_ms=int(fields.get("detected_ms") or 0),
    )


def letter_of(headers: Iterable[tuple[str, str | bytes | None]], at_ms: int) -> Letter | None:
    """From the headers of a dead letter; None where they name no record."""
    found = {name: _text(value) for name, value in headers if value is not None}
    try:
        topic, partition, offset = (found[_LETTER + name] for name in ("topic", "partition", "offset"))
        first = int(offset)
        number = int(partition)
    except (KeyError, ValueError):
        return None
    reason = _cut(f"dead letter: {found.get(_LETTER + 'exception.message', '')}")
    loss = RecordedLoss(partition=number, kind="dead_lettered", first=first, next=first + 1, reason=reason, at_ms=at_ms)
    return Letter(topic=topic, loss=loss)


def skipped_of(partition: int, text: str, at_ms: int) -> RecordedLoss | None:
    """From the text of an event `record_refused`; None where it names no offset."""
    found = _REFUSAL.match(text)
    if found is None:
        return None
    first = int(found[1])
    reason = _cut(f"skipped: {found[3]}")
    return RecordedLoss(
        partition=partition, kind="skipped", first=first, next=first + int(found[2]), reason=reason, at_ms=at_ms
    )


def not_copied(recorded: Iterable[RecordedLoss], named: Sequence[Span]) -> list[RecordedLoss]:
    """Return the losses that no run names, each offset once, ascending; of two of one offset the more exact one.

    `recorded` are of one partition; `named` are the source offsets that runs name, ascending and disjoint.
    """
    own = list(recorded)
    taken = list(named)
    result: list[RecordedLoss] = []
    for kind in _EXACT_FIRST:
        found = list(_disjoint(each for each in own if each.kind == kind))
        parts = [
            replace(each, first=first, next=following)
            for each in found
            for first, following in without(taken, each.first, each.next)
        ]
        taken = united(sorted([*taken, *((each.first, each.next) for each in parts)]))
        result += parts
    return sorted(result, key=lambda each: each.first)


def within_range(losses: Sequence[RecordedLoss], first: int, following: int) -> list[RecordedLoss]:
    """The parts inside of [first, following); `losses` is ascending and disjoint."""
    start = max(0, bisect_right(losses, first, key=lambda each: each.first) - 1)
    near = itertools.takewhile(lambda each: each.first < following, itertools.islice(losses, start, None))
    return [
        replace(each, first=max(each.first, first), next=min(each.next, following))
        for each in near
        if each.next > first
    ]


def _disjoint(some: Iterable[RecordedLoss]) -> Iterable[RecordedLoss]:
    reached = -1
    for each in sorted(some, key=lambda one: (one.first, -one.next)):
        if each.next > reached:
            yield replace(each, first=max(each.first, reached))
            reached = each.next


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode(errors="replace")


def _cut(reason: str) -> str:
    return reason[:_MAX_REASON_CHARS]
