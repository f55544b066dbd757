"""Follows the control topics of all targets in the background, so that one dead cluster delays no other."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import structlog
from django.db import close_old_connections

from replication.domain.errors import ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.lists.control_topic import ControlTopics
from srm_service.lists.services import lists_follow, lists_unreadable
from srm_service.wiring import control_topics

_log = structlog.get_logger(__name__)
_THREADS = 16


class ListFollower:
    """One per process. Keeps a target's connections open; reads each target in at most one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="lists")
        self._running: set[str] = set()
        self._open: dict[str, tuple[ClusterClient, ControlTopics]] = {}

    def start(self, clients: Iterable[ClusterClient]) -> None:
        """Read each target in the background, unless it is being read."""
        for client in clients:
            with self._lock:
                if client.alias in self._running:
                    continue
                self._running.add(client.alias)
            self._pool.submit(self._run, client)

    def follow(self, client: ClusterClient) -> bool:
        """Read one target now; returns True after a change. A failure is noted with the target's flows."""
        try:
            return lists_follow(client.alias, self._topics(client))
        except ReplicationError as error:
            self._close(client.alias)
            lists_unreadable(client.alias, error.text)
        return False

    def _run(self, client: ClusterClient) -> None:
        try:
            self.follow(client)
        except Exception:
            _log.exception("lists not followed", target=client.alias)
            self._close(client.alias)
        finally:
            close_old_connections()
            with self._lock:
                self._running.discard(client.alias)

    def _topics(self, client: ClusterClient) -> ControlTopics:
        known = self._open.get(client.alias)
        if known is not None and known[0] == client:
            return known[1]
        self._close(client.alias)
        topics = control_topics(client)
        self._open[client.alias] = (client, topics)
        return topics

    def _close(self, alias: str) -> None:
        known = self._open.pop(alias, None)
        if known is not None:
            known[1].close()


follower = ListFollower()
