"""The test of one broker, step by step; blocks, so it runs in a thread."""

import socket
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from replication.config.security.client_security import ClientSecurity
from replication.config.security.tls import TlsSettings
from replication.domain.connection_test.failures import StepFailedError
from replication.domain.connection_test.kafka_release import kafka_release
from replication.domain.connection_test.rights import ClusterUse
from replication.domain.plan.slot import ClusterClient
from replication.kafka.connection_test.address import BrokerAddress
from replication.kafka.connection_test.api_versions import ask_api_versions
from replication.kafka.connection_test.kafka_steps import BrokerClient, BrokerMetadata, check_rights
from replication.kafka.connection_test.sockets import connect, resolve
from replication.kafka.connection_test.step_log import StepLog
from replication.kafka.connection_test.tls_step import own_expiry, secure


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
                    said.text = self._note_release(self._ask_api_versions(connection))
            finally:
                connection.close()
            self._log_in(on_metadata)

    def _ask_api_versions(self, connection: socket.socket) -> dict[int, int]:
        try:
            return ask_api_versions(connection, self._deadline_s)
        except StepFailedError as error:
            tls = self._security.tls
            raise (None if tls is None else own_expiry(error, tls)) or error from None

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
        with self._log.step("tls") as said:
            host, note = self._address.host, self._log.found_certificate
            secured, certificate = secure(connection, tls, host, self._deadline_s, note)
            said.text = str(secured.version())
            if certificate is not None and certificate.expires_soon:
                said.text += f"; the certificate expires in {certificate.days_left} days, renew it"
        return secured

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
            number = len(metadata.brokers)
            said.text = f"Cluster {metadata.cluster_id} with {number} {'broker' if number == 1 else 'brokers'}"
        return client, metadata
