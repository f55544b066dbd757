"""`srm driver`: the processes of one driver in the foreground, for a service manager or a container."""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click

from replication.domain.assignment.assignment import ROLES, DriverRole
from replication.domain.settings.registry.manager import DRIVER_TARGETS
from replication.domain.settings.registry.other_components import REST_PROTOCOL
from replication.worker.exit_codes import EX_CONFIG
from replication.worker.settings import ALL_TARGETS
from srm_cli.errors import UsageError
from srm_cli.machine.home import HomeFolder, home_folder
from srm_cli.options.dialect_option import DIALECT
from srm_cli.options.driver_options import CAPACITY, HTTP_PORT, LABELS, PROCESSES, labels_from
from srm_cli.system import commands
from srm_cli.system.drivers import DriverPlan, check_driver, driver_specs
from srm_cli.system.foreground import replace_process, require


@click.command("driver")
@click.option(
    "--role", type=click.Choice(ROLES), help="Run only one process: control plans flows, data copies records."
)
@click.option(
    "--id",
    "driver_id",
    envvar="SRM_DRIVER_ID",
    help="Name that stays the same across restarts, unique among all drivers.  [default: host name]",
)
@PROCESSES
@click.option(
    "--targets",
    envvar="SRM_DRIVER_TARGETS",
    help="Target cluster aliases, comma-separated.  [default: those of --config, or *]",
)
@CAPACITY
@LABELS
@HTTP_PORT
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help=f"File whose {DRIVER_TARGETS.key} is the default of --targets, and whose {REST_PROTOCOL.key} and "
    "listeners.https.* apply to the HTTP port.",
)
@DIALECT
def command(
    *,
    role: DriverRole | None,
    driver_id: str | None,
    processes: int,
    targets: str | None,
    capacity: int | None,
    labels: tuple[str, ...],
    http_port: str,
    config: Path | None,
    dialect: str,
) -> None:
    """Run a driver: one control process and N data processes, which are restarted when they end.

    Needs SRM_REDIS_URL and SRM_TRANSPORT_KEYS of the service that publishes the flows, and a state folder (SRM_HOME)
    that nothing else uses. SIGTERM stops all processes. SIGHUP restarts one process after the other, and their tasks
    wait for them; in a terminal it stops them. With --role, the command becomes this one process.

    \b
    Examples:
      srm driver --id berlin-1 --processes 4
      srm driver --id berlin-1 --targets eu-central --label region=eu --capacity 50
      srm driver --id berlin-1 --role data
    """
    _check_choice(role, processes)
    folder = home_folder().create()
    plan = DriverPlan(
        driver_id=driver_id or socket.gethostname(),
        processes=processes,
        targets=targets or _targets_of(config, dialect),
        capacity=capacity,
        labels=labels_from(labels, os.environ.get("SRM_DRIVER_LABELS", "")),
        log_level=os.environ.get("SRM_LOG_LEVEL", "INFO"),
        http_port=http_port,
        http_config=str(config.absolute()) if config else os.environ.get("SRM_DRIVER_HTTP_CONFIG", ""),
    )
    _run(role, plan, folder)


def _check_choice(role: DriverRole | None, processes: int) -> None:
    if role is not None and processes != 1:
        raise UsageError("--role runs one process: leave it out, or leave out --processes")


def _run(role: DriverRole | None, plan: DriverPlan, folder: HomeFolder) -> NoReturn:
    env = {**require(folder, "SRM_REDIS_URL", "SRM_TRANSPORT_KEYS"), "SRM_HOME": str(folder.path)}
    check_driver(plan, env)
    if role is None:
        sys.exit(_run_all(folder, plan, env))
    _become(role, plan, env)


def _become(role: DriverRole, plan: DriverPlan, env: Mapping[str, str]) -> NoReturn:
    """Replace this process by one process of the driver, which has the port as it was given."""
    line = commands.driver(driver_id=plan.driver_id, role=role, log_level=plan.log_level)
    replace_process(line, {**env, **plan.environment(role, plan.driver_id), "SRM_DRIVER_HTTP_PORT": plan.http_port})


def _targets_of(config: Path | None, dialect: str) -> str:
    if config is None:
        return ALL_TARGETS
    from srm_cli.system.properties import read_config

    return ",".join(read_config(config, dialect).manager.driver_targets) or ALL_TARGETS


def _run_all(folder: HomeFolder, plan: DriverPlan, env: Mapping[str, str]) -> int:
    from srm_cli.supervisor.supervisor import Supervisor

    specs = driver_specs(plan, {**env, "PYTHONUNBUFFERED": "1"}, fatal_code=EX_CONFIG)
    is_service = not sys.stdin.isatty()
    supervisor = Supervisor(folder, specs, say=_say, has_logs=not is_service, restarts_on_hangup=is_service)
    return asyncio.run(supervisor.run())


def _say(line: str) -> None:
    click.echo(line, err=True)
