"""The test of one broker, step by step; blocks, so it runs in a thread."""

import socket
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from replication.config.security.client_security import ClientSecurity
from replication.config.security.ssl_context import ssl_context
from replication.config.security.tls import TlsSettings
from replication.domain.connection_test.failures import StepFailedError
from replication.domain.connection_test.kafka_release import kafka_release
from replication.domain.connection_test.rights import ClusterUse
from replication.domain.plan.slot import ClusterClient
from replication.kafka.connection_test.address import BrokerAddress
from replication.kafka.connection_test.api_versions import ask_api_versions
from replication.kafka.connection_test.certificates import certificate_of
from replication.kafka.connection_test.kafka_steps import BrokerClient, BrokerMetadata, check_rights
from replication.kafka.connection_test.sockets import (
    Resolved,
    connect,
    handshake,
    presented_certificate,
    resolve,
)
from replication.kafka.connection_test.step_log import StepLog


class BrokerTest:
    """`run` reports through the step log, and hands metadata to the caller as soon as it is known."""

    def __init__(
        self,
        cluster: ClusterClient,
        security: ClientSecurity,
        address: BrokerAddress,
        *,
        log: StepLog,
        uses: Collection[ClusterUse],
        deadline_s: float,
    ) -> None:
        self._cluster = cluster
        self._security = security
        self._address = address
        self._log = log
        self._uses = uses
        self._deadline_s = deadline_s  # of the monotonic clock

    def run(self, on_metadata: Callable[[BrokerMetadata], None]) -> None:
        with suppress(StepFailedError):  # the log has it
            connection = self._reach()
            try:
                with self._log.step("protocol") as said:
                    said.text = self._note_release(ask_api_versions(connection, self._deadline_s))
            finally:
                connection.close()
            self._log_in(on_metadata)

    def _note_release(self, newest: Mapping[int, int]) -> str:
        release = kafka_release(newest)
        self._log.found_kafka_version(release)
        return f"Kafka {release or 'before 2.0'} with {len(newest)} APIs"

    def _reach(self) -> socket.socket:
        with self._log.step("name") as said:
            resolved = resolve(self._address)
            places = tuple(str(place[0]) for _, place in resolved)
            self._log.found_ip_addresses(places)
            said.text = ", ".join(places)
        with self._log.step("tcp") as said:
            connection = connect(resolved, self._deadline_s)
            said.text = str(connection.getpeername()[0])
        return connection if self._security.tls is None else self._secure(connection, self._security.tls)

    def _secure(self, connection: socket.socket, tls: TlsSettings) -> socket.socket:
        peer: Resolved = (connection.family, connection.getpeername())
        with self._log.step("tls") as said:
            try:
                context = ssl_context(tls)
            except (ValueError, OSError) as error:
                connection.close()
                raise StepFailedError("tls_settings", str(error)) from error
            try:
                secured, data = handshake(connection, context, self._address.host, self._deadline_s)
            except StepFailedError as error:
                if error.kind.startswith("certificate_"):
                    self._note(presented_certificate(peer, self._address.host, self._deadline_s))
                raise
            said.text = f"{secured.version()}{self._note(data)}"
        return secured

    def _note(self, data: bytes) -> str:
        """Put the certificate into the report; return a warning if it expires soon."""
        try:
            certificate = certificate_of(data, self._address.host)
        except ValueError:
            return ""
        self._log.found_certificate(certificate)
        days = certificate.days_left
        return f"; the certificate expires in {days} days, renew it" if certificate.expires_soon else ""

    def _log_in(self, on_metadata: Callable[[BrokerMetadata], None]) -> None:
        client, metadata = self._metadata()
        on_metadata(metadata)
        if self._uses:
            with self._log.step("rights"):
                rights = client.rights(self._uses)
                self._log.found_rights(rights)
                check_rights(rights)

    def _metadata(self) -> tuple[BrokerClient, BrokerMetadata]:
        client = None
        if self._security.uses_sasl:
            with self._log.step("sasl") as said:
                client = BrokerClient(self._cluster, self._address)
                client.metadata(self._deadline_s)
                said.text = str(self._security.mechanism)
        with self._log.step("metadata") as said:
            client = client or BrokerClient(self._cluster, self._address)
            metadata = client.metadata(self._deadline_s)
            said.text = f"cluster {metadata.cluster_id} with {len(metadata.brokers)} brokers"
        return client, metadata
