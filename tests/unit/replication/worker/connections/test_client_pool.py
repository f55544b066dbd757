"""Clients of clusters: one for all flows, another for other credentials, closed when idle, opened again."""

import threading
from dataclasses import dataclass, field, replace

import pytest

from replication.domain.errors import ConfigurationError
from replication.domain.plan.slot import ClusterClient
from replication.worker.connections.client_pool import ClientPool

EAST = ClusterClient(alias="east", bootstrap=("e:1",), client={"sasl.password": "old"})


@dataclass
class Client:
    cluster: ClusterClient
    is_closed: bool = False
    calls: int = 0
    alias: str = "east"
    close_error: Exception | None = None

    def list_topics(self, prefix: str = "") -> str:
        assert not self.is_closed
        self.calls += 1
        return f"{prefix}{self.calls}"

    def close(self) -> None:
        if self.close_error is not None:
            raise self.close_error
        self.is_closed = True


@dataclass
class Bench:
    opened: list[Client] = field(default_factory=list)
    now_s: float = 100.0

    def __post_init__(self) -> None:
        self.pool: ClientPool[Client] = ClientPool(self._open, idle_s=30, monotonic_s=lambda: self.now_s)

    def _open(self, cluster: ClusterClient) -> Client:
        if not cluster.bootstrap:
            raise ConfigurationError("no servers")
        self.opened.append(Client(cluster))
        return self.opened[-1]


def test_flows_share_the_client_of_a_cluster() -> None:
    bench = Bench()
    first, second = bench.pool.client(EAST), bench.pool.client(replace(EAST, client=dict(EAST.client)))
    assert bench.opened == []

    assert (first.list_topics(), second.list_topics(prefix="t"), first.alias) == ("1", "t2", "east")
    first.close()

    assert second.list_topics() == "3"
    assert len(bench.opened) == 1


def test_other_credentials_get_another_client_and_the_old_one_is_closed() -> None:
    bench = Bench()
    bench.pool.client(EAST).list_topics()
    bench.now_s += 20

    rotated = bench.pool.client(replace(EAST, client={"sasl.password": "new"}))
    rotated.list_topics()
    bench.now_s += 20
    bench.pool.close_idle()

    assert [client.is_closed for client in bench.opened] == [True, False]
    assert bench.pool.open_clients == 1


def test_an_idle_client_is_closed_and_opened_again_by_the_next_call() -> None:
    bench = Bench()
    client = bench.pool.client(EAST)
    client.list_topics()

    bench.now_s += 30
    bench.pool.close_idle()
    assert bench.pool.open_clients == 0

    assert client.list_topics() == "1"
    assert [each.is_closed for each in bench.opened] == [True, False]


def test_a_client_that_fails_to_close_keeps_no_other_one_open() -> None:
    bench = Bench()
    for alias in ("east", "north", "west"):
        bench.pool.client(replace(EAST, alias=alias)).list_topics()
    bench.opened[0].close_error = RuntimeError("the broker is gone")

    bench.pool.close()

    assert [client.is_closed for client in bench.opened] == [False, True, True]
    assert bench.pool.open_clients == 0


def test_a_client_in_use_is_not_closed() -> None:
    bench = Bench()
    with bench.pool.use(EAST) as client:
        bench.now_s += 1_000
        bench.pool.close_idle()
        bench.pool.close()
        assert not client.is_closed

    bench.pool.close()
    assert client.is_closed


def test_a_cluster_that_opens_slowly_delays_no_other() -> None:
    released, opening = threading.Event(), threading.Event()

    def open_client(cluster: ClusterClient) -> Client:
        if cluster.alias == "slow":
            opening.set()
            released.wait(30)
        return Client(cluster)

    pool: ClientPool[Client] = ClientPool(open_client)
    slow = pool.client(replace(EAST, alias="slow"))
    thread = threading.Thread(target=lambda: slow.list_topics())  # its first attribute opens the client
    thread.start()
    assert opening.wait(10)

    assert pool.client(EAST).list_topics() == "1"
    released.set()
    thread.join(10)


def test_settings_that_no_client_takes_are_refused_at_each_call() -> None:
    bench = Bench()
    client = bench.pool.client(replace(EAST, bootstrap=()))

    for _ in range(2):
        with pytest.raises(ConfigurationError, match="no servers"):
            client.list_topics()
