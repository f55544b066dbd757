"""`srm demo`: the whole system with three local clusters, three flows and some traffic."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from srm_cli.dev_clusters.lifecycle import DevClusters, answers
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.errors import UsageError
from srm_cli.machine.home import HomeFolder, home_folder
from srm_cli.machine.jars import ensure_jars
from srm_cli.machine.ports import LOOPBACK
from srm_cli.options.port_option import PORT
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.system import three_services
from srm_cli.system.client_command import client_command
from srm_cli.system.commands import PROJECT
from srm_cli.system.demo_flows import ALIASES, write_demo_properties
from srm_cli.system.launch import (
    check_before_start,
    has_spark,
    run_processes,
    run_system,
    say,
    with_spark_if_possible,
)
from srm_cli.system.processes import SystemPlan, broker_name, broker_specs
from srm_cli.system.properties import read_config, write_metrics_targets

_FIRST_FLOW = ("us-east", "eu-central")


@click.command("demo")
@click.option("--host", default=LOOPBACK, show_default=True, envvar="SRM_HOST", help="Address of the service.")
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port of the service.")
@click.option("--no-traffic", is_flag=True, help="Do not start the traffic generator.")
@click.option("--no-metrics", is_flag=True, help="Do not start the Spark process.")
@click.option("--empty", is_flag=True, help="Start without clusters and flows in the service: add them yourself.")
@click.option(
    "--three-services", "has_three", is_flag=True, help="Start a service per target cluster; the first shows all flows."
)
def command(host: str, port: int, *, no_traffic: bool, no_metrics: bool, empty: bool, has_three: bool) -> None:
    """Start everything with three local clusters (us-east, eu-central, analytics), three flows and some traffic.

    With --empty, the three clusters run and have traffic, and the service knows none of them. Its database is the one
    of the state folder, so clusters and flows of an earlier demo are still there.

    With --three-services, each target cluster has its service, database, Redis and driver. The services of eu-central,
    us-east and analytics listen on PORT and the two ports after it. They find each other by their advertisements, and
    the first one shows the flows of all. State and clusters are in SRM_HOME/three-services. Each service has a Spark
    process: all together take about 5 GB of memory, or 2.5 GB with --no-metrics.

    \b
    Examples:
      srm demo
      srm demo --port 7000
      SRM_HOME=/tmp/srm srm demo --empty
      srm demo --three-services --no-metrics
    """
    if empty and has_three:
        raise UsageError("--empty and --three-services are two demonstrations: choose one")
    folder = home_folder().create()
    if has_three:
        _run_three_services(folder, host, port, no_traffic=no_traffic, no_metrics=no_metrics)
        return
    check_before_start(folder, host, port)
    clusters, jars = _prepared_clusters(folder, folder.path)
    config = None if empty else _write_config(folder, clusters)
    plan = SystemPlan(folder=folder, host=host, port=port, config=config, with_metrics=not no_metrics)
    processes = _cluster_processes(clusters, jars, with_traffic=not no_traffic)
    hints = next_steps(plan, clusters) if empty else ()
    run_system(with_spark_if_possible(plan), processes, show_password=True, hints=hints)


def _run_three_services(folder: HomeFolder, host: str, port: int, *, no_traffic: bool, no_metrics: bool) -> None:
    three_services.check_environment()
    for each in three_services.ports(port):
        check_before_start(folder, host, each)
    clusters, jars = _prepared_clusters(folder, three_services.demo_folder(folder))
    with_metrics = not no_metrics and has_spark(folder)
    plans = three_services.service_plans(folder, clusters, host=host, port=port, with_metrics=with_metrics)
    processes = _cluster_processes(clusters, jars, with_traffic=not no_traffic)
    run_processes(
        folder,
        (*processes, *three_services.service_specs(plans)),
        plans[0],
        after=three_services.TRUST,
        show_password=True,
        hints=tuple(three_services.other_services(plans)),
    )


def _prepared_clusters(folder: HomeFolder, home: Path) -> tuple[dict[str, LocalCluster], Path]:
    """The three clusters with their data below `home`, and the jars of their brokers."""
    jars = ensure_jars(folder.path, "kafka", say)
    say("preparing three local clusters")
    local = DevClusters(home, jars, tie_to_parent=True, say=say)
    return {alias: local.prepare(alias) for alias in ALIASES}, jars


def _write_config(folder: HomeFolder, clusters: Mapping[str, LocalCluster]) -> Path:
    path = write_demo_properties(folder, clusters)
    write_metrics_targets(folder, read_config(path))
    return path


def next_steps(plan: SystemPlan, clusters: Mapping[str, LocalCluster]) -> tuple[str, ...]:
    """Return the commands that add two clusters and a flow."""
    client = client_command(plan)
    added = (f"clusters add {alias} --bootstrap-servers {clusters[alias].bootstrap}" for alias in _FIRST_FLOW)
    source, target = _FIRST_FLOW
    steps = (
        *added,
        f"clusters test {source}",
        f"flows create '{source}->{target}'",
        f"topics --source {source} --target {target} --add 'orders.*'",
    )
    return ("the service has no flow yet; for example:", *(f"  {client} {step}" for step in steps))


def _cluster_processes(
    clusters: Mapping[str, LocalCluster], jars: Path, *, with_traffic: bool
) -> tuple[ProcessSpec, ...]:
    ours = {alias: cluster for alias, cluster in clusters.items() if not answers(cluster)}
    brokers = broker_specs(ours, jars)
    names = tuple(broker_name(cluster, node.node_id) for cluster in ours.values() for node in cluster.nodes)
    traffic = ProcessSpec(
        name="traffic",
        command=(sys.executable, "-m", "srm_cli.traffic", *(f"{a}={c.bootstrap}" for a, c in clusters.items())),
        env={"PYTHONUNBUFFERED": "1"},
        cwd=PROJECT,
        after=names,
    )
    return (*brokers, *((traffic,) if with_traffic else ()))
