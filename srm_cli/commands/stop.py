"""`srm stop`: stops the supervisor of this state folder and every process that it started."""

import os
import signal

import click

from srm_cli.errors import OperatorError
from srm_cli.machine.home import home_folder
from srm_cli.machine.processes import identify, wait_until
from srm_cli.supervisor.lock import holder_pid

# Waves of up to 32 s each; far above what a healthy system needs.
_PATIENCE_SECONDS = 150.0


@click.command("stop")
def command() -> None:
    """Stop what `srm up` or `srm demo` started on this state folder.

    \b
    Example:
      srm stop
    """
    folder = home_folder()
    pid = holder_pid(folder.run) if folder.run.exists() else None
    supervisor = identify(pid) if pid else None
    if supervisor is None:
        click.echo(f"nothing runs on {folder.path}")
        return
    os.kill(supervisor.pid, signal.SIGTERM)
    if not wait_until(lambda: not supervisor.is_alive, _PATIENCE_SECONDS, 0.2):
        raise OperatorError(
            f"the supervisor (pid {supervisor.pid}) does not stop: check {folder.logs}, then kill it with SIGKILL"
        )
    click.echo("stopped")
