"""Starts the jobs of this process: parked jobs of source slots, short jobs of everything else, the self-ping."""

from collections.abc import Callable
from dataclasses import dataclass

from replication.worker.clock import Clock
from replication.worker.jobs.group_registry import GroupKey, GroupRegistry
from replication.worker.jobs.source_group import SourceGroup
from replication.worker.periodic.periodic_jobs import PeriodicJobs, SendRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSender:
    """Sends Celery messages to the process's own queue; all may raise anything the broker throws."""

    start: Callable[[GroupKey, str], None]  # group of source slots, epoch
    run: SendRuns
    ping: Callable[[], None]


class Jobs:
    """The coordinator thread calls all methods."""

    def __init__(self, groups: GroupRegistry, periodic: PeriodicJobs, sender: JobSender, clock: Clock) -> None:
        self._groups = groups
        self._periodic = periodic
        self._sender = sender
        self._clock = clock

    def start_parked(self) -> None:
        """Send start messages to source slots that no job runs. Raises what the broker raises."""
        now_ms = self._clock.monotonic_ms()
        for key, group in self._groups.items():
            if isinstance(group, SourceGroup) and group.needs_job():
                epoch = group.ticket.issue(now_ms)
                if epoch is not None:
                    self._sender.start(key, epoch)

    def start_due(self, *, is_away: bool) -> None:
        """Start the periodic runs that are due; cheap enough for several calls a second."""
        self._periodic.send_due(is_away=is_away)

    def ping(self) -> None:
        self._sender.ping()

    @property
    def is_running(self) -> bool:
        parked = (group for _, group in self._groups.items() if isinstance(group, SourceGroup))
        return self._periodic.is_running or any(group.ticket.running for group in parked)

    def run_source(self, target: str, source: str, epoch: str) -> None:
        """Run source slots until they have nothing to do; on a thread of Celery. Stale messages are dropped."""
        group = self._groups.get(GroupKey("source", target, source))
        if not isinstance(group, SourceGroup) or not group.ticket.begin(epoch):
            return
        try:
            group.run()
        finally:
            group.ticket.end()

    def run_batch(self, name: str) -> None:
        """Run a batch of periodic runs; on a thread of Celery."""
        self._periodic.run(name)
