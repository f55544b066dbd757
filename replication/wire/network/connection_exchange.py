"""Replaces open connections by ones with another login, without a break.

The new connection logs in while the old one still serves. Then it takes the old one's place; its requests wait until
those of the old one are answered, so that a broker sees them in their order. A refused login leaves the old connection
in its place, and is tried again.
"""

from collections.abc import Collection
from typing import Any, Protocol

import kafka.errors as kafka_errors
import structlog

from replication.ports.loop import Loop
from replication.wire.network.cluster_login import ClusterLogin
from replication.wire.network.error_translation import is_refusal
from replication.wire.network.frame_connection import FrameConnection

log = structlog.get_logger(__name__)

AGAIN_S = 1.0  # after a refusal, or a broker that did not answer
ROOM_S = 0.05


class LoginConnection(FrameConnection):
    """A connection that knows its login."""

    login: ClusterLogin


class ExchangingManager(Protocol):
    """The connections of one link, as an exchange sees them."""

    alias: str

    def wants(self, login: ClusterLogin) -> bool:
        """Return whether the login is the newest one."""

    def uses(self, login: ClusterLogin) -> bool:
        """Return whether each new connection logs in like this."""

    def connection_to(self, node: Any) -> LoginConnection | None:
        """Return the connection that serves requests to the broker, if there is one."""

    async def open_beside(self, node: Any, login: ClusterLogin) -> LoginConnection:
        """Return a further connection to the broker, which no request uses yet. Raises why there is none."""

    def put(self, node: Any, connection: LoginConnection) -> None:
        """Send further requests to the broker over this connection, and use its login for all new ones."""


class ConnectionExchange:
    """The exchange of one manager's connections after a change of its login."""

    def __init__(self, loop: Loop, manager: ExchangingManager) -> None:
        self._loop = loop
        self._manager = manager
        self._leaving: set[FrameConnection] = set()
        self._refused: dict[Any, Exception] = {}  # by broker
        self._running: set[tuple[Any, ClusterLogin]] = set()

    @property
    def refusal(self) -> Exception | None:
        """Why a broker still has a connection with the former login; None when it refuses nothing."""
        return next(iter(self._refused.values()), None)

    def begin(self, nodes: Collection[Any], login: ClusterLogin) -> None:
        """Exchange the connections to these brokers, one beside the other."""
        for node in nodes:
            if (node, login) not in self._running:
                self._running.add((node, login))
                self._loop.spawn(self._exchange(node, login))

    def forget(self) -> None:
        """Forget refusals: another login is wanted."""
        self._refused.clear()

    def abort(self) -> None:
        """Cut the connections that were replaced and still wait for answers."""
        for connection in tuple(self._leaving):
            if connection.transport is not None:
                connection.transport.abort(kafka_errors.KafkaConnectionError("closed by us"))

    async def _exchange(self, node: Any, login: ClusterLogin) -> None:
        try:
            while self._manager.wants(login):
                old = self._manager.connection_to(node)
                if old is None or old.login is login:
                    if self._manager.uses(login):
                        return  # as every later connection does
                elif await _is_open(old) and await self._replace(node, old, login):
                    return
                await self._loop.sleep(AGAIN_S)
        except Exception:
            log.exception("connection keeps its former login", cluster=self._manager.alias, broker=node)
            raise
        finally:
            self._running.discard((node, login))
            if self._manager.wants(login):
                self._refused.pop(node, None)

    async def _replace(self, node: Any, old: LoginConnection, login: ClusterLogin) -> bool:
        """Return whether a new connection has taken the place."""
        while not login.may_exchange():
            await self._loop.sleep(ROOM_S)
        try:
            new = await self._manager.open_beside(node, login)
        except (kafka_errors.KafkaError, OSError) as error:
            if is_refusal(error) and self._manager.wants(login):
                self._refused[node] = error
            log.info("new login not in use yet", cluster=self._manager.alias, broker=node, error=str(error))
            return False
        finally:
            login.exchanged()
        if not self._manager.wants(login):
            new.close()
            return True
        await self._take_over(node, old, new)
        return True

    async def _take_over(self, node: Any, old: LoginConnection, new: LoginConnection) -> None:
        self._refused.pop(node, None)
        serving = self._manager.connection_to(node)
        new.is_held = True
        self._manager.put(node, new)
        try:
            await self._finish(old)
            if serving is not None:
                await self._finish(serving)
        finally:
            new.let_go()

    async def _finish(self, old: LoginConnection) -> None:
        if old.closed:
            return
        self._leaving.add(old)
        try:
            await old.drained()
        finally:
            self._leaving.discard(old)
        if not old.closed:
            old.close()


async def _is_open(connection: LoginConnection) -> bool:
    """Wait until the connection is open; False when it has ended."""
    try:
        await connection
    except (kafka_errors.KafkaError, OSError):
        return False
    return not connection.closed
