"""One neutral value from Java's keys, and what the two client libraries get of it."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from replication.config.security.client_security import client_security
from replication.config.security.ssl_context import ssl_context
from replication.config.security.tls import openssl_cipher
from replication.domain.errors import ConfigurationError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.client_config import librdkafka_config
from replication.wire.network.cluster_login import ClusterLogin

SASL = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.jaas.config": 'o.ScramLoginModule required username="u" password="p\\"w;=";',
}
OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
OAUTH = {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": OAUTH_MODULE}
GSSAPI = {
    "security.protocol": "SASL_SSL",
    "sasl.kerberos.service.name": "kafka",
    "sasl.jaas.config": 'com.sun.security.auth.module.Krb5LoginModule required keyTab="/k" principal="srm@R";',
}
NO_FILE = {"ssl.keystore.location": "/no/store"}


@pytest.fixture(scope="module")
def pem() -> tuple[str, str]:
    """A self-signed certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode().strip(), private.decode().strip()


def rdkafka(settings: dict[str, str]) -> dict[str, object]:
    return librdkafka_config(ClusterClient(alias="a", bootstrap=("h:1", "h:2"), client=settings))


def context_of(settings: dict[str, str]) -> ssl.SSLContext:
    tls = client_security(settings, "a").tls
    assert tls is not None
    return ssl_context(tls)


def test_nothing_given_is_plaintext() -> None:
    assert rdkafka({})["security.protocol"] == "PLAINTEXT"
    assert rdkafka({})["bootstrap.servers"] == "h:1,h:2"
    assert ClusterLogin(client_security({}, "a")).settings() == {
        "security_protocol": "PLAINTEXT",
        "sasl_mechanism": None,
        "sasl_plain_username": None,
        "sasl_plain_password": None,
    }


def test_scram_credentials_reach_both_libraries_unquoted() -> None:
    config = rdkafka(SASL)

    assert (config["sasl.mechanism"], config["sasl.username"], config["sasl.password"]) == (
        "SCRAM-SHA-512",
        "u",
        'p"w;=',
    )
    assert ClusterLogin(client_security(SASL, "a")).settings() == {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "u",
        "sasl_plain_password": 'p"w;=',
    }


def test_the_password_is_not_in_the_texts_of_the_value() -> None:
    assert 'p"w' not in repr(client_security(SASL, "a"))
    assert 'p\\"w' not in repr(ClusterClient(alias="a", bootstrap=(), client=SASL))


def test_inline_certificates_reach_both_libraries(pem: tuple[str, str]) -> None:
    chain, key = pem
    settings = {
        "security.protocol": "SSL",
        "ssl.truststore.certificates": chain,
        "ssl.keystore.certificate.chain": chain,
        "ssl.keystore.key": key,
        "ssl.endpoint.identification.algorithm": "",
    }

    config = rdkafka(settings)
    context = context_of(settings)

    texts = [str(config[name]).strip() for name in ("ssl.ca.pem", "ssl.certificate.pem", "ssl.key.pem")]
    assert texts == [chain, chain, key]
    assert config["ssl.endpoint.identification.algorithm"] == "none"
    assert isinstance(context, ssl.SSLContext)
    assert not context.check_hostname


def test_certificate_files_reach_both_libraries(pem: tuple[str, str], tmp_path: Path) -> None:
    store, trust = tmp_path / "store.pem", tmp_path / "trust.pem"
    store.write_text(pem[1] + "\n" + pem[0])
    trust.write_text(pem[0])
    settings = {
        "security.protocol": "SSL",
        "ssl.truststore.location": str(trust),
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PEM",
    }

    config = rdkafka(settings)
    context = context_of(settings)

    assert (str(config["ssl.ca.pem"]).strip(), str(config["ssl.key.pem"]).strip()) == pem
    assert context.check_hostname


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        pytest.param({"security.protocol": "TELNET"}, "use PLAINTEXT, SSL", id="protocol"),
        pytest.param({"security.protocol": "SASL_SSL"}, "GSSAPI is its default", id="default mechanism"),
        pytest.param({**SASL, "sasl.mechanism": "NTLM"}, "NTLM is not supported; use one of", id="mechanism"),
        pytest.param({**SASL, "sasl.mechanism": "OAUTHBEARER"}, "needs OAuthBearerLoginModule", id="module"),
        pytest.param({**OAUTH, "sasl.jaas.config": OAUTH_MODULE}, "token.endpoint.url", id="no token"),
        pytest.param({**OAUTH, "sasl.oauthbearer.token.endpoint.url": "ftp://x"}, "https, http or file", id="endpoint"),
        pytest.param(
            {**OAUTH, "sasl.oauthbearer.token.endpoint.url": "https://x/t"}, "client's id and secret", id="no client"
        ),
        pytest.param({**SASL, "sasl.client.callback.handler.class": "x.Y"}, "cannot run here", id="java code"),
        pytest.param({**GSSAPI, "sasl.kerberos.service.name": ""}, "service.name is missing", id="service"),
        pytest.param({**SASL, "sasl.jaas.config": "x required;"}, "username and password", id="jaas"),
        pytest.param({"security.protocol": "SSL", "ssl.keystore.type": "BCFKS", **NO_FILE}, "use PKCS12", id="kind"),
        pytest.param({"security.protocol": "SSL", "ssl.enabled.protocols": "SSLv3"}, "SSLv3", id="version"),
        pytest.param({"security.protocol": "SSL", "ssl.truststore.location": "/no/t.pem"}, "no file", id="file"),
        pytest.param({"security.protocol": "SSL", "ssl.keystore.key": "x"}, "set together", id="key alone"),
    ],
)
def test_what_is_not_supported_is_named_with_the_remedy(settings: dict[str, str], part: str) -> None:
    with pytest.raises(ConfigurationError, match="cluster a: ") as caught:
        client_security(settings, "a")
    assert part in caught.value.text


def test_unreadable_certificates_are_named_with_their_setting() -> None:
    settings = {"security.protocol": "SSL", "ssl.truststore.certificates": "nonsense"}
    with pytest.raises(ConfigurationError, match=r"cluster a: ssl\.truststore\.certificates cannot be read"):
        rdkafka(settings)
    with pytest.raises(ValueError, match=r"ssl\.truststore\.certificates cannot be read"):
        context_of(settings)


def test_only_the_given_certificates_are_trusted(pem: tuple[str, str]) -> None:
    context = context_of({"security.protocol": "SSL", "ssl.truststore.certificates": pem[0]})
    assert len(context.get_ca_certs()) <= 1


def test_protocol_versions_and_suites_are_taken_over() -> None:
    suites = "TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
    context = context_of({"security.protocol": "SSL", "ssl.enabled.protocols": "TLSv1.2", "ssl.cipher.suites": suites})

    assert (context.minimum_version, context.maximum_version) == (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2)
    assert "ECDHE-RSA-AES128-GCM-SHA256" in [cipher["name"] for cipher in context.get_ciphers()]


@pytest.mark.parametrize(
    ("java", "openssl"),
    [
        ("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"),
        ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"),
        ("TLS_DHE_RSA_WITH_AES_128_CBC_SHA256", "DHE-RSA-AES128-SHA256"),
        ("TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"),
        ("TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
    ],
)
def test_cipher_suites_get_openssls_names(java: str, openssl: str) -> None:
    assert openssl_cipher(java) == openssl


def test_kerberos_options_are_read() -> None:
    login = client_security(GSSAPI, "a").kerberos
    assert login is not None
    assert (login.service, login.principal, login.keytab) == ("kafka", "srm@R", "/k")


def test_oauth_takes_the_newer_keys_as_well() -> None:
    newer = {
        "sasl.oauthbearer.token.endpoint.url": "https://x/t",
        "sasl.oauthbearer.client.credentials.client.id": "me",
        "sasl.oauthbearer.client.credentials.client.secret": "hush",
        "sasl.oauthbearer.scope": "kafka",
    }
    login = client_security({**OAUTH, **newer, "sasl.jaas.config": ""}, "a").oauth
    assert login is not None
    assert (login.client_id, login.client_secret, login.scope) == ("me", "hush", "kafka")
    assert "hush" not in repr(login)


def test_scram_names_are_escaped_for_the_data_plane() -> None:
    jaas = 'o.ScramLoginModule required username="a,b=c" password="p";'
    login = ClusterLogin(client_security({**SASL, "sasl.jaas.config": jaas}, "a"))
    assert login.settings()["sasl_plain_username"] == "a=2Cb=3Dc"


def test_connection_settings_reach_the_control_plane() -> None:
    config = rdkafka({"reconnect.backoff.ms": "3000", "connections.max.idle.ms": "60000"})

    assert (config["reconnect.backoff.ms"], config["reconnect.backoff.max.ms"]) == (3_000, 3_000)
    assert config["connections.max.idle.ms"] == 60_000
