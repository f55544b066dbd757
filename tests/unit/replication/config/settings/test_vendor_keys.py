"""No key of the documents is ever ignored in silence: it does something, or its author is told why it does not."""

from pathlib import Path

import pytest

from replication.config import load
from replication.config.settings.client_keys import CLIENT_KEYS, ClientKind, client_key
from replication.config.settings.global_keys import GLOBAL_CONNECTOR_KEYS, MANAGER_FIELDS
from replication.config.settings.prefixes import OLD_SPELLINGS, find_key
from replication.domain.settings.registry.all_settings import SETTINGS, find_setting
from replication.domain.settings.setting import Setting
from replication.domain.settings.setting_error import SettingError

LINES = (Path(__file__).parents[4] / "fixtures/vendor_keys.txt").read_text().splitlines()
EXPECTED = [tuple(line.split(": ")) for line in LINES if line and not line.startswith("#")]
VALUES = ("true", "3", "source", "org.apache.kafka.connect.converters.ByteArrayConverter")
OTHERS = {
    "replication.policy.class": "DefaultReplicationPolicy",
    "replication.policy.separator": ".",
    "exactly.once.source.support": "enabled",
    "errors.tolerance": "all",
    "consumer.isolation.level": "read_committed",
    "consumer.auto.offset.reset": "latest",
    "producer.override.compression.type": "lz4",
    "client.rack": "r1",
    "transforms": "",
}


def allowed_value(setting: Setting[object]) -> str:
    for value in VALUES:
        try:
            setting.parse(value)
        except SettingError:
            continue
        return value
    raise AssertionError(f"no value for {setting}")


def row_of(key: str) -> tuple[str, str]:
    """Effect and reason."""
    setting = find_key(key)
    if setting is not None:
        return setting.effect, setting.why
    kinds: tuple[ClientKind, ...] = ("consumer", "producer", "admin")
    kind = next((kind for kind in kinds if key.startswith(f"{kind}.")), None)
    name = key.removeprefix(f"{kind}.").removeprefix("override.") if kind is not None else key
    row = client_key(kind or "connection", name)
    assert row is not None, f"{key} has no row"
    return row.effect, row.why


@pytest.mark.parametrize(("key", "effect"), EXPECTED)
def test_every_key_of_the_documents_has_its_effect_or_a_reason(key: str, effect: str) -> None:
    found, why = row_of(key)

    assert found == effect
    assert bool(why) == (effect == "none")


def test_no_key_stands_twice_in_a_table() -> None:
    names = [setting.key for setting in SETTINGS]
    clients = [(key.kind, key.name) for key in CLIENT_KEYS]

    assert len(set(names)) == len(names)
    assert len(set(clients)) == len(clients)


@pytest.mark.parametrize("key", sorted(GLOBAL_CONNECTOR_KEYS | MANAGER_FIELDS | set(OLD_SPELLINGS.values())))
def test_a_key_that_works_without_a_prefix_is_a_setting(key: str) -> None:
    assert find_setting(OLD_SPELLINGS.get(key, key)) is not None


@pytest.mark.parametrize(("key", "effect"), EXPECTED)
def test_in_a_file_each_key_is_taken_or_told(key: str, effect: str, tmp_path: Path) -> None:
    if key == "clusters":
        return
    setting = find_key(key)
    value = OTHERS[key] if key in OTHERS else "3" if setting is None else allowed_value(setting)
    is_cluster = effect == "connection" or (
        setting is None and "." in key and not key.startswith(("consumer", "producer"))
    )
    prefix = "east." if is_cluster and not key.startswith("admin.") else "east->west."
    prefix = "" if setting is not None and setting.role == "manager" else prefix
    path = tmp_path / "mm2.properties"
    path.write_text(
        "clusters = east, west\neast.bootstrap.servers = e:1\nwest.bootstrap.servers = w:1\n"
        f"emit.heartbeats.enabled = true\n{prefix}{key} = {value}\n"
    )

    told = [finding.message for finding in load(path).findings if finding.key == prefix + key]

    assert len(told) == (1 if effect == "none" else 0), told
    assert all("no effect" in message for message in told)
