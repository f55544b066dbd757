"""Sends the due runs of planners, heartbeats and checkpoint tasks as short Celery jobs, and runs them.

A message carries the number of a batch. What the batch runs is kept here, so a message that comes late or twice finds
nothing to do.
"""

import itertools
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import structlog

from replication.domain.errors import ClusterUnreachableError, ReplicationError
from replication.domain.identifiers import TaskKind
from replication.domain.scheduling.admission import ClusterAnswers, PeriodicRun, Wait, admit
from replication.worker.clock import Clock
from replication.worker.jobs.group_registry import GroupKey, GroupRegistry
from replication.worker.periodic.periodic_group import DueRun, PeriodicGroup

log = structlog.get_logger(__name__)
RESEND_MS = 10_000  # a message may be lost with Redis
SAY_WAITING_MS = 5_000  # shorter waits are not worth a word
HEARTBEATS_PER_JOB = 25

SendRuns = Callable[[TaskKind, str, list[str], str], None]  # kind, target, sources, batch; may raise anything


@dataclass(slots=True, kw_only=True)
class _Batch:
    """Runs of one kind that need the same clusters, one after the other on one thread."""

    what: Literal["run", "end"]
    kind: TaskKind
    target: str
    groups: list[tuple[GroupKey, PeriodicGroup[Any]]]
    clusters: frozenset[str]
    since_ms: int
    sent_ms: int = 0
    began_ms: int | None = None


class PeriodicJobs:
    """The coordinator thread calls `send_due`, Celery's threads `run`."""

    def __init__(
        self, groups: GroupRegistry, send: SendRuns, clock: Clock, *, driver: str, boot: str, capacity: int
    ) -> None:
        """`capacity` is the most runs at once."""
        self._groups = groups
        self._send = send
        self._clock = clock
        self._driver = driver
        self._boot = boot
        self._capacity = capacity
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._batches: dict[int, _Batch] = {}
        self._busy: set[GroupKey] = set()  # in a batch
        self._answers = ClusterAnswers()

    @property
    def is_running(self) -> bool:
        with self._lock:
            return any(batch.began_ms is not None for batch in self._batches.values())

    def send_due(self, *, is_away: bool) -> None:
        """Send what is due and has room; while Redis is away, run it on threads of this process.

        `is_away` also runs the batches whose message has not arrived: a process that stops consumes no more messages.
        """
        now_ms = self._clock.monotonic_ms()
        with self._lock:
            lost = self._lost(now_ms, 0 if is_away else RESEND_MS)
            waiting = self._due_batches(now_ms)
            admission = admit(
                [_as_run(number, batch, batch.since_ms) for number, batch in waiting.items() if batch.what == "run"],
                [_as_run(number, batch, batch.sent_ms) for number, batch in self._batches.items()],
                self._answers,
                self._capacity,
                now_ms,
            )
            ends = [number for number, batch in waiting.items() if batch.what == "end"]
            for number in (*ends, *admission.admitted):
                batch = self._batches[number] = waiting[number]
                batch.sent_ms = now_ms
                self._busy.update(key for key, _ in batch.groups)
        for number, batch in lost.items():
            self._start(number, batch, is_away)
        for number, wait in admission.waiting.items():
            self._show_waiting(waiting[number], wait, now_ms)
        for number in ends:
            self._run_here(number)
        for number in admission.admitted:
            self._start(number, waiting[number], is_away)

    def _lost(self, now_ms: int, after_ms: int) -> dict[int, _Batch]:
        """Return the batches whose message has not arrived in time; the message that arrives first runs the batch."""
        lost = {
            number: batch
            for number, batch in self._batches.items()
            if batch.began_ms is None and now_ms - batch.sent_ms >= after_ms
        }
        for batch in lost.values():
            batch.sent_ms = now_ms
        return lost

    def _forget(self, number: int) -> None:
        self._busy.difference_update(key for key, _ in self._batches.pop(number).groups)

    def _due_batches(self, now_ms: int) -> dict[int, _Batch]:
        """Due runs by a new number; heartbeats of one target share batches."""
        found: list[_Batch] = []
        beats: dict[str, _Batch] = {}
        for key, group in self._groups.items():
            if not isinstance(group, PeriodicGroup) or key in self._busy or (due := group.due(now_ms)) is None:
                continue
            shared = beats.get(key.target) if key.kind == "heartbeat" and due.what == "run" else None
            if shared is not None and len(shared.groups) < HEARTBEATS_PER_JOB:
                shared.groups.append((key, group))
                shared.since_ms = min(shared.since_ms, due.since_ms)
                continue
            batch = _new_batch(key, group, due)
            found.append(batch)
            if key.kind == "heartbeat" and due.what == "run":
                beats[key.target] = batch
        return {next(self._numbers): batch for batch in found}

    def _start(self, number: int, batch: _Batch, is_away: bool) -> None:
        for _, group in batch.groups:
            group.wait_for_room(None)
        if is_away:
            self._run_here(number)
            return
        try:
            self._send(batch.kind, batch.target, [key.source for key, _ in batch.groups], f"{self._boot}:{number}")
        except Exception as error:  # of the broker; a message that arrives all the same is dropped
            log.warning("job not sent, it runs without celery", kind=batch.kind, target=batch.target, error=str(error))
            self._run_here(number)

    def _run_here(self, number: int) -> None:
        name = f"{self._boot}:{number}"
        threading.Thread(target=self.run, args=(name,), name="srm-periodic", daemon=True).start()

    def _show_waiting(self, batch: _Batch, wait: Wait, now_ms: int) -> None:
        if now_ms - batch.since_ms < SAY_WAITING_MS:
            return
        text = self._no_room(wait)
        for _, group in batch.groups:
            group.wait_for_room(text)

    def _no_room(self, wait: Wait) -> str:
        if wait.bound == "cluster":
            return (
                f"waits until other runs over cluster {wait.cluster} have ended, because a slow cluster must not delay "
                f"others; check that the brokers of {wait.cluster} answer"
            )
        return (
            f"has no room: control worker {self._driver} runs {self._capacity} periodic jobs at once; start another "
            "control worker, or raise SRM_PERIODIC_CAPACITY"
        )

    def run(self, name: str) -> None:
        """Run a batch by the name in its message. Stale messages are dropped."""
        boot, _, digits = name.rpartition(":")
        now_ms = self._clock.monotonic_ms()
        with self._lock:
            number = int(digits) if boot == self._boot and digits.isdigit() else -1
            batch = self._batches.get(number)
            if batch is None or batch.began_ms is not None:
                log.debug("message dropped", batch=name)
                return
            batch.began_ms = batch.sent_ms = now_ms
        try:
            self._run_groups(batch)
        finally:
            with self._lock:
                self._forget(number)

    def _run_groups(self, batch: _Batch) -> None:
        """Run all, unless a cluster does not answer: then the others fail with the same cause."""
        if len(batch.groups) > 1:
            all(group.prepare() for _, group in batch.groups)
        for at, (_, group) in enumerate(batch.groups):
            error = group.run()
            if batch.what == "end":
                continue
            self._note(batch.clusters, error)
            if isinstance(error, ClusterUnreachableError):
                for _, other in batch.groups[at + 1 :]:
                    other.fail(error)
                return

    def _note(self, clusters: Iterable[str], error: Exception | None) -> None:
        now_ms = self._clock.monotonic_ms()
        with self._lock:
            if error is None:
                self._answers.note_answer(clusters, now_ms)
            elif isinstance(error, ReplicationError) and error.cluster is not None:
                self._answers.note_failure(error.cluster, now_ms)


def _new_batch(key: GroupKey, group: PeriodicGroup[Any], due: DueRun) -> _Batch:
    return _Batch(
        what=due.what,
        kind=key.kind,
        target=key.target,
        groups=[(key, group)],
        clusters=due.clusters,
        since_ms=due.since_ms,
    )


def _as_run(number: int, batch: _Batch, since_ms: int) -> PeriodicRun:
    return PeriodicRun(number=number, clusters=batch.clusters, since_ms=since_ms)
