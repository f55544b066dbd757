"""The environment of a driver: what is missing or wrong is said in one line."""

import pytest
from cryptography.fernet import Fernet

from replication.worker.settings import SettingsError, WorkerSettings

KEYS = (Fernet.generate_key().decode(), Fernet.generate_key().decode())
GOOD = {
    "SRM_DRIVER_ID": "d1",
    "SRM_DRIVER_ROLE": "data",
    "SRM_REDIS_URL": "redis://127.0.0.1:6379/0",
    "SRM_TRANSPORT_KEYS": f"{KEYS[0]}, {KEYS[1]}",
    "SRM_HOME": "state",
}


def test_the_queue_names_driver_and_role() -> None:
    settings = WorkerSettings.from_environment(GOOD)

    assert settings.queue == "srm.driver.d1.data"
    assert settings.transport_keys == KEYS
    assert settings.on_coordinator_loss == "continue"
    assert settings.hang_timeout_s == 60


@pytest.mark.parametrize(
    ("targets", "serves_west"), [("*", True), ("west, north", True), ("north", False), ("north,*", True)]
)
def test_targets_are_a_list_or_all(targets: str, serves_west: bool) -> None:
    assert WorkerSettings.from_environment(GOOD | {"SRM_DRIVER_TARGETS": targets}).serves("west") is serves_west


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SRM_DRIVER_ID", ""),
        ("SRM_DRIVER_ID", "a|b"),
        ("SRM_DRIVER_ROLE", "boss"),
        ("SRM_REDIS_URL", " "),
        ("SRM_REDIS_URL", "localhost"),
        ("SRM_TRANSPORT_KEYS", ""),
        ("SRM_TRANSPORT_KEYS", "abc"),
        ("SRM_ON_COORDINATOR_LOSS", "panic"),
        ("SRM_HANG_TIMEOUT_S", "soon"),
        ("SRM_HANG_TIMEOUT_S", "9"),
    ],
)
def test_a_bad_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        WorkerSettings.from_environment(GOOD | {name: value})
