"""One neutral value from Java's keys, and what the two client libraries get of it."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from replication.config.security import client_security, jaas_options, kafka_python_security
from replication.domain.errors import ConfigurationError
from replication.domain.slot import ClusterClient
from replication.kafka.client_config import librdkafka_config

SASL = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.jaas.config": 'o.ScramLoginModule required username="u" password="p\\"w;=";',
}


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


def test_nothing_given_is_plaintext() -> None:
    assert rdkafka({})["security.protocol"] == "PLAINTEXT"
    assert rdkafka({})["bootstrap.servers"] == "h:1,h:2"
    assert kafka_python_security(client_security({}, "a")) == {"security_protocol": "PLAINTEXT"}


def test_scram_credentials_reach_both_libraries_unquoted() -> None:
    config = rdkafka(SASL)

    assert (config["sasl.mechanism"], config["sasl.username"], config["sasl.password"]) == (
        "SCRAM-SHA-512",
        "u",
        'p"w;=',
    )
    assert kafka_python_security(client_security(SASL, "a")) == {
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
    context = kafka_python_security(client_security(settings, "a"))["ssl_context"]

    assert (config["ssl.ca.pem"], config["ssl.certificate.pem"], config["ssl.key.pem"]) == (chain, chain, key)
    assert config["ssl.endpoint.identification.algorithm"] == "none"
    assert isinstance(context, ssl.SSLContext)
    assert not context.check_hostname


def test_certificate_files_are_passed_by_their_path(pem: tuple[str, str], tmp_path: Path) -> None:
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
    context = kafka_python_security(client_security(settings, "a"))["ssl_context"]

    assert (config["ssl.ca.location"], config["ssl.key.location"]) == (str(trust), str(store))
    assert context.check_hostname


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        pytest.param({"security.protocol": "TELNET"}, "use PLAINTEXT, SSL", id="protocol"),
        pytest.param({"security.protocol": "SASL_SSL"}, "GSSAPI is not supported", id="default mechanism"),
        pytest.param({**SASL, "sasl.mechanism": "OAUTHBEARER"}, "OAUTHBEARER is not supported", id="oauth"),
        pytest.param({**SASL, "sasl.jaas.config": "x required;"}, "username and password", id="jaas"),
        pytest.param(
            {"security.protocol": "SSL", "ssl.truststore.location": "/no/t.jks"}, "convert it to PEM", id="jks"
        ),
        pytest.param({"security.protocol": "SSL", "ssl.truststore.location": "/no/t.pem"}, "no file", id="file"),
        pytest.param({"security.protocol": "SSL", "ssl.keystore.key": "x"}, "set together", id="key alone"),
    ],
)
def test_what_is_not_supported_is_named_with_the_remedy(settings: dict[str, str], part: str) -> None:
    with pytest.raises(ConfigurationError, match="cluster a: ") as caught:
        client_security(settings, "a")
    assert part in caught.value.text


def test_unreadable_certificates_are_a_configuration_error() -> None:
    settings = {"security.protocol": "SSL", "ssl.truststore.certificates": "nonsense"}
    with pytest.raises(ConfigurationError, match="cannot be read"):
        kafka_python_security(client_security(settings, "a"))


def test_jaas_options_may_be_quoted_in_three_ways() -> None:
    assert jaas_options("a.B required x=\"1;2\" y='3' z=4;") == {"x": "1;2", "y": "3", "z": "4"}
