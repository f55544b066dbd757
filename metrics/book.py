"""What the writer remembers of a target's series between batches; the store holds the same and is the truth."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from metrics.coverage import Reach
from metrics.schemas import FLOW_TOPIC, WHOLE_TOPIC
from metrics.transforms.group_rows import Now, SeriesKey

# Idle partitions report once a minute; one that missed two reports is silent: its lag is unknown, and so is the sum.
HEARD_WITHIN_MS = 180_000
# One that is silent for this long is taken to be deleted or deselected, and no longer makes its topic's lag unknown.
MEMBER_WITHIN_MS = 3_600_000

Number = TypeVar("Number", int, float)

_WORST_FIRST = ("failed", "gap", "stalled", "throttled", "paused", "starting", "replicating", "caught_up")


_RANKS = {state: rank for rank, state in enumerate(_WORST_FIRST)}


@dataclass(frozen=True, slots=True)
class PartitionState:
    """A source partition as last reported."""

    reach: Reach
    now: Now


class SeriesBook:
    """The partitions of one target, found by topic and by flow."""

    def __init__(self, states: Mapping[SeriesKey, PartitionState] | None = None) -> None:
        self._states: dict[SeriesKey, PartitionState] = {}
        self._members: defaultdict[SeriesKey, set[SeriesKey]] = defaultdict(set)
        self.update(states or {})

    def update(self, states: Mapping[SeriesKey, PartitionState]) -> None:
        """Take over what has been committed."""
        for key, state in states.items():
            self._states[key] = state
            self._members[topic_of(key)].add(key)
            self._members[flow_of(key)].add(key)

    def __len__(self) -> int:
        return len(self._states)

    def state(self, key: SeriesKey) -> PartitionState | None:
        return self._states.get(key)

    def active(self, now_ms: int) -> int:
        """How many partitions were heard of lately."""
        return sum(1 for state in self._states.values() if state.now.last_ms >= now_ms - HEARD_WITHIN_MS)

    def wholes(self, keys: Iterable[SeriesKey]) -> "Wholes":
        """The topics and flows of these partitions, with all their partitions as they are known now."""
        found = {whole for key in keys for whole in (topic_of(key), flow_of(key))}
        return Wholes(
            {whole: {member: self._states[member].now for member in self._members.get(whole, ())} for whole in found}
        )


class Wholes:
    """Topics and flows as their partitions make them; takes reports of one batch on top of what the book knew."""

    def __init__(self, members: dict[SeriesKey, dict[SeriesKey, Now]]) -> None:
        self._members = members

    @property
    def keys(self) -> Iterable[SeriesKey]:
        return self._members.keys()

    def report(self, key: SeriesKey, now: Now) -> None:
        """One more report of a partition."""
        for whole in (topic_of(key), flow_of(key)):
            members = self._members[whole]
            members[key] = newer(members.get(key), now)

    def lag(self, key: SeriesKey, at_ms: int) -> int | None:
        """The sum of the latest readings of all partitions; None when one is unknown or silent, or there is none."""
        members = [now for now in self._members[key].values() if now.last_ms >= at_ms - MEMBER_WITHIN_MS]
        lags = [now.lag for now in members if now.lag is not None and now.last_ms >= at_ms - HEARD_WITHIN_MS]
        return sum(lags) if lags and len(lags) == len(members) else None

    def now(self, key: SeriesKey, at_ms: int) -> Now:
        """A topic or flow at a time, from its partitions heard of until then."""
        heard = self._heard(key, at_ms)
        return Now(
            state=worst_state({now.state for now in heard}),
            cause=None,
            covered_to=None,
            log_end=None,
            downstream_end=None,
            lag=self.lag(key, at_ms),
            last_ms=max((now.last_ms for now in heard), default=at_ms),
            records_per_second=_sum_known(now.records_per_second for now in heard),
            bytes_per_second=_sum_known(now.bytes_per_second for now in heard),
        )

    def _heard(self, key: SeriesKey, at_ms: int) -> list[Now]:
        since_ms = at_ms - HEARD_WITHIN_MS
        return [now for now in self._members[key].values() if now.last_ms >= since_ms]


def newer(known: Now | None, now: Now) -> Now:
    """The report of the later period: tasks share a batch, and one may be behind the other.

    A clock that was hours ahead does not stay in the way of those that are right.
    """
    if known is not None and 0 < known.last_ms - now.last_ms < MEMBER_WITHIN_MS:
        return known
    return now


def topic_of(key: SeriesKey) -> SeriesKey:
    """The series of the topic as a whole."""
    return SeriesKey(key[0], key[1], key[2], key[3], WHOLE_TOPIC)


def flow_of(key: SeriesKey) -> SeriesKey:
    """The series of the flow."""
    return SeriesKey(key[0], key[1], FLOW_TOPIC, "", WHOLE_TOPIC)


def worst_state(states: Iterable[str]) -> str:
    """The state that deserves attention first; one we do not know counts as the worst."""
    return min(states, key=lambda state: _RANKS.get(state, -1), default="unknown")


def _sum_known(values: Iterable[Number | None]) -> Number | None:
    """The sum of what is known, None when nothing is."""
    total: Number | None = None
    for value in values:
        if value is not None:
            total = value if total is None else total + value
    return total
