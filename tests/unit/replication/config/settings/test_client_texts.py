"""Every key of Kafka's clients says what it means, with the type and the default that our clients have."""

from kafka.net.manager import KafkaConnectionManager

from replication.config.security.client_security import client_security
from replication.config.settings.client_keys import CLIENT_KEYS, CONNECTION_KEYS, connection_values
from replication.config.settings.client_texts import CLIENT_TEXTS, CONNECTION_TEXTS, SECURITY_TEXTS
from replication.config.settings.prefixes import BOOTSTRAP, SECURITY_KEYS
from replication.config.tree import key_table
from replication.wire.network.connection_settings import connection_settings

_OURS = {key.name for key in CLIENT_KEYS if key.effect != "engine"} | set(SECURITY_KEYS)


def test_every_key_of_clients_has_a_meaning_and_no_other_has() -> None:
    assert set(CLIENT_TEXTS) == _OURS
    assert set(CONNECTION_TEXTS) == {*CONNECTION_KEYS, BOOTSTRAP}
    assert {BOOTSTRAP, *SECURITY_TEXTS} == set(SECURITY_KEYS)


def test_the_table_of_keys_describes_every_key_that_has_an_effect() -> None:
    rows = {row.key: row for row in key_table()}

    assert [row.key for row in rows.values() if row.effect != "none" and not row.description] == []
    protocol = rows["security.protocol"]
    assert (protocol.kind, protocol.default) == ("choice", "PLAINTEXT")
    assert "SASL_SSL" in protocol.choices
    assert (rows["request.timeout.ms"].kind, rows["request.timeout.ms"].default) == ("milliseconds", "30000")


def test_the_defaults_are_those_of_our_clients() -> None:
    in_force = {**KafkaConnectionManager.DEFAULT_CONFIG, **connection_settings({}, "a")}

    for name, text in CONNECTION_TEXTS.items():
        if name.endswith(".ms"):
            assert text.default == str(in_force[name.replace(".", "_")]), name
    plain = client_security({}, "a")
    explicit = client_security({"security.protocol": str(SECURITY_TEXTS["security.protocol"].default)}, "a")
    assert plain == explicit


def test_defaults_are_values_that_the_key_allows() -> None:
    for name, text in CLIENT_TEXTS.items():
        values = connection_values(name)
        if values is not None and text.default:
            values.parse(text.default)
        assert not text.choices or text.default in text.choices
