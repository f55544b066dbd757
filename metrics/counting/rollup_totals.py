"""Adds up the latest reports of partitions to totals of topics and flows. Pure."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeVar

from metrics.counting.group_rows import LatestReport, SeriesKey
from replication.domain.health.partition_state import WORST_FIRST

# Idle partitions report once a minute; one that missed two reports is silent: its lag is unknown, and so is the sum.
# A report from longer after a time says as little of that time.
HEARD_WITHIN_MS = 180_000
# One that is silent for this long is taken to be deleted or deselected, and no longer makes its topic's lag unknown.
MEMBER_WITHIN_MS = 3_600_000

_FOR_EVER_MS = 1 << 62

Number = TypeVar("Number", int, float)

_RANKS: dict[str, int] = {state: rank for rank, state in enumerate(WORST_FIRST)}


class ReportTotal(NamedTuple):
    """The total of some partitions at a time; `known` of its `members` have a lag."""

    members: int = 0
    known: int = 0
    lag: int = 0
    states: frozenset[str] = frozenset()
    last_ms: int | None = None
    records_per_second: float | None = None
    bytes_per_second: float | None = None
    # Holds for the times [holds_from_ms, silent_from_ms): before and after them another partition is heard or silent.
    holds_from_ms: int = 0
    silent_from_ms: int = 0

    def holds(self, at_ms: int) -> bool:
        """True at the times for which this sum is the same."""
        return self.holds_from_ms <= at_ms < self.silent_from_ms

    @property
    def known_lag(self) -> int | None:
        """The sum of the latest readings of all partitions; None when one is unknown or silent, or there is none."""
        return self.lag if self.known and self.known == self.members else None

    def as_now(self, at_ms: int) -> LatestReport:
        """The row of a topic or flow."""
        return LatestReport(
            state=worst_state(self.states),
            cause=None,
            covered_to=None,
            log_end=None,
            downstream_end=None,
            lag=self.known_lag,
            last_ms=at_ms if self.last_ms is None else self.last_ms,
            records_per_second=self.records_per_second,
            bytes_per_second=self.bytes_per_second,
        )


def total_of(nows: Collection[LatestReport], at_ms: int, now_ms: float = math.inf) -> ReportTotal:
    """Add up the last reports of partitions at a time; with an infinite `now_ms` no clock counts as broken.

    One that was heard of long before that time is unknown then, and so is one that was heard of long after it. One
    whose clock is an hour ahead of both times is none of them: it would be unknown for as long.
    """
    times = [now.last_ms for now in nows]
    oldest_ms, newest_ms = min(times, default=0), max(times, default=0)
    first_ms, last_ms = at_ms - HEARD_WITHIN_MS, at_ms + HEARD_WITHIN_MS
    heard: Collection[LatestReport] = nows
    members = len(times)
    holds_from_ms, silent_from_ms = newest_ms - HEARD_WITHIN_MS, oldest_ms + HEARD_WITHIN_MS + 1
    if oldest_ms < first_ms or newest_ms > last_ms:
        heard = [now for now in nows if first_ms <= now.last_ms <= last_ms]
        broken_ms = max(at_ms, now_ms) + MEMBER_WITHIN_MS
        members = sum(1 for each_ms in times if at_ms - MEMBER_WITHIN_MS <= each_ms <= broken_ms)
        holds_from_ms, silent_from_ms = _held_around(at_ms, set(times))
    lags = [now.lag for now in heard if now.lag is not None]
    return ReportTotal(
        members=members,
        known=len(lags),
        lag=sum(lags),
        states=frozenset([now.state for now in heard]),
        last_ms=max((now.last_ms for now in heard), default=None),
        records_per_second=sum_known([now.records_per_second for now in heard]),
        bytes_per_second=sum_known([now.bytes_per_second for now in heard]),
        holds_from_ms=holds_from_ms,
        silent_from_ms=silent_from_ms,
    )


def _held_around(at_ms: int, times: Collection[int]) -> tuple[int, int]:
    """Return the range of time around `at_ms` in which the same partitions count as members and as reporting.

    Empty where a report lies more than an hour ahead: the real time decides then.
    """
    if max(times, default=0) > at_ms + MEMBER_WITHIN_MS:
        return at_ms, at_ms
    changes = [
        change_ms
        for time_ms in times
        for change_ms in (
            time_ms - MEMBER_WITHIN_MS,
            time_ms - HEARD_WITHIN_MS,
            time_ms + HEARD_WITHIN_MS + 1,
            time_ms + MEMBER_WITHIN_MS + 1,
        )
    ]
    earlier = [change_ms for change_ms in changes if change_ms <= at_ms]
    later = [change_ms for change_ms in changes if change_ms > at_ms]
    return max(earlier, default=at_ms), min(later, default=_FOR_EVER_MS)


def combined(sums: Iterable[ReportTotal]) -> ReportTotal:
    """Combine several totals."""
    found = list(sums)
    return ReportTotal(
        members=sum([each.members for each in found]),
        known=sum([each.known for each in found]),
        lag=sum([each.lag for each in found]),
        states=frozenset().union(*{each.states for each in found}),
        last_ms=max((each.last_ms for each in found if each.last_ms is not None), default=None),
        records_per_second=sum_known([each.records_per_second for each in found]),
        bytes_per_second=sum_known([each.bytes_per_second for each in found]),
        holds_from_ms=max((each.holds_from_ms for each in found), default=0),
        silent_from_ms=min((each.silent_from_ms for each in found), default=0),
    )


class RollupTotals:
    """Takes reports of one batch on top of what was known of its topics.

    `topics` are those of the batch with all of their partitions, which are this object's own; `flows` names the topics
    of each flow. `now_ms` as `total_of` takes it.
    """

    def __init__(
        self,
        topics: Mapping[SeriesKey, dict[SeriesKey, LatestReport]],
        flows: Mapping[SeriesKey, Collection[SeriesKey]],
        now_ms: float = math.inf,
    ) -> None:
        self._topics = topics
        self._flows = flows
        self._sums: dict[SeriesKey, ReportTotal] = {}
        self._now_ms = now_ms
        self._sound_ms = now_ms + MEMBER_WITHIN_MS  # a clock beyond it is broken
        self._newest_ms: dict[SeriesKey, int] = {}  # of the batch's partitions, by topic

    def report(self, topic: SeriesKey, reports: Iterable[tuple[SeriesKey, LatestReport]]) -> None:
        """Add reports of a topic's partitions."""
        members = self._topics[topic]
        newest_ms = self._newest_ms.get(topic, 0)
        for key, now in reports:
            members[key] = known = newer(members.get(key), now)
            if newest_ms < known.last_ms <= self._sound_ms:
                newest_ms = known.last_ms
        if newest_ms:
            self._newest_ms[topic] = newest_ms
        self._sums.pop(topic, None)

    def topic(self, key: SeriesKey, at_ms: int) -> ReportTotal:
        """A topic at a time, from its partitions heard of around then."""
        found = self._sums.get(key)
        if found is None or not found.holds(at_ms):
            found = total_of(self._topics[key].values(), at_ms, self._now_ms)
            if found.holds(at_ms):
                self._sums[key] = found
        return found

    def flow(self, key: SeriesKey, at_ms: int) -> ReportTotal:
        """Return a flow's total at a time."""
        return combined(self.topic(topic, at_ms) for topic in self._flows[key])

    def newest(self) -> dict[SeriesKey, int]:
        """Return the batch's topics, each with the time of its newest report in the batch."""
        return {
            key: self._newest_ms.get(key) or max((now.last_ms for now in members.values()), default=0)
            for key, members in self._topics.items()
        }


def soundness(at_ms: int, now_ms: float) -> tuple[bool, int]:
    """Return a sort key for times: the latest is highest, except those of broken clocks."""
    return at_ms <= now_ms + MEMBER_WITHIN_MS, at_ms


def newer(known: LatestReport | None, now: LatestReport) -> LatestReport:
    """Return the report of the later period. A batch holds several tasks, and one may be behind another.

    A clock that was hours ahead does not stay in the way of those that are right. A driver that starts does not know
    the time of the last record; while it has copied nothing, that is what was known before.
    """
    if known is None:
        return now
    if 0 < known.last_ms - now.last_ms < MEMBER_WITHIN_MS:
        return known
    if now.last_record_ms is None and now.covered_to == known.covered_to:
        return now._replace(last_record_ms=known.last_record_ms)
    return now


def worst_state(states: Iterable[str]) -> str:
    """Return the worst state; an unknown state counts as the worst."""
    return min(states, key=lambda state: _RANKS.get(state, -1), default="unknown")


def sum_known(values: Iterable[Number | None]) -> Number | None:
    """Return the sum of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
