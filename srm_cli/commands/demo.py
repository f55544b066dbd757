"""`srm demo`: the whole system with three local clusters, three flows and some traffic."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from srm_cli.dev_clusters.lifecycle import DevClusters, answers
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.home import HomeFolder, home_folder
from srm_cli.machine.jars import ensure_jars
from srm_cli.machine.ports import LOOPBACK
from srm_cli.options.port_option import PORT
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.system.commands import PROJECT
from srm_cli.system.demo_flows import ALIASES, write_demo_properties
from srm_cli.system.launch import check_before_start, run_system, say, with_spark_if_possible
from srm_cli.system.processes import SystemPlan, broker_name, broker_specs
from srm_cli.system.properties import read_config, write_metrics_targets

_FIRST_FLOW = ("us-east", "eu-central")


@click.command("demo")
@click.option("--host", default=LOOPBACK, show_default=True, envvar="SRM_HOST", help="Address of the service.")
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port of the service.")
@click.option("--no-traffic", is_flag=True, help="Do not start the traffic generator.")
@click.option("--empty", is_flag=True, help="Start without clusters and flows in the service: add them yourself.")
def command(host: str, port: int, no_traffic: bool, empty: bool) -> None:
    """Start everything with three local clusters (us-east, eu-central, analytics), three flows and some traffic.

    With --empty, the three clusters run and have traffic, and the service knows none of them. Its database is the one
    of the state folder, so clusters and flows of an earlier demo are still there.

    \b
    Examples:
      srm demo
      srm demo --port 7000
      SRM_HOME=/tmp/srm srm demo --empty
    """
    folder = home_folder().create()
    check_before_start(folder, host, port)
    jars = ensure_jars(folder.path, "kafka", say)
    say("preparing three local clusters")
    local = DevClusters(folder.path, jars, tie_to_parent=True, say=say)
    clusters = {alias: local.prepare(alias) for alias in ALIASES}
    config = None if empty else _write_config(folder, clusters)
    plan = SystemPlan(folder=folder, host=host, port=port, config=config)
    processes = _cluster_processes(clusters, jars, with_traffic=not no_traffic)
    hints = next_steps(plan, clusters) if empty else ()
    run_system(with_spark_if_possible(plan), processes, show_password=True, hints=hints)


def _write_config(folder: HomeFolder, clusters: Mapping[str, LocalCluster]) -> Path:
    path = write_demo_properties(folder, clusters)
    write_metrics_targets(folder, read_config(path))
    return path


def next_steps(plan: SystemPlan, clusters: Mapping[str, LocalCluster]) -> tuple[str, ...]:
    """Return the commands that add two clusters and a flow."""
    options = f"--url {plan.url} --password-file {shlex.quote(str(plan.folder.admin_password_file))}"
    client = f"{shlex.quote(str(Path(sys.executable).with_name('srm-control')))} {options}"
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
