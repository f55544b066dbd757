"""A changed login replaces open connections one by one; requests keep their order, and a refusal costs nothing."""

from collections.abc import Generator
from typing import Any, cast

import kafka.errors as kafka_errors

from replication.config.security.client_security import ClientSecurity
from replication.wire.network.cluster_login import EXCHANGES_AT_ONCE, ClusterLogin
from replication.wire.network.connection_exchange import ConnectionExchange, ExchangingManager
from replication.wire.network.error_translation import LoginRefusedError
from tests.support.engine.virtual_loop import VirtualLoop

LOGIN_S = 0.1


class Connection:
    """One that is open; it drains when the test says so."""

    def __init__(self, loop: VirtualLoop, login: ClusterLogin) -> None:
        self._loop = loop
        self.login = login
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

    def __init__(self, loop: VirtualLoop, brokers: int) -> None:
        self._loop = loop
        self.newest = self.in_use = ClusterLogin(ClientSecurity())
        self.exchange = ConnectionExchange(loop, cast("ExchangingManager", self))
        self.connections = {node: Connection(loop, self.in_use) for node in range(brokers)}
        self.refuses: Exception | None = None
        self.opening = self.most_opening = self.tried = 0

    def wants(self, login: ClusterLogin) -> bool:
        return login is self.newest

    def uses(self, login: ClusterLogin) -> bool:
        return login is self.in_use

    def connection_to(self, node: int) -> Connection | None:
        connection = self.connections.get(node)
        return None if connection is None or connection.closed else connection

    async def open_beside(self, _node: int, login: ClusterLogin) -> Connection:
        self.tried += 1
        self.opening += 1
        self.most_opening = max(self.most_opening, self.opening)
        await self._loop.sleep(LOGIN_S)
        self.opening -= 1
        if self.refuses is not None:
            raise self.refuses
        return Connection(self._loop, login)

    def put(self, node: int, connection: Connection) -> None:
        self.connections[node] = connection
        self.in_use = connection.login

    def change_login(self) -> None:
        self.newest = ClusterLogin(ClientSecurity())
        self.exchange.forget()
        self.exchange.begin(list(self.connections), self.newest)


def a_manager(brokers: int = 1) -> tuple[VirtualLoop, Manager]:
    loop = VirtualLoop()
    return loop, Manager(loop, brokers)


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


def test_a_connection_that_ends_meanwhile_is_replaced_when_there_is_another_one() -> None:
    loop, manager = a_manager()
    manager.refuses = LoginRefusedError("wrong password")
    manager.change_login()
    loop.run_for(2)

    manager.connections[0].closed = True
    loop.run_for(2)
    tried = manager.tried
    loop.run_for(3)
    assert manager.tried == tried, "nothing is there to be replaced"
    manager.connections[0] = again = Connection(loop, manager.in_use)
    manager.refuses = None
    loop.run_for(2)

    assert manager.connections[0] is not again
    assert again.closed
    assert manager.connections[0].login is manager.newest


def test_a_broker_without_a_connection_needs_no_exchange_once_another_one_accepts_the_login() -> None:
    loop, manager = a_manager(brokers=2)
    manager.connections[1].closed = True

    manager.change_login()
    loop.run_for(5)

    assert manager.tried == 1
    assert not manager.exchange._running


def test_few_connections_log_in_at_once() -> None:
    loop, manager = a_manager(brokers=50)
    old = set(manager.connections.values())

    manager.change_login()
    loop.run_until(lambda: not old & set(manager.connections.values()), limit_s=10)

    assert manager.most_opening == EXCHANGES_AT_ONCE
