"""Login, metadata and rights of a connection test, through librdkafka as in the control plane."""

import re
import time
from collections.abc import Collection
from dataclasses import dataclass, replace

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from replication.domain.connection_test.failures import StepFailedError
from replication.domain.connection_test.rights import ClusterUse, RightResult, missing_rights_text, rights_of
from replication.domain.errors import ConfigurationError, ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import KafkaClusterAdmin
from replication.kafka.client_config import librdkafka_config
from replication.kafka.connection_test.address import BrokerAddress
from replication.kafka.error_translation import without_noise

_ASK_S = 0.4
_TOPICS_SAMPLED = 100
_LOGIN_CODES = frozenset({KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED})
# a listener without SASL answers the handshake with ILLEGAL_SASL_STATE and offers no mechanism
_NO_SASL = re.compile(r"current SASL state|supported mechanisms:\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerMetadata:
    """The cluster as one broker describes it."""

    cluster_id: str
    brokers: tuple[BrokerAddress, ...]


class BrokerClient:
    """A client that knows one broker."""

    def __init__(self, cluster: ClusterClient, address: BrokerAddress) -> None:
        self._cluster = replace(cluster, bootstrap=(str(address),))
        self._error: KafkaError | None = None
        try:
            config = librdkafka_config(self._cluster)
        except ConfigurationError as error:
            raise StepFailedError("login_settings", error.text) from error
        except OSError as error:
            raise StepFailedError("login_settings", str(error)) from error
        config["error_cb"] = self._on_error
        self._client = AdminClient(config)

    def metadata(self, deadline_s: float) -> BrokerMetadata:
        """Log in and ask for metadata. Blocks up to the deadline; raises StepFailedError."""
        while True:
            try:
                found = self._client.list_topics(timeout=_ASK_S)
            except KafkaException as error:
                self._client.poll(0)
                self._check(error.args[0], deadline_s)
            else:
                brokers = tuple(BrokerAddress(str(node.host).lower(), node.port) for node in found.brokers.values())
                return BrokerMetadata(cluster_id=str(found.cluster_id), brokers=brokers)

    def rights(self, uses: Collection[ClusterUse]) -> tuple[RightResult, ...]:
        """Ask for the operations that our principal may do. Raises StepFailedError if the brokers refuse."""
        admin = KafkaClusterAdmin(self._cluster)
        try:
            topics = sorted(admin.list_topics())[:_TOPICS_SAMPLED]
            return rights_of(uses, admin.cluster_operations(), admin.topic_operations(topics))
        except ReplicationError as error:
            raise StepFailedError("metadata_refused", error.text) from error
        finally:
            admin.close()

    def _on_error(self, error: KafkaError) -> None:
        if error.code() != KafkaError._ALL_BROKERS_DOWN:
            self._error = error

    def _check(self, error: KafkaError, deadline_s: float) -> None:
        last = self._error or error
        text = without_noise(last.str() or last.name())
        if last.code() in _LOGIN_CODES and _NO_SASL.search(text):
            raise StepFailedError("not_sasl", "the listener does not use SASL, and security.protocol does")
        if last.code() in _LOGIN_CODES:
            raise StepFailedError("login_refused", text)
        if time.monotonic() >= deadline_s:
            raise StepFailedError("no_answer", text)
        if error.code() not in (KafkaError._TRANSPORT, KafkaError._TIMED_OUT, KafkaError._ALL_BROKERS_DOWN):
            raise StepFailedError("metadata_refused", text)


def check_rights(rights: Collection[RightResult]) -> None:
    """Raise StepFailedError if a right is missing."""
    missing = missing_rights_text(rights)
    if missing:
        raise StepFailedError("rights_missing", f"missing: {missing}")
