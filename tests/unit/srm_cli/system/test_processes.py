"""The processes of `srm up` and their order."""

import json
import stat
from pathlib import Path

import pytest

from srm_cli.dev_clusters.broker import BrokerNode
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.own_secrets import process_environment
from srm_cli.supervisor.spec import stop_waves
from srm_cli.system.demo_flows import ALIASES, write_demo_properties
from srm_cli.system.processes import SystemPlan, system_specs
from srm_cli.system.properties import read_config, write_metrics_targets


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HomeFolder:
    monkeypatch.delenv("SRM_REDIS_URL", raising=False)
    return HomeFolder(path=tmp_path).create()


def _clusters(folder: HomeFolder) -> dict[str, LocalCluster]:
    return {
        alias: LocalCluster(
            alias=alias,
            uuid="u",
            nodes=(BrokerNode(node_id=1, port=20_001 + number, controller_port=1, folder=folder.path),),
        )
        for number, alias in enumerate(ALIASES)
    }


def test_every_process_needs_only_processes_that_exist(folder: HomeFolder) -> None:
    specs = system_specs(SystemPlan(folder=folder))
    names = {spec.name for spec in specs}
    assert {"redis", "prepare", "service", "maintenance", "driver-control", "driver-data", "metrics"} == names
    assert {needed for spec in specs for needed in spec.after} <= names


def test_several_drivers_with_several_processes_have_ids_of_their_own(folder: HomeFolder) -> None:
    specs = system_specs(SystemPlan(folder=folder, drivers=2, processes=2))
    ids = {
        spec.name: (spec.env["SRM_DRIVER_ID"], spec.env["SRM_DRIVER_PARENT"]) for spec in specs if "driver" in spec.name
    }
    assert ids == {
        "driver-control": ("local", "local"),
        "driver-data": ("local", "local"),
        "driver-data-2": ("local-2", "local"),
        "driver.2-control": ("local.2", "local.2"),
        "driver.2-data": ("local.2", "local.2"),
        "driver.2-data-2": ("local.2-2", "local.2"),
    }


def test_redis_stops_last(folder: HomeFolder) -> None:
    assert "redis" in stop_waves(system_specs(SystemPlan(folder=folder)))[-1]


def test_a_redis_of_yours_is_used_and_none_is_started(folder: HomeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_REDIS_URL", "redis://example:6379/0")
    specs = {spec.name: spec for spec in system_specs(SystemPlan(folder=folder))}
    assert "redis" not in specs
    assert specs["driver-data"].env["SRM_REDIS_URL"] == "redis://example:6379/0"


def test_a_process_gets_only_the_secrets_that_it_needs(folder: HomeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_SECRET_KEYS", "a key of the shell")
    names = {"SRM_REDIS_URL", "SRM_REDIS_PASSWORD", "SRM_TRANSPORT_KEYS", "SRM_SECRET_KEYS", "SRM_DJANGO_SECRET_KEY"}
    specs = system_specs(SystemPlan(folder=folder))

    given = {spec.name: names & process_environment(spec.env).keys() for spec in specs}

    service, driver = names - {"SRM_REDIS_PASSWORD"}, {"SRM_REDIS_URL", "SRM_TRANSPORT_KEYS"}
    assert given == {
        "redis": set(),
        "prepare": service,
        "service": service,
        "maintenance": service,
        "driver-control": driver,
        "driver-data": driver,
        "metrics": set(),
    }


def test_no_password_stands_on_a_command_line(folder: HomeFolder) -> None:
    specs = system_specs(SystemPlan(folder=folder))
    secrets = json.loads(folder.secrets_file.read_text()).values()
    words = " ".join(word for spec in specs for word in spec.command)
    assert not any(secret in words for secret in secrets)


def test_the_demonstration_is_an_ordinary_properties_file_with_three_flows(folder: HomeFolder) -> None:
    config = read_config(write_demo_properties(folder, _clusters(folder)))
    enabled = {(flow.source, flow.target) for flow in config.flows if flow.enabled}
    assert enabled == {("us-east", "eu-central"), ("eu-central", "us-east"), ("us-east", "analytics")}
    assert not [finding for finding in config.findings if finding.severity != "note"]


def test_metrics_reads_every_target_and_only_its_owner_sees_the_credentials(folder: HomeFolder) -> None:
    write_metrics_targets(folder, read_config(write_demo_properties(folder, _clusters(folder))))
    targets = json.loads(folder.metrics_targets.read_text())
    assert {each["target"] for each in targets} == {"us-east", "eu-central", "analytics"}
    assert stat.S_IMODE(folder.metrics_targets.stat().st_mode) == 0o600
