"""Secrets on their way to the drivers."""

import pytest
from cryptography.fernet import Fernet

from replication.config.security.secrets import is_secret_name, open_sealed, seal
from replication.domain.errors import ConfigurationError

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
VALUES = {"sasl.jaas.config": "pässword"}


def test_what_was_sealed_can_be_opened_with_any_of_the_keys() -> None:
    assert open_sealed([NEW, OLD], seal([OLD], VALUES)) == VALUES


def test_the_first_key_seals() -> None:
    assert open_sealed([NEW], seal([NEW, OLD], VALUES)) == VALUES


def test_a_token_of_another_key_names_the_remedy() -> None:
    with pytest.raises(ConfigurationError, match="SRM_TRANSPORT_KEYS"):
        open_sealed([NEW], seal([OLD], VALUES))


@pytest.mark.parametrize("keys", [[], ["x"], ["é"]])
def test_unusable_keys_are_refused_without_showing_them(keys: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="SRM_TRANSPORT_KEYS"):
        seal(keys, VALUES)


@pytest.mark.parametrize(
    "key",
    [
        "sasl.jaas.config",
        "ssl.key.password",
        "ssl.keystore.key",
        "ssl.truststore.password",
        "ssl.key.pem",
        "SSL.Key.Pem",
        "sasl.oauthbearer.assertion.private.key.passphrase",
        "sasl.plugin.of.someone",
        "securestorage.password",
        "us-east.sasl.jaas.config",
        "us-east->eu-central.producer.ssl.key.password",
        "transforms.mask.api-key",
    ],
)
def test_secret_keys_are_recognised(key: str) -> None:
    assert is_secret_name(key)


@pytest.mark.parametrize(
    "key",
    [
        "security.protocol",
        "ssl.keystore.location",
        "ssl.keystore.certificate.chain",
        "us-east.sasl.oauthbearer.token.endpoint.url",
        "bootstrap.servers",
    ],
)
def test_other_keys_are_not_secret(key: str) -> None:
    assert not is_secret_name(key)
