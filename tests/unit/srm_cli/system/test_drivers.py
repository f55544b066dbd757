"""The processes of a driver: their ids, their variables, and what is refused before one starts."""

import pytest
from cryptography.fernet import Fernet

from replication.worker.exit_codes import EX_CONFIG
from srm_cli.errors import OperatorError, UsageError
from srm_cli.options.driver_options import labels_from
from srm_cli.system.drivers import DriverPlan, check_driver, driver_specs

ENV = {"SRM_REDIS_URL": "redis://example:6379/0", "SRM_TRANSPORT_KEYS": Fernet.generate_key().decode()}


def test_each_data_process_has_an_id_and_all_have_the_same_parent() -> None:
    specs = driver_specs(DriverPlan(driver_id="berlin", processes=3), ENV)
    ids = [(spec.name, spec.env["SRM_DRIVER_ROLE"], spec.env["SRM_DRIVER_ID"]) for spec in specs]
    assert ids == [
        ("control", "control", "berlin"),
        ("data", "data", "berlin"),
        ("data-2", "data", "berlin-2"),
        ("data-3", "data", "berlin-3"),
    ]
    assert {spec.env["SRM_DRIVER_PARENT"] for spec in specs} == {"berlin"}


def test_capacity_and_labels_reach_the_data_processes() -> None:
    plan = DriverPlan(driver_id="berlin", capacity=50, labels={"region": "eu", "rack": "a"})
    control, data = driver_specs(plan, ENV)
    assert (control.env["SRM_DRIVER_CAPACITY"], data.env["SRM_DRIVER_CAPACITY"]) == ("", "50")
    assert data.env["SRM_DRIVER_LABELS"] == "rack=a,region=eu"


@pytest.mark.parametrize(
    ("plan", "env", "named"),
    [
        (DriverPlan(driver_id="a b"), {}, "SRM_DRIVER_ID"),
        (DriverPlan(driver_id="x" * 63, processes=2), {}, "SRM_DRIVER_ID"),
        (DriverPlan(driver_id="berlin"), {"SRM_TRANSPORT_KEYS": "short"}, "SRM_TRANSPORT_KEYS"),
        (DriverPlan(driver_id="berlin"), {"SRM_REDIS_URL": "http://example"}, "SRM_REDIS_URL"),
    ],
)
def test_what_is_invalid_is_named_before_a_process_starts(plan: DriverPlan, env: dict[str, str], named: str) -> None:
    with pytest.raises(OperatorError, match=named) as error:
        check_driver(plan, {**ENV, **env})
    assert error.value.exit_code == EX_CONFIG


def test_labels_of_options_replace_those_of_the_environment() -> None:
    assert labels_from((), "region=eu, rack=a") == {"region": "eu", "rack": "a"}
    assert labels_from(("region=us",), "region=eu,rack=a") == {"region": "us"}


@pytest.mark.parametrize("text", ["region", "=eu", "region=e u"])
def test_a_label_that_cannot_be_used_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=text):
        labels_from((text,))


@pytest.mark.parametrize(
    ("port", "ports"),
    [
        ("", ["", "", ""]),
        ("0", ["0", "0", "0"]),
        ("9404", ["9404", "9405", "9406"]),
        ("127.0.0.1:9404", ["127.0.0.1:9404", "127.0.0.1:9405", "127.0.0.1:9406"]),
    ],
)
def test_each_process_has_a_port_for_probes(port: str, ports: list[str]) -> None:
    specs = driver_specs(DriverPlan(driver_id="berlin", processes=2, http_port=port), ENV)

    assert [spec.env["SRM_DRIVER_HTTP_PORT"] for spec in specs] == ports


def test_a_port_that_is_none_is_named_before_a_process_starts() -> None:
    with pytest.raises(OperatorError, match="SRM_DRIVER_HTTP_PORT"):
        check_driver(DriverPlan(driver_id="berlin", http_port="http"), ENV)


@pytest.mark.parametrize(
    ("timeout_s", "silence_s"),
    [(None, 80.0), ("20", 30.0), ("0", 0.0), ("soon", 0.0)],
    ids=["default", "20", "0", "bad"],
)
def test_the_supervisor_waits_longer_than_a_process_that_ends_itself(
    timeout_s: str | None, silence_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SRM_HANG_TIMEOUT_S", raising=False)
    if timeout_s is not None:
        monkeypatch.setenv("SRM_HANG_TIMEOUT_S", timeout_s)

    specs = driver_specs(DriverPlan(driver_id="berlin"), ENV)

    assert [spec.silent_within_seconds for spec in specs] == [silence_s, silence_s]
