"""Advertises this service in its targets and reads the advertisements of others, each cluster in its own thread."""

import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import structlog
from django.conf import settings
from django.db import close_old_connections

from replication.domain.errors import ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.lists.service_advertisements import ServiceAdvertisements
from srm_service.remote.services import note_read, note_sent, note_unreadable, own_advertisement
from srm_service.wiring import service_advertisements

_log = structlog.get_logger(__name__)
_THREADS = 16
_AFTER_FAILURE_S = 30.0  # brokers log each refused request


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterWork:
    """What is done in a cluster: advertise these targets (none: nothing), and read what others advertise."""

    client: ClusterClient
    targets: tuple[str, ...] = ()
    is_read: bool = False
    replication_factor: int


class AdvertisementFollower:
    """One per process. Keeps a cluster's connections open; one thread at a time works in a cluster."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="advertisements")
        self._running: set[str] = set()
        self._next_s: dict[str, float] = {}
        self._open: dict[str, tuple[ClusterClient, ServiceAdvertisements]] = {}

    def start(self, works: Mapping[str, ClusterWork]) -> None:
        """Begin what is due in each cluster, unless a thread is still at it."""
        for alias, work in works.items():
            with self._lock:
                if alias in self._running or time.monotonic() < self._next_s.get(alias, 0.0):
                    continue
                self._running.add(alias)
            self._pool.submit(self._run, work)

    def follow(self, work: ClusterWork) -> bool:
        """Advertise and read in one cluster now; returns False after a failure, which is noted."""
        alias = work.client.alias
        try:
            advertisements = self._advertisements(work.client)
        except ReplicationError as error:
            note_sent(alias, error.text) if work.targets else None
            note_unreadable(alias, error.text) if work.is_read else None
            return False
        is_sent = self._advertise(work, advertisements)
        is_read = self._read(work, advertisements)
        if not (is_sent and is_read):
            self._close(alias)
        return is_sent and is_read

    def _advertise(self, work: ClusterWork, advertisements: ServiceAdvertisements) -> bool:
        own = own_advertisement(work.targets)
        if own is None:
            return True
        try:
            advertisements.advertise(own, replication_factor=work.replication_factor)
        except ReplicationError as error:
            note_sent(work.client.alias, error.text)
            return False
        note_sent(work.client.alias)
        return True

    def _read(self, work: ClusterWork, advertisements: ServiceAdvertisements) -> bool:
        if not work.is_read:
            return True
        try:
            note_read(work.client.alias, advertisements.read())
        except ReplicationError as error:
            note_unreadable(work.client.alias, error.text)
            return False
        return True

    def _run(self, work: ClusterWork) -> None:
        alias, wait_s = work.client.alias, _AFTER_FAILURE_S
        try:
            if self.follow(work):
                wait_s = settings.SRM_REMOTE.interval_ms / 1000
        except Exception:
            _log.exception("advertisements not followed", cluster=alias)
            self._close(alias)
        finally:
            close_old_connections()
            with self._lock:
                self._running.discard(alias)
                self._next_s[alias] = time.monotonic() + wait_s

    def _advertisements(self, client: ClusterClient) -> ServiceAdvertisements:
        known = self._open.get(client.alias)
        if known is not None and known[0] == client:
            return known[1]
        self._close(client.alias)
        opened = service_advertisements(client)
        self._open[client.alias] = (client, opened)
        return opened

    def _close(self, alias: str) -> None:
        known = self._open.pop(alias, None)
        if known is not None:
            known[1].close()


follower = AdvertisementFollower()
