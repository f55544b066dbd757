"""Replaces open connections by ones with another login, without a break.

The new connection logs in while the old one still serves. Then it takes the old one's place; its requests wait until
those of the old one are answered, so that a broker sees them in their order. A refused login leaves the old connection
in its place, as long as the broker lets it, and is tried again.
"""

from typing import TYPE_CHECKING, Any

import kafka.errors as kafka_errors
import structlog

from replication.wire.network.cluster_login import ClusterLogin
from replication.wire.network.error_translation import is_refusal
from replication.wire.network.frame_connection import FrameConnection
from replication.wire.network.loop import EngineLoop

if TYPE_CHECKING:
    from replication.wire.network.cluster_connections import ClusterConnections

log = structlog.get_logger(__name__)

AGAIN_S = 1.0  # after a refusal, or a broker that did not answer
ROOM_S = 0.05


class ConnectionExchange:
    """The exchange of one manager's connections after a change of its login."""

    def __init__(self, loop: EngineLoop, manager: "ClusterConnections") -> None:
        self._loop = loop
        self._manager = manager
        self._leaving: set[FrameConnection] = set()
        self._refused: dict[Any, Exception] = {}  # by broker

    @property
    def refusal(self) -> Exception | None:
        """Why a broker still has a connection with the former login; None when it refuses nothing."""
        return next(iter(self._refused.values()), None)

    def begin(self, connections: dict[Any, FrameConnection], login: ClusterLogin) -> None:
        """Exchange these connections, by broker, one beside the other."""
        self._refused.clear()
        for node, connection in connections.items():
            self._loop.spawn(self._exchange(node, connection, login))

    def abort(self) -> None:
        """Cut the connections that were replaced and still wait for answers."""
        for connection in tuple(self._leaving):
            if connection.transport is not None:
                connection.transport.abort(kafka_errors.KafkaConnectionError("closed by us"))

    async def _exchange(self, node: Any, old: FrameConnection, login: ClusterLogin) -> None:
        try:
            while not await self._has_ended(old) and self._manager.uses(login):
                if await self._replace(node, old, login):
                    return
                await self._loop.sleep(AGAIN_S)
        finally:
            if self._manager.uses(login):
                self._refused.pop(node, None)

    async def _has_ended(self, old: FrameConnection) -> bool:
        """Wait until the connection is open. True when it is not, or not any more: the next one is a new one anyway."""
        try:
            await old
        except (kafka_errors.KafkaError, OSError):
            return True
        return bool(old.closed)

    async def _replace(self, node: Any, old: FrameConnection, login: ClusterLogin) -> bool:
        """Return whether nothing is left to do."""
        while not login.may_exchange():
            await self._loop.sleep(ROOM_S)
        try:
            new = await self._manager.open_beside(node)
        except (kafka_errors.KafkaError, OSError) as error:
            if is_refusal(error) and self._manager.uses(login):
                self._refused[node] = error
            log.info("new login not in use yet", cluster=self._manager.alias, broker=node, error=str(error))
            return False
        finally:
            login.exchanged()
        if old.closed or not self._manager.uses(login):
            new.close()
            return True
        await self._take_over(node, old, new)
        return True

    async def _take_over(self, node: Any, old: FrameConnection, new: FrameConnection) -> None:
        new.is_held = True
        self._leaving.add(old)
        self._manager.put(node, new)
        self._refused.pop(node, None)
        try:
            await old.drained()
        finally:
            self._leaving.discard(old)
            new.let_go()
        if not old.closed:
            old.close()
