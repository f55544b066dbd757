"""`srm driver`: one driver process in the foreground, for a service manager or a container."""

import os
import socket

import click

from replication.domain.assignment.assignment import ROLES, DriverRole
from srm_cli.machine.home import home_folder
from srm_cli.system import commands
from srm_cli.system.foreground import replace_process, require


@click.command("driver")
@click.option("--role", type=click.Choice(ROLES), required=True, help="control plans flows, data copies records.")
@click.option("--id", "driver_id", default=None, help="Name that stays the same across restarts.  [default: host name]")
@click.option("--targets", default="*", show_default=True, help="Target cluster aliases, comma-separated.")
def command(role: DriverRole, driver_id: str | None, targets: str) -> None:
    """Run one driver process. A driver is one control and one or more data processes with the same id.

    Needs SRM_REDIS_URL and SRM_TRANSPORT_KEYS of the service that publishes the flows.

    \b
    Examples:
      srm driver --role control --id berlin-1
      srm driver --role data --id berlin-1 --targets eu-central
    """
    folder = home_folder().create()
    env = {
        **require(folder, "SRM_REDIS_URL", "SRM_TRANSPORT_KEYS"),
        "SRM_HOME": str(folder.path),
        "SRM_DRIVER_ID": driver_id or os.environ.get("SRM_DRIVER_ID") or socket.gethostname(),
        "SRM_DRIVER_ROLE": role,
        "SRM_DRIVER_TARGETS": targets,
    }
    log_level = os.environ.get("SRM_LOG_LEVEL", "INFO")
    replace_process(commands.driver(driver_id=env["SRM_DRIVER_ID"], role=role, log_level=log_level), env)
