"""Topics and flows as their partitions make them. Pure; a topic is summed up once, a flow from its topics."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeVar

from metrics.schemas import FLOW_TOPIC, WHOLE_TOPIC
from metrics.transforms.group_rows import Now, SeriesKey

# Idle partitions report once a minute; one that missed two reports is silent: its lag is unknown, and so is the sum.
HEARD_WITHIN_MS = 180_000
# One that is silent for this long is taken to be deleted or deselected, and no longer makes its topic's lag unknown.
MEMBER_WITHIN_MS = 3_600_000

Number = TypeVar("Number", int, float)

_WORST_FIRST = ("failed", "gap", "stalled", "throttled", "paused", "starting", "replicating", "caught_up")
_RANKS = {state: rank for rank, state in enumerate(_WORST_FIRST)}


class WholeSum(NamedTuple):
    """Some partitions at a time. Of the heard ones: states, newest report, rates; `known` of `members` have a lag."""

    members: int = 0
    known: int = 0
    lag: int = 0
    states: frozenset[str] = frozenset()
    last_ms: int | None = None
    records_per_second: float | None = None
    bytes_per_second: float | None = None
    silent_from_ms: int = 0  # from here on one of them is silent, and this sum holds no more

    @property
    def known_lag(self) -> int | None:
        """The sum of the latest readings of all partitions; None when one is unknown or silent, or there is none."""
        return self.lag if self.known and self.known == self.members else None

    def as_now(self, at_ms: int) -> Now:
        """The row of a topic or flow."""
        return Now(
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


def summed(nows: Collection[Now], at_ms: int) -> WholeSum:
    """Partitions as they were last heard of, at a time."""
    heard_ms, member_ms = at_ms - HEARD_WITHIN_MS, at_ms - MEMBER_WITHIN_MS
    heard = [now for now in nows if now.last_ms >= heard_ms]
    lags = [now.lag for now in heard if now.lag is not None]
    oldest_ms = min((now.last_ms for now in nows), default=0)
    return WholeSum(
        members=len(heard) if oldest_ms >= heard_ms else sum(1 for now in nows if now.last_ms >= member_ms),
        known=len(lags),
        lag=sum(lags),
        states=frozenset([now.state for now in heard]),
        last_ms=max((now.last_ms for now in heard), default=None),
        records_per_second=sum_known([now.records_per_second for now in heard]),
        bytes_per_second=sum_known([now.bytes_per_second for now in heard]),
        silent_from_ms=oldest_ms + HEARD_WITHIN_MS + 1,
    )


def united(sums: Iterable[WholeSum]) -> WholeSum:
    """Several of them as one."""
    found = list(sums)
    return WholeSum(
        members=sum([each.members for each in found]),
        known=sum([each.known for each in found]),
        lag=sum([each.lag for each in found]),
        states=frozenset().union(*{each.states for each in found}),
        last_ms=max((each.last_ms for each in found if each.last_ms is not None), default=None),
        records_per_second=sum_known([each.records_per_second for each in found]),
        bytes_per_second=sum_known([each.bytes_per_second for each in found]),
        silent_from_ms=min((each.silent_from_ms for each in found), default=0),
    )


class Wholes:
    """Takes reports of one batch on top of what the book knew.

    `topics` are those of the batch with all of their partitions, which are this object's own; `flows` names the topics
    of the batch's flows, and `others` finds the partitions of those that are not in the batch. `sums` is a memory of
    sums of the latter, which this object adds to.
    """

    def __init__(
        self,
        topics: Mapping[SeriesKey, dict[SeriesKey, Now]],
        flows: Mapping[SeriesKey, Collection[SeriesKey]],
        others: Mapping[SeriesKey, Mapping[SeriesKey, Now]],
        sums: dict[SeriesKey, WholeSum],
    ) -> None:
        self._topics = topics
        self._flows = flows
        self._others = others
        self._sums = sums
        self._own_sums: dict[SeriesKey, WholeSum] = {}

    def report(self, key: SeriesKey, now: Now) -> None:
        """One more report of a partition."""
        topic = topic_of(key)
        members = self._topics[topic]
        members[key] = newer(members.get(key), now)
        self._own_sums.pop(topic, None)

    def topic(self, key: SeriesKey, at_ms: int) -> WholeSum:
        """A topic at a time, from its partitions heard of until then."""
        own = self._topics.get(key)
        sums = self._sums if own is None else self._own_sums
        found = sums.get(key)
        if found is None or at_ms >= found.silent_from_ms:
            found = summed((self._others[key] if own is None else own).values(), at_ms)
            if at_ms < found.silent_from_ms:  # then it holds for earlier times as well
                sums[key] = found
        return found

    def flow(self, key: SeriesKey, at_ms: int) -> WholeSum:
        """A flow at a time."""
        return united(self.topic(topic, at_ms) for topic in self._flows[key])

    def nows(self, at_ms: int) -> dict[SeriesKey, Now]:
        """The rows of the batch's topics and flows."""
        topics = {key: self.topic(key, at_ms).as_now(at_ms) for key in self._topics}
        return topics | {key: self.flow(key, at_ms).as_now(at_ms) for key in self._flows}


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


def sum_known(values: Iterable[Number | None]) -> Number | None:
    """The sum of what is known, None when nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
