"""`srm demo`: the whole system with three local clusters, three flows and some traffic."""

import sys
from pathlib import Path

import click

from srm_cli.dev_clusters.lifecycle import DevClusters, answers
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


@click.command("demo")
@click.option("--host", default=LOOPBACK, show_default=True, envvar="SRM_HOST", help="Address of the service.")
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port of the service.")
@click.option("--no-traffic", is_flag=True, help="Do not start the traffic generator.")
def command(host: str, port: int, no_traffic: bool) -> None:
    """Start everything with three local clusters (us-east, eu-central, analytics), three flows and some traffic.

    \b
    Examples:
      srm demo
      srm demo --port 7000
    """
    folder = home_folder().create()
    check_before_start(folder, host, port)
    extra, config = _prepare_demo(folder, with_traffic=not no_traffic)
    write_metrics_targets(folder, read_config(config))
    plan = SystemPlan(folder=folder, host=host, port=port, config=config)
    run_system(with_spark_if_possible(plan), extra, show_password=True)


def _prepare_demo(folder: HomeFolder, *, with_traffic: bool) -> tuple[tuple[ProcessSpec, ...], Path]:
    jars = ensure_jars(folder.path, "kafka", say)
    say("preparing three local clusters")
    local = DevClusters(folder.path, jars, tie_to_parent=True, say=say)
    clusters = {alias: local.prepare(alias) for alias in ALIASES}
    properties = write_demo_properties(folder, clusters)
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
    return (*brokers, *((traffic,) if with_traffic else ())), properties
