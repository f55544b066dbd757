"""Connections to one cluster that log in through a `ClusterLogin` and speak the newest version both sides know."""

import time
from functools import partial
from typing import Any

import kafka.errors as kafka_errors
from kafka.net.sasl import register_sasl_mechanism
from kafka.net.sasl.abc import SaslMechanism

from replication.kerberos.initiator import KerberosError, KerberosInitiator
from replication.wire.inquiries.first_answer import first_answer
from replication.wire.network.buffers import FrameMemory
from replication.wire.network.cluster_login import ClusterLogin
from replication.wire.network.connection_exchange import ConnectionExchange, LoginConnection
from replication.wire.network.error_translation import LoginRefusedError, is_refusal
from replication.wire.network.frame_connection import FrameConnection, FrameConnectionManager
from replication.wire.network.loop import EngineLoop

BETWEEN_BOOTSTRAPS_S = 0.1


class ClusterConnection(LoginConnection):
    """A frame connection whose login may take time before it begins, the first one and those of KIP-368 alike."""

    loop: EngineLoop

    async def initialize(self, timeout_at: float | None = None) -> None:
        await super().initialize(timeout_at=timeout_at)
        failure = self.init_future.exception
        if failure is None:
            self.login.accepted()
        elif is_refusal(failure):
            self.login.refused(failure)

    async def _sasl_authenticate(self, timeout_at: float | None = None) -> None:
        host = self.transport.host if self.transport is not None else ""
        self.config.update(await self.loop.run_blocking(lambda: self.login.prepare(host)))
        try:
            await super()._sasl_authenticate(timeout_at)
        except (KerberosError, kafka_errors.IllegalSaslStateError, ValueError) as error:
            raise LoginRefusedError(str(error)) from error


class ClusterConnections(FrameConnectionManager):
    """All connections of one link. A changed login is used for new connections once a broker has accepted it."""

    connection_class = ClusterConnection

    def __init__(
        self, loop: EngineLoop, pool: FrameMemory, login: ClusterLogin, alias: str = "", **configs: Any
    ) -> None:
        super().__init__(loop, pool, **configs, **login.settings())
        self.alias = alias
        self._login = self._wanted = login
        self._exchange = ConnectionExchange(loop, self)

    @property
    def refusal(self) -> Exception | None:
        """Why the newest login does not replace the one before, which is still in use; None when it does."""
        return self._exchange.refusal

    def log_in_as(self, login: ClusterLogin) -> None:
        """Exchange the open connections for ones with this login."""
        if self.closed or login.security == self._wanted.security:
            return
        self._wanted = login
        self._exchange.forget()
        if nodes := self._nodes_with_other_logins():
            self._exchange.begin(nodes, login)
        else:
            self._adopt(login)

    def _adopt(self, login: ClusterLogin) -> None:
        """Log in like this from now on."""
        self._login = login
        self.config |= login.settings()
        self.forget_auth_failures()
        self._exchange.begin(self._nodes_with_other_logins(), login)

    def _nodes_with_other_logins(self) -> list[Any]:
        known = {node: each for node, each in self._conns.items() if not self.cluster.is_bootstrap(node)}
        return [node for node, each in known.items() if each.login is not self._wanted]

    def wants(self, login: ClusterLogin) -> bool:
        return self._wanted is login and not self.closed

    def uses(self, login: ClusterLogin) -> bool:
        return self._login is login

    def connection_to(self, node: Any) -> LoginConnection | None:
        connection: LoginConnection | None = self._conns.get(node)
        return connection

    def put(self, node: Any, connection: LoginConnection) -> None:
        self._conns[node] = connection
        connection.close_future.add_both(lambda _: self._forget(connection))
        connection.close_future.add_errback(lambda _: self.cluster.request_update())
        if self._login is not connection.login:
            self._adopt(connection.login)

    async def open_beside(self, node: Any, login: ClusterLogin) -> LoginConnection:
        broker = self.cluster.broker_metadata(node)
        if broker is None:
            raise kafka_errors.UnknownBrokerIdError(node)
        login.check()
        connection = self._made(node, login)
        timeout_at = time.monotonic() + self.socket_connection_setup_timeout_ms(node) / 1000
        self._net.call_soon(lambda: self._connect_beside(broker, connection, timeout_at))
        await connection
        return connection

    async def _connect_beside(self, broker: Any, connection: LoginConnection, timeout_at: float) -> None:
        """As the library's `_connect`; a failure says nothing about the connections in use."""
        try:
            transport = await self._transport_for(connection.login, broker, timeout_at)
            if self.closed:
                transport.close()
                raise kafka_errors.Cancelled  # noqa: TRY301 # the connection learns of it as of any other failure
            connection.connection_made(transport)
            await connection.initialize(timeout_at=timeout_at)
        except Exception as error:
            connection.connection_lost(error)

    def abort(self) -> None:
        self._exchange.abort()
        super().abort()

    def get_connection(self, node_id: Any, *args: Any, **options: Any) -> FrameConnection:
        if node_id not in self._conns:
            if self._login.is_refused and self._login is not self._wanted:
                self._adopt(self._wanted)
            self._login.check()
        return super().get_connection(node_id, *args, **options)

    def _made(self, node_id: Any, login: ClusterLogin | None = None) -> LoginConnection:
        login = login or self._login
        settings = self.config | login.settings()
        connection = self.connection_class(
            self._net, node_id=node_id, broker_version_data=self.broker_version_data, **settings
        )
        connection.login, connection.loop, connection.began_at = login, self._loop, time.monotonic()
        return connection

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        return await self._transport_for(self._login, node, timeout_at)

    async def _transport_for(self, login: ClusterLogin, node: Any, timeout_at: float | None) -> Any:
        try:
            tls = {"ssl_context": await self._loop.run_blocking(login.tls_context)} if self.ssl_enabled else {}
            return await self._open_transport(node, timeout_at, tls)
        except LoginRefusedError as error:
            login.refused(error)
            raise

    async def _do_bootstrap(self, deadline: float | None) -> bool:
        """As the library's, but a silent broker holds up no other one, a refused login is reported immediately, and
        the reason of the last failure at the end.
        """
        failures: list[Exception] = []
        while not self.closed and (deadline is None or time.monotonic() < deadline):
            brokers = self.cluster.bootstrap_brokers()
            asks = [partial(self._bootstrap_from, broker.node_id, deadline, failures) for broker in brokers]
            try:
                await first_answer(self._loop, asks, _is_final)
            except (kafka_errors.KafkaError, OSError) as error:
                if _is_final(error):
                    raise
            else:
                self.cluster.start_refresh_loop()
                return True
            await self._loop.sleep(BETWEEN_BOOTSTRAPS_S)
        raise kafka_errors.KafkaTimeoutError(str(failures[-1]) if failures else "no answer")

    async def _bootstrap_from(self, node_id: Any, deadline: float | None, failures: list[Exception]) -> None:
        """Take over the metadata of this broker; a failure that says why is added to the list."""
        connection = None
        try:
            timeout_ms = None if deadline is None else max(1.0, (deadline - time.monotonic()) * 1000)
            connection = self.get_connection(
                node_id,
                timeout_ms=timeout_ms,
                pop_on_close=False,
                refresh_metadata_on_err=False,
                reset_backoff_on_connect=False,
            )
            await connection
            # not `refresh_metadata`: all callers of that wait for one request, which a frozen broker may have
            self.cluster.update_metadata(
                await connection.send_request(self.cluster.metadata_request(), request_timeout_ms=timeout_ms)
            )
        except (kafka_errors.KafkaError, OSError) as error:
            if not failures or not isinstance(error, kafka_errors.NodeNotReadyError):  # that one only says: wait
                failures.append(error)
            if connection is not None:
                self.update_backoff(node_id)
            raise
        else:
            self.reset_backoff(node_id)
            if not self.cluster.brokers():
                raise kafka_errors.KafkaConnectionError("it names no brokers")
        finally:
            if connection is not None:
                self._conns.pop(node_id, connection).close()


def _is_final(error: Exception) -> bool:
    """Return True when the other brokers of the cluster would refuse us, too."""
    return is_refusal(error) or isinstance(error, kafka_errors.IncompatibleBrokerVersion)


class GssapiMechanism(SaslMechanism):  # type: ignore[misc] # kafka-python has no types
    """GSSAPI over an initiator that already has its ticket (RFC 4752, as Kafka uses it: authentication only)."""

    def __init__(self, **config: Any) -> None:
        self._initiator: KerberosInitiator = config["sasl_kerberos_name"]

    def auth_bytes(self) -> bytes:
        return self._initiator.next_token()

    def receive(self, auth_bytes: bytes) -> None:
        self._initiator.receive(auth_bytes)

    def is_done(self) -> bool:
        return self._initiator.is_done

    def is_authenticated(self) -> bool:
        return self._initiator.is_done


register_sasl_mechanism("GSSAPI", GssapiMechanism, overwrite=True)
