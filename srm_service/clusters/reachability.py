"""The reachability of clusters, probed in the background and cached, so that lists never wait for it."""

import threading
import time
from collections.abc import Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, replace

import structlog

from replication.domain.connection_test.report import (
    ConnectionTest,
    earliest_certificate_end_ms,
    first_problem,
    oldest_kafka_version,
)
from replication.domain.health.flow_facts import StatusCause
from srm_service.clusters.connection_tests import tested
from srm_service.clusters.contracts import ClusterAccess
from srm_service.core.clock import now_ms

_GOOD_FOR_S = 15.0
_DOUBTED_FOR_S = 5.0  # of a cluster that did not answer, or that tasks wait for
_DEADLINE_S = 3.5
TOLD_FOR_MS = 60_000  # an older answer says nothing about now
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reachability:
    """The last answer; `reachable` is None before the first one, and when it is too old to be told."""

    reachable: bool | None = None
    error: str | None = None
    cluster_id: str | None = None
    brokers: int | None = None
    kafka_version: str | None = None
    certificate_until_ms: int | None = None
    checked_ms: int | None = None


def reachable_now(seen: Reachability, lost: StatusCause | None, at_ms: int) -> Reachability:
    """Return what is known of now: an old answer is not, and drivers that lost the cluster since know it better."""
    checked_ms = seen.checked_ms or 0
    if lost is not None and checked_ms < (lost.since_ms or at_ms) and seen.reachable is not False:
        return replace(seen, reachable=False, error=lost.text, checked_ms=lost.since_ms or at_ms)
    is_old = seen.checked_ms is not None and at_ms - checked_ms > TOLD_FOR_MS
    return replace(seen, reachable=None, error=None) if is_old else seen


class ReachabilityBoard:
    """One per process. Probes run in four threads, at most one per cluster at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="probe")
        self._known: dict[str, tuple[float, Reachability]] = {}
        self._running: dict[str, Future[Reachability]] = {}

    def known(self, aliases: Iterable[str]) -> dict[str, Reachability]:
        """The last known answers, without waiting."""
        with self._lock:
            return {alias: self._known.get(alias, (0.0, Reachability()))[1] for alias in aliases}

    def aliases_of(self, cluster_id: str) -> tuple[str, ...]:
        """The aliases under which this Kafka cluster answered last, also of clusters that were deleted since."""
        with self._lock:
            return tuple(sorted(alias for alias, (_, seen) in self._known.items() if seen.cluster_id == cluster_id))

    def stale(self, aliases: Iterable[str], doubted: Collection[str] = ()) -> list[str]:
        """The clusters whose answer is missing or old and that are not being probed; one in doubt is old sooner."""
        now_s = time.monotonic()
        with self._lock:
            return [
                alias
                for alias in aliases
                if alias not in self._running and self._is_old(alias, now_s, alias in doubted)
            ]

    def _is_old(self, alias: str, now_s: float, is_doubted: bool) -> bool:
        if alias not in self._known:
            return True
        seen_s, seen = self._known[alias]
        good_for_s = _DOUBTED_FOR_S if is_doubted or seen.reachable is False else _GOOD_FOR_S
        return now_s - seen_s >= good_for_s

    def start_probe(self, access: ClusterAccess) -> Future[Reachability]:
        """Probe in the background; a running probe is not repeated."""
        with self._lock:
            running = self._running.get(access.alias)
            if running is not None:
                return running
            future = self._pool.submit(self._run_probe, access)
            self._running[access.alias] = future
            return future

    def probe(self, access: ClusterAccess, timeout_s: float) -> Reachability:
        """Probe and wait; a time-out counts as not reachable, even when the cached answer says otherwise."""
        try:
            return self.start_probe(access).result(timeout=timeout_s)
        except FutureTimeoutError:
            text = (
                f"The check of {access.alias} did not finish within {timeout_s:g} s: repeat it, or test the connection."
            )
            return Reachability(reachable=False, error=text, checked_ms=now_ms())

    def _run_probe(self, access: ClusterAccess) -> Reachability:
        try:
            answer = _describe(access)
        finally:
            with self._lock:
                self._running.pop(access.alias, None)
        with self._lock:
            self._known[access.alias] = (time.monotonic(), answer)
        return answer


board = ReachabilityBoard()


def _describe(access: ClusterAccess) -> Reachability:
    """Reachable if one bootstrap broker answers; the error names the broker and the step that failed."""
    try:
        report = tested(access, ConnectionTest(deadline_s=_DEADLINE_S, follows_advertised=False))
    except Exception:
        _log.exception("cluster probe failed", cluster=access.alias)
        return Reachability(
            reachable=False, error="The check failed; the log of the service says why.", checked_ms=now_ms()
        )
    seen = Reachability(
        kafka_version=oldest_kafka_version(report.brokers),
        certificate_until_ms=earliest_certificate_end_ms(report.brokers),
        checked_ms=now_ms(),
    )
    if report.cluster_id is None:
        text = report.error or first_problem(report.brokers) or "No broker answered."
        return replace(seen, reachable=False, error=text)
    return replace(seen, reachable=True, cluster_id=report.cluster_id, brokers=report.broker_count)
