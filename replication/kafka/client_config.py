"""librdkafka settings of a cluster, from Java's client keys."""

from typing import Any

from replication.config.security import ClientSecurity, Pem, client_security
from replication.domain.slot import ClusterClient

LibrdkafkaConfig = dict[str, Any]  # the library's own: strings, numbers, booleans, callbacks

CONNECT_TIMEOUT_MS = 5_000
REQUEST_TIMEOUT_S = 8.0  # under the ten seconds the ports promise, with room for one retry of the connection


def librdkafka_config(client: ClusterClient) -> LibrdkafkaConfig:
    """Where the cluster is and who we are; each client adds its own. Raises ConfigurationError."""
    config: LibrdkafkaConfig = {
        "bootstrap.servers": ",".join(client.bootstrap),
        "client.id": "srm",
        "socket.connection.setup.timeout.ms": CONNECT_TIMEOUT_MS,
        "reconnect.backoff.max.ms": 2_000,
        "topic.metadata.propagation.max.ms": 5_000,
        "log_level": 0,  # errors come through the error callback; librdkafka would print them on stderr
    }
    security = client_security(client.client, client.alias)
    config["security.protocol"] = security.protocol
    if security.uses_sasl:
        config |= _sasl(security)
    if security.uses_tls:
        config |= _tls(security)
    return config


def _sasl(security: ClientSecurity) -> LibrdkafkaConfig:
    return {
        "sasl.mechanism": security.mechanism or "",
        "sasl.username": security.username or "",
        "sasl.password": security.password or "",
    }


def _tls(security: ClientSecurity) -> LibrdkafkaConfig:
    config: LibrdkafkaConfig = {
        "ssl.endpoint.identification.algorithm": "https" if security.verify_hostname else "none"
    }
    pems = (("ssl.ca", security.trusted), ("ssl.certificate", security.certificate), ("ssl.key", security.key))
    for name, pem in pems:
        if pem is not None:
            config |= _pem(name, pem)
    if security.key_password is not None:
        config["ssl.key.password"] = security.key_password
    return config


def _pem(name: str, pem: Pem) -> LibrdkafkaConfig:
    return {f"{name}.location": pem.path} if pem.path is not None else {f"{name}.pem": pem.text or ""}
