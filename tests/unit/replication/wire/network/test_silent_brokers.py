"""A broker that is frozen or cut off does not hold up what any other broker of its cluster can say."""

import time
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any

import kafka.errors as kafka_errors
import pytest
from kafka.cluster import ClusterMetadata
from kafka.protocol.metadata import MetadataRequest

from replication.domain.errors import ConfigurationError, RequestTimedOutError
from replication.domain.plan.slot import ClusterClient
from replication.wire.inquiries.first_answer import SILENT_S
from replication.wire.network.buffers import BufferPool
from replication.wire.network.cluster_connections import ClusterConnections
from replication.wire.network.cluster_link import BROKERS_ASKED, ClusterLink
from replication.wire.network.frame_connection import FrameConnection
from replication.wire.network.loop import EngineLoop
from tests.support.engine.virtual_loop import VirtualLoop, VirtualTask

TIMEOUT_S = 30.0


def metadata(*nodes: int) -> Any:
    brokers = [(node, "broker", 9000 + node, None) for node in nodes]
    return SimpleNamespace(brokers=brokers, API_VERSION=12, controller_id=nodes[0], cluster_id="c", topics=[])


class Connection:
    """A connection whose broker answers at once, or never: then it fails when its time is over."""

    def __init__(self, loop: VirtualLoop, is_silent: bool) -> None:
        self._loop = loop
        self._is_silent = is_silent
        self.asked = 0

    def __await__(self) -> Generator[Any, None, None]:
        return self._ready().__await__()

    async def _ready(self) -> None:
        if self._is_silent:
            await self._loop.sleep(TIMEOUT_S)
            raise kafka_errors.KafkaTimeoutError("silent")

    async def send_request(self, _request: Any, request_timeout_ms: float | None = None) -> Any:
        self.asked += 1
        return metadata(1, 2)

    def close(self) -> None:
        return None


class Bootstrap(ClusterConnections):
    """Connects to nothing."""

    def __init__(self, loop: VirtualLoop, silent: set[str]) -> None:
        self._loop: Any = loop
        self.closed = False
        self.cluster = ClusterMetadata(bootstrap_servers=["one:1", "two:2", "three:3"])
        self.cluster.start_refresh_loop = lambda: None
        self._backoff: dict[Any, Any] = {}
        self._conns = {node: Connection(loop, node in silent) for node in ("bootstrap-0", "bootstrap-1", "bootstrap-2")}
        self.config = {"reconnect_backoff_ms": 50, "reconnect_backoff_max_ms": 1_000}
        self.config |= {"socket_connection_setup_timeout_ms": 1_000, "socket_connection_setup_timeout_max_ms": 1_000}

    def get_connection(self, node_id: Any, *_args: Any, **_options: Any) -> Any:
        return self._conns[node_id]


def test_the_first_metadata_come_from_another_broker_when_one_is_silent() -> None:
    loop = VirtualLoop()
    manager = Bootstrap(loop, silent={"bootstrap-0"})
    task = loop.spawn(manager._do_bootstrap(time.monotonic() + 1_000))  # type: ignore[arg-type] # its True is of no use
    began_s = loop.monotonic_s()

    loop.run_until(lambda: task.done)

    assert task.error is None
    assert loop.monotonic_s() - began_s == pytest.approx(SILENT_S)
    assert {broker.node_id for broker in manager.cluster.brokers()} == {1, 2}


class Manager:
    """Brokers 1 to `known`: those in `silent` answer when the time is over, with a time-out."""

    def __init__(self, loop: VirtualLoop, known: int, silent: set[int], failure: Exception | None = None) -> None:
        self._loop = loop
        self._known = range(1, known + 1)
        self._silent = silent
        self._failure = failure
        self.asked: list[tuple[Any, Any]] = []  # node, request
        self.cluster = SimpleNamespace(request_update=lambda: None)

    def least_loaded_node(self, without: list[Any]) -> int | None:
        return next((node for node in self._known if node not in without), None)

    def send(self, request: Any, *, node_id: Any, request_timeout_ms: int | None) -> Any:
        self.asked.append((node_id, request))
        return self._answer(node_id)

    async def _answer(self, node: Any) -> Any:
        if self._failure is not None:
            raise self._failure
        if node in self._silent or node is None:
            await self._loop.sleep(TIMEOUT_S)
            raise kafka_errors.RequestTimedOutError(f"node {node}")
        return node

    def forget_auth_failures(self) -> None:
        return None


def link_over(loop: VirtualLoop, manager: Manager) -> ClusterLink:
    engine_loop = EngineLoop("test")
    link = ClusterLink(engine_loop, BufferPool(1), ClusterClient(alias="near", bootstrap=("h:1",)), "test")
    engine_loop.stop(1.0)
    link._loop, link._manager = loop, manager  # type: ignore[assignment]
    return link


def ask_any(loop: VirtualLoop, manager: Manager, node: int | None = None) -> tuple[VirtualTask, list[int], float]:
    """Return the ended question, its answers, and how many seconds it took."""
    link, answers, began_s = link_over(loop, manager), list[int](), loop.monotonic_s()

    async def ask() -> None:
        answers.append(await link.send(MetadataRequest(topics=[]), node, doing="asking"))

    task = loop.spawn(ask())
    loop.run_until(lambda: task.done)
    return task, answers, loop.monotonic_s() - began_s


def test_a_question_to_any_broker_goes_to_another_one_when_one_is_silent() -> None:
    loop = VirtualLoop()
    manager = Manager(loop, known=3, silent={1})

    _, answers, took_s = ask_any(loop, manager)

    assert answers == [2]
    assert took_s == pytest.approx(SILENT_S)
    assert manager.asked[0][1] is not manager.asked[1][1]  # a request remembers its connection's numbers


def test_a_question_to_one_broker_goes_to_no_other_one() -> None:
    loop = VirtualLoop()
    manager = Manager(loop, known=3, silent={1})

    task, _, took_s = ask_any(loop, manager, node=1)

    assert isinstance(task.error, RequestTimedOutError)
    assert took_s == pytest.approx(TIMEOUT_S)
    assert [node for node, _ in manager.asked] == [1]


def test_no_more_than_a_few_brokers_are_asked() -> None:
    loop = VirtualLoop()
    manager = Manager(loop, known=20, silent=set(range(1, 21)))

    task, _, _ = ask_any(loop, manager)

    assert isinstance(task.error, RequestTimedOutError)
    assert len(manager.asked) == BROKERS_ASKED


def test_a_refusal_that_every_broker_would_repeat_is_raised_at_once() -> None:
    loop = VirtualLoop()
    manager = Manager(loop, known=3, silent=set(), failure=kafka_errors.IncompatibleBrokerVersion("too old"))

    task, _, _ = ask_any(loop, manager)

    assert isinstance(task.error, ConfigurationError)
    assert len(manager.asked) == 1


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return the node that is chosen of connections: (connected, in flight, seconds since the oldest was sent)."""

    def choose(without: tuple[int, ...] = (), **connections: tuple[bool, int, float]) -> Any:
        manager = object.__new__(ClusterConnections)
        manager.cluster = ClusterMetadata(bootstrap_servers=["one:1"])
        manager.cluster.update_metadata(metadata(*(int(name.removeprefix("node")) for name in connections)))
        manager._backoff, manager._conns = {}, {}
        for name, (connected, waiting, since_s) in connections.items():
            connection = object.__new__(FrameConnection)
            sent_at = time.monotonic() - since_s
            connection.in_flight_requests = [(0, None, sent_at, 0.0, None)] * waiting
            connection.began_at, connection.paused = sent_at, set()
            monkeypatch.setattr(type(connection), "connected", property(lambda each: each.is_up), raising=False)
            connection.is_up = connected
            manager._conns[int(name.removeprefix("node"))] = connection
        return manager.least_loaded_node(without)

    return choose


def test_a_broker_that_owes_an_answer_for_long_is_the_last_choice(chosen: Callable[..., Any]) -> None:
    late, soon = SILENT_S + 1, 0.1

    assert chosen(node1=(True, 1, late), node2=(True, 3, soon)) == 2
    assert chosen(node1=(False, 0, late), node2=(True, 3, soon)) == 2  # it does not even connect
    assert chosen(node1=(True, 1, late)) == 1
    assert chosen(node1=(True, 0, late), node2=(True, 1, soon)) == 1  # it owes nothing
    assert chosen(node1=(True, 0, soon), node2=(True, 1, soon), without=(1,)) == 2
    assert chosen(node1=(True, 0, soon), without=(1,)) is None
