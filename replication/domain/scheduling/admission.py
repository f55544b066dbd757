"""Decides which due runs start, so that a cluster that does not answer delays the runs of no other cluster.

A run blocks a thread until its clusters have answered. The number of runs at once is bounded in three ways: for the
process, for one cluster, and for all clusters without a recent answer together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

SLOW_MS = 2_000  # a run that takes longer is a sign that its cluster does not answer
SMALLEST_CAPACITY = 8
_CLUSTER_SHARE = 2  # of the capacity: for one cluster that answers, and for all others together
_DOUBTFUL_SHARE = 8  # for one cluster without an answer

Bound = Literal["capacity", "cluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicRun:
    """A run that is due, or has been started: its number, the clusters it needs, and since when, in monotonic ms."""

    number: int
    clusters: frozenset[str]
    since_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """The reason for which a due run does not start: no thread is free, or none that its cluster may take."""

    bound: Bound
    cluster: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The numbers of the runs that start now, and why the others wait."""

    admitted: tuple[int, ...]
    waiting: Mapping[int, Wait]


@dataclass(slots=True)
class ClusterAnswers:
    """The times of each cluster's last answer and last failure, in monotonic ms."""

    _answered_ms: dict[str, int] = field(default_factory=dict)
    _failed_ms: dict[str, int] = field(default_factory=dict)

    def note_answer(self, clusters: Iterable[str], now_ms: int) -> None:
        self._answered_ms.update(dict.fromkeys(clusters, now_ms))

    def note_failure(self, cluster: str, now_ms: int) -> None:
        self._failed_ms[cluster] = now_ms

    def doubtful(self, clusters: Iterable[str], running: Iterable[PeriodicRun], now_ms: int) -> frozenset[str]:
        """Return the clusters that have never answered, that failed since, or that a slow run waits for."""
        silent = {
            cluster
            for run in running
            if now_ms - run.since_ms > SLOW_MS
            for cluster in run.clusters
            if self._answered_ms.get(cluster, -1) <= run.since_ms
        }
        return frozenset(
            cluster
            for cluster in clusters
            if cluster in silent
            or cluster not in self._answered_ms
            or self._failed_ms.get(cluster, -1) > self._answered_ms[cluster]
        )


def admit(
    due: Iterable[PeriodicRun], running: Iterable[PeriodicRun], answers: ClusterAnswers, capacity: int, now_ms: int
) -> Admission:
    """Admit due runs, the one that has waited longest first. `capacity` is the most runs at once."""
    waiting_runs, started = sorted(due, key=lambda run: (run.since_ms, run.number)), list(running)
    needed = Counter(cluster for run in [*waiting_runs, *started] for cluster in run.clusters)
    room = _Room(capacity, answers.doubtful(needed, started, now_ms), needed)
    for run in started:
        room.admit(run)
    admitted: list[int] = []
    waiting: dict[int, Wait] = {}
    for run in waiting_runs:
        wait = room.wait(run)
        if wait is None:
            room.admit(run)
            admitted.append(run.number)
        else:
            waiting[run.number] = wait
    return Admission(admitted=tuple(admitted), waiting=waiting)


class _Room:
    """Counts runs by process, by cluster, and those that wait for doubtful clusters."""

    def __init__(self, capacity: int, doubtful: frozenset[str], needed: Mapping[str, int]) -> None:
        self._capacity = capacity
        self._doubtful = doubtful
        self._needed = needed  # the number of runs by cluster
        self._all = self._doubted = 0
        self._by_cluster: Counter[str] = Counter()

    def admit(self, run: PeriodicRun) -> None:
        self._all += 1
        self._doubted += bool(run.clusters & self._doubtful)
        self._by_cluster.update(self._blamed(run))

    def wait(self, run: PeriodicRun) -> Wait | None:
        """Return None if the run has room."""
        if self._all >= self._capacity:
            return Wait(bound="capacity")
        for cluster in sorted(self._blamed(run)):
            if self._by_cluster[cluster] >= self._most(cluster):
                return Wait(bound="cluster", cluster=cluster)
        if run.clusters & self._doubtful and self._doubted >= self._capacity // _CLUSTER_SHARE:
            return Wait(bound="cluster", cluster=min(self._blamed(run)))
        return None

    def _blamed(self, run: PeriodicRun) -> frozenset[str]:
        """The clusters whose share a run takes: a cluster that answers does not pay for one that does not.

        If several are in doubt, it is the one that the fewest runs need: many sources may share a target.
        """
        doubtful = run.clusters & self._doubtful
        if not doubtful:
            return run.clusters
        return frozenset({min(doubtful, key=lambda cluster: (self._needed[cluster], cluster))})

    def _most(self, cluster: str) -> int:
        return max(1, self._capacity // (_DOUBTFUL_SHARE if cluster in self._doubtful else _CLUSTER_SHARE))
