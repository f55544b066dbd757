"""Clients of clusters that flows share: opened at the first call, closed when no flow uses them."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, cast

import structlog

from replication.domain.plan.slot import ClusterClient

log = structlog.get_logger(__name__)
IDLE_S = 30.0  # longer than the usual interval of heartbeats


class Closable(Protocol):
    def close(self) -> None: ...


Client = TypeVar("Client", bound=Closable)
_Key = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class _Entry(Generic[Client]):
    """The client of a cluster with certain settings; one that is open and in use is not closed."""

    cluster: ClusterClient
    opening: threading.Lock = field(default_factory=threading.Lock)
    client: Client | None = None
    users: int = 0
    used_s: float = 0.0


class ClientPool(Generic[Client]):
    """Thread-safe. A cluster whose settings change, such as its credentials, gets another client.

    `close_idle` closes the clients without a call for a while; their next call opens them again.
    """

    def __init__(
        self,
        open_client: Callable[[ClusterClient], Client],
        *,
        idle_s: float = IDLE_S,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_client = open_client
        self._idle_s = idle_s
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._entries: dict[_Key, _Entry[Client]] = {}

    def client(self, cluster: ClusterClient) -> Client:
        """Return the shared client as an object of the caller's own, which `close` leaves open for the others."""
        return cast("Client", _Borrowed(self, cluster))

    @contextmanager
    def use(self, cluster: ClusterClient) -> Iterator[Client]:
        """The open client, for the time of a call. Raises ConfigurationError for settings that no client takes."""
        entry = self._entered(cluster)
        try:
            with entry.opening:  # of this cluster only: others do not wait
                if entry.client is None:
                    entry.client = self._open_client(cluster)
                client = entry.client
            yield client
        finally:
            with self._lock:
                entry.users -= 1
                entry.used_s = self._monotonic_s()

    def _entered(self, cluster: ClusterClient) -> _Entry[Client]:
        key = (cluster.alias, cluster.bootstrap, tuple(sorted(cluster.client.items())))
        with self._lock:
            entry = self._entries.setdefault(key, _Entry(cluster))
            entry.users += 1
            return entry

    @property
    def open_clients(self) -> int:
        with self._lock:
            return sum(entry.client is not None for entry in self._entries.values())

    def close_idle(self) -> None:
        self._close(lambda entry: self._monotonic_s() - entry.used_s >= self._idle_s)

    def close(self) -> None:
        """Close all clients that are not in use."""
        self._close(lambda _: True)

    def _close(self, is_over: Callable[[_Entry[Client]], bool]) -> None:
        with self._lock:
            ended = {key: entry for key, entry in self._entries.items() if not entry.users and is_over(entry)}
            for key in ended:
                del self._entries[key]
        for entry in ended.values():
            if entry.client is not None:
                _close_client(entry.cluster, entry.client)


def _close_client(cluster: ClusterClient, client: Closable) -> None:
    """Close a client; one that fails to close keeps no other one open."""
    name = type(client).__name__
    try:
        client.close()
        log.debug("idle client closed", cluster=cluster.alias, client=name)
    except Exception as error:  # of any client library
        log.warning("client failed to close", cluster=cluster.alias, client=name, error=str(error))


class _Borrowed:
    """Passes each call on to the client of the pool."""

    def __init__(self, pool: ClientPool[Any], cluster: ClusterClient) -> None:
        self._pool = pool
        self._cluster = cluster

    def __getattr__(self, name: str) -> Any:  # of the client, whose type the caller knows
        with self._pool.use(self._cluster) as client:
            found = getattr(client, name)
        if not callable(found):
            return found
        call = self.__dict__[name] = self._call_of(name)  # the next call does not come here
        return call

    def _call_of(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            with self._pool.use(self._cluster) as client:
                return getattr(client, name)(*arguments, **options)

        return call

    def close(self) -> None:
        """The pool closes the client when no one uses it."""
