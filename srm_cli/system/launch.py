"""The steps that `srm up` and `srm demo` share: check, explain, run until stopped."""

import asyncio
import contextlib
import functools
import sys
import time
from dataclasses import replace

import click

from srm_cli.doctor.machine import check_port, raise_open_files
from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.jars import ensure_jars, require_java
from srm_cli.supervisor.lock import holder_pid
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.supervisor.supervisor import Supervisor
from srm_cli.system.client_command import client_command
from srm_cli.system.processes import SystemPlan, system_specs
from srm_cli.system.properties import ensure_metrics_targets
from srm_cli.system.status_line import StatusLine

ADMIN = "admin"


def say(text: str) -> None:
    """One progress line with the time, in place of the status line; a closed terminal is no error."""
    stamped = f"{time.strftime('%H:%M:%S')} {text}"
    with contextlib.suppress(OSError):
        click.echo(f"\r\033[K{stamped}" if sys.stdout.isatty() else stamped)


def check_before_start(folder: HomeFolder, host: str, port: int) -> None:
    """
    Raises:
        OperatorError: already running here, or the port is taken.
    """
    running = holder_pid(folder.run)
    if running:
        raise OperatorError(
            f"already running here (pid {running}): `srm stop` ends it, or set SRM_HOME to another folder"
        )
    limit = raise_open_files()
    if limit.state != "ok":
        say(f"open files: {limit.text}; {limit.remedy}")
    taken = check_port(folder, host, port)
    if taken.state != "ok":
        raise OperatorError(f"port {taken.text}: {taken.remedy}")


def with_spark_if_possible(plan: SystemPlan) -> SystemPlan:
    """Without Java or the jars everything else still runs; tiles are then missing, live values are not."""
    if not plan.with_metrics:
        return plan
    ensure_metrics_targets(plan.folder)
    return plan if has_spark(plan.folder) else replace(plan, with_metrics=False)


def has_spark(folder: HomeFolder) -> bool:
    """Return True if the metrics process can run, after its jars are there; says what is missing."""
    try:
        require_java()
        ensure_jars(folder.path, "spark", say)
    except OperatorError as error:
        say(f"running without the metrics process: {error}")
        return False
    return True


def run_system(
    plan: SystemPlan, extra: tuple[ProcessSpec, ...], *, show_password: bool, hints: tuple[str, ...] = ()
) -> None:
    """Run the processes until Ctrl-C, SIGTERM or `srm stop`; say the hints when the service is up."""
    specs = (*extra, *system_specs(plan))
    run_processes(plan.folder, specs, plan, after="service", show_password=show_password, hints=hints)


def run_processes(
    folder: HomeFolder,
    specs: tuple[ProcessSpec, ...],
    plan: SystemPlan,
    *,
    after: str,
    show_password: bool,
    hints: tuple[str, ...] = (),
) -> None:
    """Run the processes of a state folder; show the service of the plan as soon as the process `after` is ready."""
    password_file = plan.folder.admin_password_file
    is_first_start = not password_file.exists()
    supervisor = Supervisor(folder, specs, say=say)

    async def accompany() -> None:
        password = await asyncio.to_thread(functools.partial(_read, plan))
        for line in start_text(plan, password if is_first_start or show_password else f"in {password_file}"):
            say(line)
        for hint in hints:
            say(hint)
        await StatusLine(plan.probe_url, ADMIN, password).show_forever()

    asyncio.run(supervisor.run(accompany, companion_after=(after,)))


def start_text(plan: SystemPlan, password: str) -> tuple[str, ...]:
    """Return what people need when the service is up: its page, the login, and a command that works in any shell."""
    return (
        f"open {plan.url}",
        f"user {ADMIN}, password {password}",
        f"on the command line: {client_command(plan)} flows list",
        "Ctrl-C stops everything",
    )


def _read(plan: SystemPlan) -> str:
    path = plan.folder.admin_password_file
    return path.read_text().strip() if path.exists() else ""
