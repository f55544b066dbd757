"""Runs a supervised query per target and follows changes of the targets file."""

from collections.abc import Callable
from threading import Event

import structlog

from metrics.errors import MetricsConfigError
from metrics.stream.supervisor import TargetSupervisor
from metrics.stream.targets import Clusters, MetricsTarget, TargetsFile

log = structlog.get_logger()

_JOIN_S = 6.0  # what the query of a removed target may take to end; its claim is fenced anyhow


class Fleet:
    """Called from the main thread; `clusters` may be read from any."""

    def __init__(
        self, file: TargetsFile, clusters: Clusters, open_one: Callable[[MetricsTarget, Event], TargetSupervisor]
    ):
        self.clusters = clusters
        self._file = file
        self._open_one = open_one
        self._running: dict[str, tuple[MetricsTarget, Event, TargetSupervisor]] = {}

    @property
    def aliases(self) -> tuple[str, ...]:
        return self.clusters.counted

    def refresh(self) -> None:
        """Apply changes of the file; a broken file is reported once, and running queries continue."""
        try:
            found = self._file.changed()
        except MetricsConfigError as error:
            log.warning("targets file not taken over", error=str(error))
            return
        if found is not None:
            self.follow(found)

    def follow(self, clusters: Clusters) -> None:
        """Run a query for each counted target of these, and no other."""
        wanted = {target.alias: target for target in clusters.targets}
        self.clusters = clusters
        for alias, (target, stop, supervisor) in list(self._running.items()):
            if wanted.get(alias) != target:
                stop.set()
                supervisor.join(_JOIN_S)
                del self._running[alias]
                log.info("target left" if alias not in wanted else "target changed", target=alias)
        for alias, target in wanted.items():
            if alias not in self._running:
                stop = Event()
                supervisor = self._open_one(target, stop)
                self._running[alias] = (target, stop, supervisor)
                supervisor.start()

    def stop(self) -> None:
        """Ask all queries to end; `join` waits for them."""
        for _, stop, _ in self._running.values():
            stop.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the queries to end, for each of them at most this long."""
        ended = [supervisor.join(timeout_s) for _, _, supervisor in self._running.values()]
        return all(ended)
