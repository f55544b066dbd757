"""One broker with every kind of listener at once, and what a client needs to come in through each."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from replication.domain.plan.slot import ClusterClient
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.ports import LOOPBACK, free_port
from tests.support.kafka.kafka_records import admin
from tests.support.servers.kdc import REALM, Realm
from tests.support.servers.pki import STORE_PASSWORD, Authority
from tests.support.servers.token_endpoint import AUDIENCE, TokenEndpoint

SCRAM_USER = "srm,=user"  # both characters that SCRAM escapes
PASSWORD = 'pass"word\\;'
SESSION_MS = 2_500  # of the SASL listener: KIP-368 wants a new login before that
_KAFKA = "org.apache.kafka.common.security"
_LISTENERS = {"TLS": "SSL", "SASL": "SASL_PLAINTEXT", "SASLTLS": "SASL_SSL", "OIDC": "SASL_PLAINTEXT"}
_SCRAM = {256: ScramMechanism.SCRAM_SHA_256, 512: ScramMechanism.SCRAM_SHA_512}


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedCluster:
    cluster: LocalCluster
    ports: Mapping[str, int]
    authority: Authority
    folder: Path

    def client(self, alias: str, listener: str, settings: Mapping[str, str]) -> ClusterClient:
        bootstrap = (f"localhost:{self.ports[listener]}",)
        return ClusterClient(alias=alias, bootstrap=bootstrap, client=dict(settings))

    def set_scram_password(self, bits: int, password: str, user: str = SCRAM_USER) -> None:
        info = ScramCredentialInfo(_SCRAM[bits], 4096)
        change = UserScramCredentialUpsertion(user, info, password.encode())
        for future in admin(self.cluster.bootstrap).alter_user_scram_credentials([change]).values():
            future.result(10)


def jaas(module: str, **options: str) -> str:
    """As an operator writes it; quotes and backslashes escaped."""
    quoted = {name: text.replace("\\", "\\\\").replace('"', '\\"') for name, text in options.items()}
    pairs = " ".join(f'{name}="{text}"' for name, text in quoted.items())
    return f"{_KAFKA}.{module} required {pairs};"


def scram(user: str, password: str) -> dict[str, str]:
    login = jaas("scram.ScramLoginModule", username=user, password=password)
    return {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": login}


def start_guarded_cluster(
    dev_clusters: DevClusters, folder: Path, authority: Authority, tokens: TokenEndpoint, realm: Realm | None
) -> GuardedCluster:
    (node,) = dev_clusters.prepare("guarded-by-all").nodes
    ports: dict[str, int] = {}
    for name in _LISTENERS:
        ports[name] = free_port({node.port, node.controller_port, *ports.values()})
    plain = f"PLAINTEXT://{LOOPBACK}:{node.port}"
    extra = {
        "listeners": ",".join(
            [
                plain,
                f"CONTROLLER://{LOOPBACK}:{node.controller_port}",
                *(f"{name}://{LOOPBACK}:{port}" for name, port in ports.items()),
            ]
        ),
        "advertised.listeners": ",".join([plain, *(f"{name}://localhost:{port}" for name, port in ports.items())]),
        "listener.security.protocol.map": ",".join(
            ["PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT", *(f"{name}:{kind}" for name, kind in _LISTENERS.items())]
        ),
        **_broker_tls(folder, authority),
        **_broker_sasl(tokens, realm),
    }
    with _java_options(tokens, realm):
        cluster = dev_clusters.up(["guarded-by-all"], extra=extra)["guarded-by-all"]
    return GuardedCluster(cluster=cluster, ports=ports, authority=authority, folder=folder)


def _broker_tls(folder: Path, authority: Authority) -> dict[str, str]:
    store = authority.issue("broker").write_pkcs12(folder / "broker.p12")
    trusted = authority.write_truststore(folder / "broker-trusts.p12", "PKCS12")
    return {
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.key.password": STORE_PASSWORD,
        "ssl.truststore.location": str(trusted),
        "ssl.truststore.type": "PKCS12",
        "ssl.truststore.password": STORE_PASSWORD,
        "listener.name.tls.ssl.client.auth": "required",
    }


def _broker_sasl(tokens: TokenEndpoint, realm: Realm | None) -> dict[str, str]:
    escaped = PASSWORD.replace("\\", "\\\\\\\\").replace('"', '\\\\"')  # once for JAAS, once for the properties file
    mechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", *(["GSSAPI"] if realm else [])]
    settings = {
        "sasl.enabled.mechanisms": ",".join(mechanisms),
        "listener.name.sasl.connections.max.reauth.ms": str(SESSION_MS),
        "listener.name.oidc.sasl.enabled.mechanisms": "OAUTHBEARER",
        "listener.name.oidc.oauthbearer.sasl.server.callback.handler.class": (
            f"{_KAFKA}.oauthbearer.OAuthBearerValidatorCallbackHandler"
        ),
        "listener.name.oidc.oauthbearer.sasl.jaas.config": f"{_KAFKA}.oauthbearer.OAuthBearerLoginModule required;",
        "listener.name.oidc.oauthbearer.sasl.oauthbearer.jwks.endpoint.url": f"{tokens.base}/keys",
        "listener.name.oidc.oauthbearer.sasl.oauthbearer.expected.audience": AUDIENCE,
    }
    for listener in ("sasl", "sasltls"):
        prefix = f"listener.name.{listener}"
        settings[f"{prefix}.plain.sasl.jaas.config"] = f'{_KAFKA}.plain.PlainLoginModule required user_srm="{escaped}";'
        for bits in _SCRAM:
            settings[f"{prefix}.scram-sha-{bits}.sasl.jaas.config"] = f"{_KAFKA}.scram.ScramLoginModule required;"
        settings[f"{prefix}.oauthbearer.sasl.jaas.config"] = f"{_KAFKA}.oauthbearer.OAuthBearerLoginModule required;"
        if realm is not None:
            settings[f"{prefix}.gssapi.sasl.jaas.config"] = (
                "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true "
                f'keyTab="{realm.keytab("kafka/localhost")}" principal="kafka/localhost@{REALM}";'
            )
    if realm is not None:
        settings["sasl.kerberos.service.name"] = "kafka"
    return settings


@contextlib.contextmanager
def _java_options(tokens: TokenEndpoint, realm: Realm | None) -> Iterator[None]:
    """For the broker that starts meanwhile: which endpoint it may ask, and its realm."""
    options = [f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={tokens.base}/keys"]
    if realm is not None:
        options.append(f"-Djava.security.krb5.conf={realm.configuration}")
    before = os.environ.get("JAVA_TOOL_OPTIONS")
    os.environ["JAVA_TOOL_OPTIONS"] = " ".join(options)
    try:
        yield
    finally:
        if before is None:
            del os.environ["JAVA_TOOL_OPTIONS"]
        else:
            os.environ["JAVA_TOOL_OPTIONS"] = before
