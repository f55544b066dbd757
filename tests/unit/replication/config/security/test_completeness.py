"""The settings that a cluster elsewhere needs."""

import pytest

from replication.config.security.completeness import missing_settings

_TRUST = "ssl.truststore.location or ssl.truststore.certificates"
_ENDPOINT = {"sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.token.endpoint.url": "https://idp/token"}


@pytest.mark.parametrize(
    ("client", "missing"),
    [
        ({}, ("security.protocol",)),
        ({"security.protocol": " "}, ("security.protocol",)),
        ({"security.protocol": "PLAINTEXT"}, ()),
        ({"security.protocol": "ssl"}, (_TRUST,)),
        ({"security.protocol": "SSL", "ssl.truststore.location": "/t.jks"}, ()),
        ({"security.protocol": "SASL_PLAINTEXT"}, ("sasl.mechanism", "sasl.jaas.config")),
        ({"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}, ("sasl.jaas.config",)),
        ({"security.protocol": "SASL_PLAINTEXT", **_ENDPOINT}, ()),
        ({"security.protocol": "SASL_SSL", **_ENDPOINT, "ssl.truststore.certificates": "PEM"}, ()),
    ],
)
def test_missing_settings_are_named(client: dict[str, str], missing: tuple[str, ...]) -> None:
    assert missing_settings(client) == missing
