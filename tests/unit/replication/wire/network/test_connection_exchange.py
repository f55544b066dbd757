"""A changed login replaces open connections one by one; requests keep their order, and a refusal costs nothing."""

from collections.abc import Generator
from typing import Any

import kafka.errors as kafka_errors

from replication.config.security.client_security import ClientSecurity
from replication.wire.network.cluster_login import EXCHANGES_AT_ONCE, ClusterLogin
from replication.wire.network.connection_exchange import ConnectionExchange
from replication.wire.network.error_translation import LoginRefusedError
from tests.support.engine.virtual_loop import VirtualLoop

LOGIN_S = 0.1


class Connection:
    """One that is open; it drains when the test says so."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self.closed = self.is_held = False
        self.has_open_requests = False
        self.transport = None

    def __await__(self) -> Generator[Any, None, None]:
        return self._loop.sleep(0).__await__()

    async def drained(self) -> None:
        while self.has_open_requests and not self.closed:
            await self._loop.sleep(0.01)

    def let_go(self) -> None:
        self.is_held = False

    def close(self) -> None:
        self.closed = True


class Manager:
    """Of connections to brokers; `refuses` is raised at each login."""

    alias = "east"

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self.login = ClusterLogin(ClientSecurity())
        self.exchange = ConnectionExchange(loop, self)  # type: ignore[arg-type]
        self.connections: dict[int, Connection] = {}
        self.refuses: Exception | None = None
        self.opening = self.most_opening = self.tried = 0

    def uses(self, login: ClusterLogin) -> bool:
        return login is self.login

    async def open_beside(self, _node: int) -> Connection:
        self.tried += 1
        self.opening += 1
        self.most_opening = max(self.most_opening, self.opening)
        await self._loop.sleep(LOGIN_S)
        self.opening -= 1
        if self.refuses is not None:
            raise self.refuses
        return Connection(self._loop)

    def put(self, node: int, connection: Connection) -> None:
        self.connections[node] = connection

    def change_login(self) -> None:
        self.login = ClusterLogin(ClientSecurity())
        self.exchange.begin(dict(self.connections), self.login)  # type: ignore[arg-type]


def a_manager(brokers: int = 1) -> tuple[VirtualLoop, Manager]:
    loop = VirtualLoop()
    manager = Manager(loop)
    manager.connections = {node: Connection(loop) for node in range(brokers)}
    return loop, manager


def test_requests_wait_for_the_answers_of_the_connection_before() -> None:
    loop, manager = a_manager()
    old = manager.connections[0]
    old.has_open_requests = True

    manager.change_login()
    loop.run_until(lambda: manager.connections[0] is not old)
    loop.run_for(5)
    new = manager.connections[0]
    assert new.is_held
    assert not old.closed

    old.has_open_requests = False
    loop.run_for(0.1)
    assert old.closed
    assert not new.is_held
    assert not new.closed


def test_a_refused_login_leaves_the_connection_in_its_place_and_is_tried_again() -> None:
    loop, manager = a_manager()
    old = manager.connections[0]
    manager.refuses = LoginRefusedError("wrong password")

    manager.change_login()
    loop.run_for(10)
    assert manager.connections[0] is old
    assert not old.closed
    assert manager.exchange.refusal is manager.refuses
    assert 5 <= manager.tried <= 10

    manager.refuses = None
    loop.run_for(2)
    assert manager.connections[0] is not old
    assert manager.exchange.refusal is None


def test_a_broker_that_does_not_answer_is_no_refusal() -> None:
    loop, manager = a_manager()
    manager.refuses = kafka_errors.KafkaConnectionError("away")

    manager.change_login()
    loop.run_for(3)

    assert manager.exchange.refusal is None
    assert manager.tried >= 2


def test_a_login_that_is_changed_again_ends_the_tries_with_the_one_before() -> None:
    loop, manager = a_manager()
    manager.refuses = LoginRefusedError("wrong password")
    manager.change_login()
    loop.run_for(3)

    manager.refuses = None
    manager.change_login()
    loop.run_for(3)
    tried = manager.tried
    loop.run_for(10)

    assert manager.exchange.refusal is None
    assert manager.tried == tried


def test_a_connection_that_ends_by_itself_is_not_replaced() -> None:
    loop, manager = a_manager()
    manager.refuses = LoginRefusedError("wrong password")
    manager.change_login()
    loop.run_for(2)

    manager.connections[0].closed = True
    loop.run_for(2)
    tried = manager.tried
    loop.run_for(10)

    assert manager.tried == tried
    assert manager.exchange.refusal is None


def test_few_connections_log_in_at_once() -> None:
    loop, manager = a_manager(brokers=50)
    old = set(manager.connections.values())

    manager.change_login()
    loop.run_until(lambda: not old & set(manager.connections.values()), limit_s=10)

    assert manager.most_opening == EXCHANGES_AT_ONCE
