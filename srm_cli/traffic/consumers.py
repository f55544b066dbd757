"""Reads the demonstration's topics as a consumer group until it is told to stop."""

import threading
import time
from collections.abc import Callable

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.groups.group_member import GroupMember
from srm_cli.traffic.topics import DemoGroup

_READ_SECONDS = 1.0
_RETRY_SECONDS = 2.0

_log = structlog.get_logger(__name__)


class GroupTraffic:
    """One member of a group. `run` continues through broker restarts: it reports, waits and joins again."""

    def __init__(
        self,
        cluster: ClusterClient,
        group: DemoGroup,
        stop: threading.Event,
        *,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cluster = cluster
        self._group = group
        self._stop = stop
        self._monotonic_s = monotonic_s

    def run(self) -> None:
        while not self._stop.is_set():
            try:
                self._read_for_a_while()
            except ReplicationError as error:
                _log.warning("group_interrupted", group=self._group.name, error=str(error))
                self._stop.wait(_RETRY_SECONDS)
            else:
                self._stop.wait(self._group.rests_seconds)

    def _read_for_a_while(self) -> None:
        """Read until the group rests, or until the end without rests."""
        member = GroupMember(self._cluster, self._group.name, self._group.topics)
        ends_s = self._monotonic_s() + self._group.reads_seconds
        try:
            while not self._stop.is_set() and (not self._group.rests_seconds or self._monotonic_s() < ends_s):
                member.read(_READ_SECONDS)
        finally:
            member.close()
