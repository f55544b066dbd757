"""Three services of the demonstration: nothing of one is that of another, and the first one may ask the others."""

from pathlib import Path

import pytest

from replication.config.flows.model import ReplicationConfig
from srm_cli.dev_clusters.broker import BrokerNode
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.home import HomeFolder
from srm_cli.supervisor.spec import stop_waves
from srm_cli.system.demo_flows import ALIASES
from srm_cli.system.processes import SystemPlan
from srm_cli.system.properties import read_config
from srm_cli.system.three_services import TARGETS, ports, service_plans, service_specs


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[SystemPlan, ...]:
    monkeypatch.delenv("SRM_REDIS_URL", raising=False)
    folder = HomeFolder(path=tmp_path).create()
    clusters = {
        alias: LocalCluster(
            alias=alias, uuid="u", nodes=(BrokerNode(node_id=1, port=20_001, controller_port=1, folder=tmp_path),)
        )
        for alias in ALIASES
    }
    return service_plans(folder, clusters, host="127.0.0.1", port=7_000, with_metrics=True)


def config_of(plan: SystemPlan) -> ReplicationConfig:
    assert plan.config is not None
    return read_config(plan.config, plan.dialect)


def test_each_service_reports_one_target_and_the_first_one_shows_those_of_the_others(
    plans: tuple[SystemPlan, ...],
) -> None:
    configs = [config_of(plan) for plan in plans]

    assert [config.manager.service_targets for config in configs] == [(target,) for target in TARGETS]
    assert [set(config.manager.remote_targets) for config in configs] == [{"us-east", "analytics"}, set(), set()]
    enabled = [{(flow.source, flow.target) for flow in config.flows if flow.enabled} for config in configs]
    assert enabled == [{("us-east", "eu-central")}, {("eu-central", "us-east")}, {("us-east", "analytics")}]
    findings = [finding for config in configs for finding in config.findings if finding.severity != "note"]
    assert {finding.key for finding in findings} == {"dialect"}  # keys of the original in a file of MirrorMaker 2


def test_only_the_gateway_may_ask_others(plans: tuple[SystemPlan, ...]) -> None:
    assert [plan.env["SRM_ADVERTISED_ADDRESS"] for plan in plans] == [
        "http://127.0.0.1:7000",
        "http://127.0.0.1:7001",
        "http://127.0.0.1:7002",
    ]
    assert [plan.env["SRM_REMOTE_ADDRESSES"] for plan in plans] == [
        "http://127.0.0.1:7001,http://127.0.0.1:7002",
        "",
        "",
    ]


def test_services_share_neither_folders_nor_servers_nor_names(plans: tuple[SystemPlan, ...], tmp_path: Path) -> None:
    specs = service_specs(plans)

    names = [spec.name for spec in specs]
    assert len(set(names)) == len(names)
    assert {needed for spec in specs for needed in spec.after} <= set(names)
    for variable in ("SRM_HOME", "SRM_REDIS_URL", "SRM_PORT"):
        assert len({spec.env[variable] for spec in specs if spec.name.endswith("-service")}) == len(TARGETS)
    last_begun = stop_waves(specs)[0]
    assert {f"{target}-metrics" for target in TARGETS} <= set(last_begun)
    metrics = [spec.command for spec in specs if spec.name.endswith("-metrics")]
    assert {command[command.index("--jars") + 1] for command in metrics} == {str(tmp_path / "jars" / "spark")}


def test_three_services_need_three_ports() -> None:
    assert ports(65_533) == (65_533, 65_534, 65_535)
    with pytest.raises(Exception, match="choose a lower one"):
        ports(65_534)
