"""`srm stop`: ends the supervisor of this state folder, and with it everything it started."""

import os
import signal

import click

from srm_cli.errors import OperatorError
from srm_cli.home import state_folder
from srm_cli.processes import identify, wait_until
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
    folder = state_folder()
    pid = holder_pid(folder.run) if folder.run.exists() else None
    supervisor = identify(pid) if pid else None
    if supervisor is None:
        click.echo(f"nothing runs on {folder.path}")
        return
    os.kill(supervisor.pid, signal.SIGTERM)
    if not wait_until(lambda: not supervisor.is_alive, _PATIENCE_SECONDS, 0.2):
        raise OperatorError(
            f"the supervisor (pid {supervisor.pid}) does not end: look at {folder.logs}, then kill -9 it"
        )
    click.echo("stopped")
