"""What the writer remembers of a target's series between batches; the store holds the same and is the truth."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from metrics.coverage import Reach
from metrics.schemas import FLOW_TOPIC, WHOLE_TOPIC
from metrics.transforms.group_rows import Now, SeriesKey

# Idle partitions report once a minute; one that missed two reports no longer counts in its topic's lag and rates.
HEARD_WITHIN_MS = 180_000

Number = TypeVar("Number", int, float)

_WORST_FIRST = ("failed", "gap", "stalled", "throttled", "paused", "starting", "replicating", "caught_up")


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

    def whole(self, key: SeriesKey, newer: Mapping[SeriesKey, Now], at_ms: int) -> Now:
        """A topic or flow at a time, from its partitions heard of until then; `newer` goes over what is known."""
        heard = [now for now in self._nows(key, newer) if now.last_ms >= at_ms - HEARD_WITHIN_MS]
        return Now(
            state=worst_state(now.state for now in heard),
            cause=None,
            covered_to=None,
            log_end=None,
            downstream_end=None,
            lag=_sum_known(now.lag for now in heard),
            last_ms=max((now.last_ms for now in heard), default=at_ms),
            records_per_second=_sum_known(now.records_per_second for now in heard),
            bytes_per_second=_sum_known(now.bytes_per_second for now in heard),
        )

    def _nows(self, key: SeriesKey, newer: Mapping[SeriesKey, Now]) -> Iterator[Now]:
        known = self._members.get(key, set())
        for member in known:
            yield newer.get(member) or self._states[member].now
        whole = topic_of if key.topic != FLOW_TOPIC else flow_of
        for member, now in newer.items():
            if member not in known and whole(member) == key:
                yield now


def topic_of(key: SeriesKey) -> SeriesKey:
    """The series of the topic as a whole."""
    return key._replace(partition=WHOLE_TOPIC)


def flow_of(key: SeriesKey) -> SeriesKey:
    """The series of the flow."""
    return SeriesKey(key.source, key.target, FLOW_TOPIC, "", WHOLE_TOPIC)


def worst_state(states: Iterable[str]) -> str:
    """The state that deserves attention first; one we do not know counts as the worst."""
    ranked = {state: rank for rank, state in enumerate(_WORST_FIRST)}
    return min(states, key=lambda state: ranked.get(state, -1), default="unknown")


def _sum_known(values: Iterable[Number | None]) -> Number | None:
    """The sum of what is known, None when nothing is."""
    total: Number | None = None
    for value in values:
        if value is not None:
            total = value if total is None else total + value
    return total
