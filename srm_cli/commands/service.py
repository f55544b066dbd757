"""`srm service`: the service process in the foreground."""

import os
from pathlib import Path

import click

from srm_cli.errors import OperatorError, UsageError
from srm_cli.machine.home import home_folder
from srm_cli.machine.ports import LOOPBACK, is_free, is_loopback, plain_http_warning
from srm_cli.options.dialect_option import DIALECT
from srm_cli.options.port_option import PORT
from srm_cli.options.web_workers_option import WEB_WORKERS
from srm_cli.system import commands
from srm_cli.system.foreground import replace_process, require


@click.command("service")
@click.option("--host", default=LOOPBACK, show_default=True, envvar="SRM_HOST", help="Address to listen on.")
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port to listen on.")
@click.option(
    "--plain-http",
    is_flag=True,
    help="Listen beyond this machine without TLS: passwords and sessions travel readable. For test networks.",
)
@WEB_WORKERS
@click.option("--maintenance", is_flag=True, help="Run the maintenance worker instead of the web process.")
@click.option("--prepare", is_flag=True, help="Migrate both databases and create the first administrator, then exit.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="With --prepare: import this file if it has changed.",
)
@DIALECT
def command(
    *,
    host: str,
    port: int,
    plain_http: bool,
    web_workers: int,
    maintenance: bool,
    prepare: bool,
    config: Path | None,
    dialect: str,
) -> None:
    """Run the service: web pages, REST and live updates. Run it with --prepare before, also after an upgrade.

    On a loopback address the service speaks plain HTTP. On any other address it expects a proxy in front of it that
    terminates TLS and sets X-Forwarded-Proto: cookies are sent over TLS only (`srm_service.settings.production`).
    Name the hosts under which users reach it in SRM_ALLOWED_HOSTS. DJANGO_SETTINGS_MODULE overrides the choice.

    \b
    Examples:
      srm service
      SRM_ALLOWED_HOSTS=srm.example.com srm service --host 0.0.0.0 --web-workers 4
      srm service --maintenance
      srm service --prepare --config mm2.properties
    """
    _check_options(maintenance=maintenance, prepare=prepare, config=config)
    folder = home_folder().create()
    chosen = os.environ.get("DJANGO_SETTINGS_MODULE")
    env = {
        **require(folder, "SRM_REDIS_URL", "SRM_TRANSPORT_KEYS", "SRM_SECRET_KEYS", "SRM_DJANGO_SECRET_KEY"),
        "SRM_HOME": str(folder.path),
        "SRM_HOST": host,
        "SRM_PORT": str(port),
        "DJANGO_SETTINGS_MODULE": chosen or settings_module(host, plain_http=plain_http),
    }
    if prepare:
        replace_process(commands.prepare(None if config is None else config.resolve(), dialect), env)
    if maintenance:
        replace_process(commands.maintenance(schedule=folder.path / "service" / "beat-schedule", log_level="INFO"), env)
    _check_port(host, port)
    replace_process(commands.service(host=host, port=port, workers=web_workers), env)


def _check_options(*, maintenance: bool, prepare: bool, config: Path | None) -> None:
    if maintenance and prepare:
        raise UsageError("--maintenance and --prepare are two commands: run --prepare first")
    if config is not None and not prepare:
        raise UsageError("--config belongs to --prepare, which imports the file")


def _check_port(host: str, port: int) -> None:
    if not is_free(port, host):
        raise OperatorError(
            f"port {port} is in use: stop the program that listens there, or choose another port with --port"
        )


def settings_module(host: str, *, plain_http: bool) -> str:
    """Return the Django settings for an address; warns of plain HTTP beyond this machine."""
    if is_loopback(host):
        return "srm_service.settings.local"
    if not plain_http:
        return "srm_service.settings.production"
    click.echo(f"warning: {plain_http_warning(host)}", err=True)
    return "srm_service.settings.local"
