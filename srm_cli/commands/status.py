"""`srm status`: the supervisor's view of its processes."""

import sys
import time

import click

from srm_cli.machine.home import home_folder
from srm_cli.supervisor.lock import holder_pid
from srm_cli.supervisor.report import ProcessReport, read_report

_HEALTHY = ("running", "done")


@click.command("status")
def command() -> None:
    """Show processes with their state, age and restarts. Exits with 1 when a process does not run.

    \b
    Example:
      srm status
    """
    folder = home_folder()
    supervisor = holder_pid(folder.run) if folder.run.exists() else None
    if supervisor is None:
        click.echo(f"nothing runs on {folder.path}: `srm up` or `srm demo` starts it", err=True)
        sys.exit(1)
    rows = read_report(folder.processes_file)
    click.echo(f"supervisor pid {supervisor}, state folder {folder.path}")
    now_ms = time.time_ns() // 1_000_000
    for row in rows:
        click.echo(_line(row, now_ms))
    sys.exit(0 if all(row.state in _HEALTHY for row in rows) else 1)


def _line(row: ProcessReport, now_ms: int) -> str:
    mark = "✓" if row.state in _HEALTHY else "✗"
    age = duration(now_ms - row.since_ms)
    restarts = f", {row.restarts} restart(s)" if row.restarts else ""
    note = f"  {row.note}" if row.note else ""
    return f"{mark} {row.name:<20} {row.state:<12} {row.pid or '-':>8}  {age:>8}{restarts}{note}"


def duration(milliseconds: int) -> str:
    """Short and readable: 42s, 3m10s, 5h02m."""
    seconds = max(0, milliseconds // 1000)
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m{seconds % 60:02d}s"
    return f"{seconds // 3600}h{seconds % 3600 // 60:02d}m"
