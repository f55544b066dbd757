"""librdkafka settings of a cluster, from Java's client keys."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from replication.config.security.client_security import ClientSecurity, client_security
from replication.config.security.oauth_login import OAuthLogin
from replication.config.security.oauth_tokens import TokenSource
from replication.config.security.tls import TlsSettings, read_material
from replication.domain.errors import ConfigurationError
from replication.domain.plan.slot import ClusterClient
from replication.kerberos.gateway import USER, kerberos_gateway

LibrdkafkaConfig = dict[str, Any]  # the library's own: strings, numbers, booleans, callbacks

CONNECT_TIMEOUT_MS = 5_000
LONGEST_BACKOFF_MS = 2_000
_CONNECTION_KEYS = ("reconnect.backoff.ms", "reconnect.backoff.max.ms", "connections.max.idle.ms")
REQUEST_TIMEOUT_S = 8.0  # under the ten seconds the ports promise, with room for one retry of the connection


def librdkafka_config(client: ClusterClient) -> LibrdkafkaConfig:
    """Return the settings of address and login, to which each client adds its own. Raises ConfigurationError."""
    config: LibrdkafkaConfig = {
        "bootstrap.servers": ",".join(client.bootstrap),
        "client.id": "srm",
        "socket.connection.setup.timeout.ms": CONNECT_TIMEOUT_MS,
        "reconnect.backoff.max.ms": LONGEST_BACKOFF_MS,
        "topic.metadata.propagation.max.ms": 5_000,
        "log_level": 0,  # errors come through the error callback; librdkafka would print them on stderr
    }
    config |= _connection(client.client)
    security = client_security(client.client, client.alias)
    if security.kerberos is not None:
        return config | _through_gateway(security, client.bootstrap)
    config["security.protocol"] = security.protocol
    try:
        if security.uses_sasl:
            config |= _sasl(security)
        if security.tls is not None:
            config |= _tls(security.tls)
    except ValueError as error:
        raise ConfigurationError(f"cluster {client.alias}: {error}", cluster=client.alias) from error
    return config


def _connection(given: Mapping[str, str]) -> LibrdkafkaConfig:
    """Java's connection keys that librdkafka has under the same name; the longest pause is never below the first."""
    values = {key: int(given[key]) for key in _CONNECTION_KEYS if given.get(key, "").strip().isdigit()}
    if (first := values.get("reconnect.backoff.ms")) is not None:
        values["reconnect.backoff.max.ms"] = max(first, values.get("reconnect.backoff.max.ms", LONGEST_BACKOFF_MS))
    return values


def _through_gateway(security: ClientSecurity, bootstrap: Sequence[str]) -> LibrdkafkaConfig:
    """The wheels of librdkafka have no Kerberos: the gateway logs in for it, over TLS where the cluster wants that."""
    gateway, addresses = kerberos_gateway(security, bootstrap)
    return {
        "bootstrap.servers": ",".join(addresses),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": gateway.secret,
    }


def _sasl(security: ClientSecurity) -> LibrdkafkaConfig:
    config: LibrdkafkaConfig = {"sasl.mechanism": security.mechanism or ""}
    if security.oauth is not None:
        return config | {"oauth_cb": _token_callback(security.oauth)}
    return config | {"sasl.username": security.username or "", "sasl.password": security.password or ""}


def _token_callback(login: OAuthLogin) -> Callable[[str], tuple[str, float, str, dict[str, str]]]:
    """confluent-kafka calls it from librdkafka's own thread, in time for each renewal."""
    source = TokenSource(login)

    def token(_config: str) -> tuple[str, float, str, dict[str, str]]:
        found = source.token()
        return found.text, found.expires_s, found.principal, dict(found.extensions)

    return token


def _tls(tls: TlsSettings) -> LibrdkafkaConfig:
    """Certificates go in as PEM texts: librdkafka reads neither JKS nor PEM files with several certificates alike."""
    material = read_material(tls)
    config: LibrdkafkaConfig = {"ssl.endpoint.identification.algorithm": "https" if tls.verify_hostname else "none"}
    older = [suite for suite in tls.cipher_suites if not suite.startswith("TLS_")]
    if older:
        config["ssl.cipher.suites"] = ":".join(older)
    for name, pem in (("ca", material.trusted), ("certificate", material.chain), ("key", material.key)):
        if pem is not None:
            config[f"ssl.{name}.pem"] = pem
    return config
