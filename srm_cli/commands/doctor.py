"""`srm doctor`: checks this machine and reports everything it lacks."""

import sys
from pathlib import Path

import click

from srm_cli.doctor import machine
from srm_cli.doctor.check import Check
from srm_cli.doctor.tools import JAVA, MAVEN, NODE, check_python, check_tool
from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder, home_folder
from srm_cli.machine.jars import ensure_jars
from srm_cli.machine.ports import LOOPBACK
from srm_cli.options.port_option import PORT


@click.command("doctor")
@click.option("--config", type=click.Path(path_type=Path), default=None, help="Also check this properties file.")
@click.option("--host", default=LOOPBACK, envvar="SRM_HOST", hidden=True)
@click.option("--port", type=PORT, default=6670, show_default=True, envvar="SRM_PORT", help="Port of the service.")
@click.option("--fix", is_flag=True, help="Fetch missing jars first.")
def command(config: Path | None, host: str, port: int, fix: bool) -> None:
    """Check this machine. Exits with 1 when something is missing, with 0 when there are only warnings.

    \b
    Examples:
      srm doctor
      srm doctor --config mm2.properties
      srm doctor --fix
    """
    folder = home_folder()
    if fix:
        folder.create()
        ensure_jars(folder.path, "kafka", click.echo)
        ensure_jars(folder.path, "spark", click.echo)
    checks = [*_machine_checks(folder, host, port), *(_config_checks(config) if config else ())]
    for check in checks:
        click.echo(str(check))
    sys.exit(1 if any(check.state == "missing" for check in checks) else 0)


def _machine_checks(folder: HomeFolder, host: str, port: int) -> list[Check]:
    jars, page = machine.check_jars(folder), machine.check_page()
    return [
        check_python(),
        machine.check_packages(),
        machine.check_compiled(),
        check_tool(JAVA, is_optional=False),
        check_tool(MAVEN, is_optional=jars.state == "ok"),
        check_tool(NODE, is_optional=page.state == "ok"),
        jars,
        page,
        machine.check_redis(),
        machine.check_state_folder(folder),
        machine.check_port(folder, host, port),
        machine.raise_open_files(),
    ]


def _config_checks(path: Path) -> list[Check]:
    from srm_cli.system.properties import read_config, unreachable_clusters  # loads the whole configuration package

    try:
        config = read_config(path)
    except OperatorError as error:
        return [Check(name="config", state="missing", text=str(error))]
    text = f"{len(config.clusters)} clusters, {len(config.flows)} flows"
    silent = {cluster.alias: cluster.bootstrap for cluster in unreachable_clusters(config)}
    return [
        Check(name="config", state="ok", text=text),
        *(Check(name="config", state="warning", text=str(finding)) for finding in config.findings),
        *(unreachable(alias, bootstrap) for alias, bootstrap in silent.items()),
    ]


def unreachable(alias: str, bootstrap: tuple[str, ...]) -> Check:
    text = f"{alias} does not answer at {', '.join(bootstrap)}"
    remedy = "check bootstrap.servers and the network; its flows wait, the others run"
    return Check(name="cluster", state="warning", text=text, remedy=remedy)
