"""`srm up`: the whole system on this machine, for existing clusters."""

from pathlib import Path

import click

from srm_cli.commands.doctor import unreachable
from srm_cli.machine.home import HomeFolder, home_folder
from srm_cli.machine.ports import LOOPBACK, is_loopback, plain_http_warning
from srm_cli.options.dialect_option import DIALECT
from srm_cli.options.driver_options import PROCESSES
from srm_cli.options.port_option import PORT
from srm_cli.options.web_workers_option import WEB_WORKERS
from srm_cli.system.launch import check_before_start, run_system, say, with_spark_if_possible
from srm_cli.system.processes import SystemPlan
from srm_cli.system.properties import print_findings, read_config, unreachable_clusters, write_metrics_targets


@click.command("up")
@click.option("--config", type=click.Path(path_type=Path), default=None, help="An mm2.properties file.")
@DIALECT
@click.option("--host", default=LOOPBACK, show_default=True, envvar="SRM_HOST", help="Address of the service.")
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port of the service.")
@click.option("--no-metrics", is_flag=True, help="Do not start the Spark process.")
@click.option(
    "--log-level", default="INFO", show_default=True, envvar="SRM_LOG_LEVEL", help="Log level of all processes."
)
@click.option("--drivers", type=click.IntRange(1, 16), default=1, show_default=True, metavar="N", help="Drivers.")
@PROCESSES
@WEB_WORKERS
def command(
    *,
    config: Path | None,
    dialect: str,
    host: str,
    port: int,
    no_metrics: bool,
    log_level: str,
    drivers: int,
    processes: int,
    web_workers: int,
) -> None:
    """Start Redis, service, drivers and metrics, keep them running, and stop them on Ctrl-C.

    Without --config, continues with the flows in its database. Keys of the file that have no effect are listed.

    \b
    Examples:
      srm up --config mm2.properties
      srm up --port 7000
      srm up --config mm2.properties --drivers 2 --processes 4 --web-workers 2
    """
    folder = home_folder().create()
    check_before_start(folder, host, port)
    _check(folder, config, dialect, host)
    plan = SystemPlan(
        folder=folder,
        host=host,
        port=port,
        config=config.resolve() if config else None,
        dialect=dialect,
        with_metrics=not no_metrics,
        log_level=log_level,
        drivers=drivers,
        processes=processes,
        web_workers=web_workers,
    )
    run_system(with_spark_if_possible(plan), (), show_password=False)


def _check(folder: HomeFolder, path: Path | None, dialect: str, host: str) -> None:
    if path is not None:
        config = read_config(path, dialect)
        print_findings(config, say)
        for cluster in unreachable_clusters(config):
            check = unreachable(cluster.alias, cluster.bootstrap)
            say(f"{check.text}: {check.remedy}")
        write_metrics_targets(folder, config)
    if not is_loopback(host):
        say(f"warning: {plain_http_warning(host)}")
