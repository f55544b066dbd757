"""`srm service`: the service process in the foreground."""

import click

from srm_cli.errors import OperatorError
from srm_cli.machine.home import home_folder
from srm_cli.machine.ports import LOOPBACK, is_free
from srm_cli.options.port_option import PORT
from srm_cli.system import commands
from srm_cli.system.foreground import replace_process, require


@click.command("service")
@click.option("--host", default=LOOPBACK, show_default=True, envvar="SRM_HOST", help="Address to listen on.")
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port to listen on.")
@click.option("--maintenance", is_flag=True, help="Run the maintenance worker instead of the web process.")
def command(host: str, port: int, maintenance: bool) -> None:
    """Run the service: web pages, REST and live updates. Migrate first: `python manage.py prepare`.

    \b
    Examples:
      srm service --host 0.0.0.0
      srm service --maintenance
    """
    folder = home_folder().create()
    env = {
        **require(folder, "SRM_REDIS_URL", "SRM_TRANSPORT_KEYS", "SRM_SECRET_KEYS", "SRM_DJANGO_SECRET_KEY"),
        "SRM_HOME": str(folder.path),
        "SRM_HOST": host,
        "SRM_PORT": str(port),
    }
    if maintenance:
        replace_process(commands.maintenance(schedule=folder.path / "service" / "beat-schedule", log_level="INFO"), env)
    if not is_free(port, host):
        raise OperatorError(
            f"port {port} is in use: stop the program that listens there, or choose another port with --port"
        )
    replace_process(commands.service(host=host, port=port), env)
