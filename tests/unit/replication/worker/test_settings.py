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


def test_the_queue_names_driver_role_and_start() -> None:
    settings = WorkerSettings.from_environment(GOOD)

    assert settings.queue == f"srm.driver.d1.data.{settings.boot}"
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
        ("SRM_DRIVER_PARENT", "a b"),
        ("SRM_DRIVER_CAPACITY", "many"),
        ("SRM_DRIVER_CAPACITY", "0"),
        ("SRM_DRIVER_LABELS", "region"),
        ("SRM_DRIVER_LABELS", "region=eu,region=us"),
        ("SRM_HANG_TIMEOUT_S", "soon"),
        ("SRM_HANG_TIMEOUT_S", "9"),
    ],
)
def test_a_bad_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        WorkerSettings.from_environment(GOOD | {name: value})


def test_without_further_settings_a_process_is_its_own_parent_and_takes_any_number_of_tasks() -> None:
    settings = WorkerSettings.from_environment(GOOD | {"SRM_DRIVER_PARENT": "", "SRM_DRIVER_CAPACITY": ""})

    assert (settings.parent, settings.capacity, settings.labels) == ("d1", None, {})


def test_parent_capacity_and_labels_are_read() -> None:
    given = {"SRM_DRIVER_PARENT": "d", "SRM_DRIVER_CAPACITY": "8", "SRM_DRIVER_LABELS": "region=eu, rack=a"}

    settings = WorkerSettings.from_environment(GOOD | given)

    assert (settings.parent, settings.capacity, settings.labels) == ("d", 8, {"region": "eu", "rack": "a"})


def test_each_start_has_a_boot_id_of_its_own() -> None:
    assert WorkerSettings.from_environment(GOOD).boot != WorkerSettings.from_environment(GOOD).boot
