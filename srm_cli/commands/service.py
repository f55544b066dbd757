"""`srm service`: the service process in the foreground."""

import click

from srm_cli.errors import OperatorError
from srm_cli.home import state_folder
from srm_cli.port_option import PORT
from srm_cli.ports import LOOPBACK, is_free
from srm_cli.system import commands
from srm_cli.system.foreground import become, require


@click.command("service")
@click.option("--host", default=LOOPBACK, show_default=True, envvar="SRM_HOST", help="Address to listen on.")
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port to listen on.")
@click.option("--house", is_flag=True, help="Run the house worker with its schedule instead of the web side.")
def command(host: str, port: int, house: bool) -> None:
    """Run the service: web pages, REST and live updates. Migrate first: `python manage.py prepare`.

    \b
    Examples:
      srm service --host 0.0.0.0
      srm service --house
    """
    folder = state_folder().create()
    env = {
        **require(folder, "SRM_REDIS_URL", "SRM_TRANSPORT_KEYS", "SRM_SECRET_KEYS", "SRM_DJANGO_SECRET_KEY"),
        "SRM_HOME": str(folder.path),
        "SRM_HOST": host,
        "SRM_PORT": str(port),
    }
    if house:
        become(commands.house(schedule=folder.path / "service" / "beat-schedule", log_level="INFO"), env)
    if not is_free(port, host):
        raise OperatorError(f"port {port} is taken: stop what listens there or choose another with --port")
    become(commands.service(host=host, port=port), env)
