"""Three services for the demonstration, each with its target cluster, state folder and driver.

They know of each other by their advertisements only. The first one is the gateway: it shows the flows of all.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.system.commands import PROJECT
from srm_cli.system.demo_flows import write_service_properties
from srm_cli.system.processes import SystemPlan, system_specs
from srm_cli.system.properties import read_config, write_metrics_targets

TARGETS = ("eu-central", "us-east", "analytics")
TRUST = "trust"
_ADVERTISE_INTERVAL_MS = 2_000
_OF_ONE_SERVICE = (
    *("SRM_REDIS_URL", "SRM_DATABASE_URL", "SRM_METRICS_DATABASE_URL", "SRM_METRICS_EXPORT_URI"),
    *("SRM_DRIVER_HTTP_PORT", "SRM_SPARK_UI_PORT"),
)


def demo_folder(folder: HomeFolder) -> Path:
    """The folder of the three services and their clusters, beside those of the demonstration with one service."""
    return folder.path / "three-services"


def ports(first: int) -> tuple[int, ...]:
    """The port of each service. Raises OperatorError if there are no such ports."""
    if first + len(TARGETS) - 1 > 65_535:
        raise OperatorError(f"three services need the ports from {first} on: choose a lower one with --port")
    return tuple(range(first, first + len(TARGETS)))


def check_environment() -> None:
    """Raises OperatorError for a variable of the shell that would make the services one."""
    shared = [name for name in _OF_ONE_SERVICE if os.environ.get(name)]
    if shared:
        raise OperatorError(f"unset {shared[0]}: each of the three services has its own")


def service_plans(
    folder: HomeFolder, clusters: Mapping[str, LocalCluster], *, host: str, port: int, with_metrics: bool
) -> tuple[SystemPlan, ...]:
    """Write the properties file of each service; returns their plans, that of the gateway first."""
    plans = tuple(
        SystemPlan(
            folder=HomeFolder(path=demo_folder(folder) / target).create(),
            host=host,
            port=port_of_target,
            with_metrics=with_metrics,
            name=target,
            logs=folder.logs,
            spark_jars=folder.path / "jars" / "spark",
        )
        for target, port_of_target in zip(TARGETS, ports(port), strict=True)
    )
    return tuple(_with_config(plan, plans[1:] if plan is plans[0] else (), clusters) for plan in plans)


def service_specs(plans: tuple[SystemPlan, ...]) -> tuple[ProcessSpec, ...]:
    """The processes of all services, and the one that gives the gateway a token of each other service."""
    arguments = (f"{plan.probe_url}={plan.folder.admin_password_file}" for plan in plans)
    trust = ProcessSpec(
        name=TRUST,
        command=(sys.executable, "-m", "srm_cli.system.peer_tokens", *arguments),
        env={"PYTHONUNBUFFERED": "1"},
        cwd=PROJECT,
        after=tuple(plan.process_name("service") for plan in plans),
        one_shot=True,
    )
    return (*(_after_trust(spec) for plan in plans for spec in system_specs(plan)), trust)


def _after_trust(spec: ProcessSpec) -> ProcessSpec:
    """Three Spark processes need most of a small machine to start: pages come first."""
    return replace(spec, after=(*spec.after, TRUST)) if spec.name.endswith("-metrics") else spec


def other_services(plans: tuple[SystemPlan, ...]) -> Iterator[str]:
    """Yield a line per service that is not the gateway."""
    yield "this service shows the flows of all three; the others show their own:"
    for plan in plans[1:]:
        yield f"  {plan.name}: {plan.url}, password in {plan.folder.admin_password_file}"


def _with_config(plan: SystemPlan, others: Sequence[SystemPlan], clusters: Mapping[str, LocalCluster]) -> SystemPlan:
    """Return the plan with its properties file, and with the addresses of the services that it may ask."""
    config = write_service_properties(plan.folder, clusters, plan.name, [other.name for other in others])
    write_metrics_targets(plan.folder, read_config(config))
    env = {
        "SRM_ADVERTISED_ADDRESS": plan.probe_url,
        "SRM_ADVERTISE_INTERVAL_MS": str(_ADVERTISE_INTERVAL_MS),
        "SRM_REMOTE_ADDRESSES": ",".join(other.probe_url for other in others),
    }
    return replace(plan, config=config, env=env)
