"""`srm-control drivers`: list, drain, undrain and restart drivers."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import click

from replication.domain.settings.registry.drivers import REBALANCE_DELAY
from srm_cli.control.output import OUTPUT, columns, show_rows, shown_time
from srm_cli.control.values import read_duration_ms, read_end_ms
from srm_cli.help_text import CommandGroup
from srm_cli.options.waiting import TIMEOUT, WAIT, wait_until
from srm_cli.service.access import ServiceAccess

_REASON = "ordered with srm-control"
_DRIVER = click.argument("driver", metavar="DRIVER")
_reason = click.option("--reason", default=_REASON, show_default=True, help="Shown with the driver and in the trail.")
_COLUMNS = (
    *columns("DRIVER=parent", "PROCESS=id", "ROLE=role", "HOST=host", "VERSION=version", "TASKS=tasks"),
    ("DRAIN", lambda row: "yes" if row.get("drain") else ""),
    ("TARGETS", lambda row: ",".join(row.get("targets") or ())),
    ("LABELS", lambda row: ",".join(f"{key}={value}" for key, value in (row.get("labels") or {}).items())),
)


@click.group("drivers", cls=CommandGroup)
def drivers() -> None:
    """List, drain and restart the drivers that report to the service.

    \b
    Examples:
      srm-control drivers list
      srm-control drivers drain berlin-1 --reason 'new disks' --wait
      srm-control drivers undrain berlin-1
    """


@drivers.command("list")
@OUTPUT
@click.pass_obj
def list_drivers(access: ServiceAccess, output: str) -> None:
    """List all drivers with their processes.

    \b
    Example:
      srm-control drivers list -o json
    """
    show_rows(access.client().pages("/drivers"), _COLUMNS, output)


@drivers.command("drain")
@_DRIVER
@_reason
@click.option(
    "--expires", metavar="TIME", help="End the drain then: a duration such as 30m, ISO time (UTC) or epoch ms."
)
@click.option("--keep", is_flag=True, help="Keep the reason and the end of a drain that exists.")
@WAIT
@TIMEOUT
@click.pass_obj
def drain(
    access: ServiceAccess, driver: str, reason: str, expires: str | None, keep: bool, wait: bool, timeout: int
) -> None:
    """Move all tasks away from a driver. It continues to run without tasks until `undrain`, also after a restart.

    DRIVER is the id of a driver, or of one of its data processes.

    \b
    Examples:
      srm-control drivers drain berlin-1 --reason 'new disks' --expires 2h
      srm-control drivers drain berlin-1 --wait --timeout 120
    """
    client = access.client()
    body = {"reason": reason, "expires_ms": read_end_ms(expires)}
    state = client.get(f"{_path(driver)}/drain") if keep else {"drain": None}
    if state["drain"] is None:
        state = client.send("POST", f"{_path(driver)}/drain", body)
    end = (state["drain"] or {}).get("expires_ms")
    click.echo(
        f"{driver} is being drained{'' if end is None else f' until {shown_time(end)}'}; tasks left: {state['tasks']}"
    )
    if wait:
        is_drained = _Progress(lambda: client.get(f"{_path(driver)}/drain"))
        wait_until(is_drained, timeout, what=f"the drain of {driver}")
        click.echo(f"{driver} has no tasks")


@drivers.command("undrain")
@_DRIVER
@_reason
@click.option("--if-reason", metavar="TEXT", help="Change nothing unless this is the reason of the drain.")
@click.pass_obj
def undrain(access: ServiceAccess, driver: str, reason: str, if_reason: str | None) -> None:
    """Give tasks to a drained driver again.

    \b
    Examples:
      srm-control drivers undrain berlin-1
      srm-control drivers undrain berlin-1 --if-reason 'new disks'
    """
    client = access.client()
    if if_reason is not None:
        known = client.get(f"{_path(driver)}/drain")["drain"]
        if known is not None and known["reason"] != if_reason:
            click.echo(f"{driver} is drained for another reason: {known['reason']}; nothing changes")
            return
    changed = client.send("POST", f"{_path(driver)}/undrain", {"reason": reason})["changed"]
    click.echo(f"{driver} gets tasks again" if changed else f"{driver} was not drained; nothing changes")


@drivers.command("restart")
@_DRIVER
@_reason
@click.option(
    "--grace",
    default="60s",
    show_default=True,
    metavar="DURATION",
    help=f"How long its tasks wait for its return, at most {REBALANCE_DELAY.key} of each flow.",
)
@WAIT
@TIMEOUT
@click.pass_obj
def restart(access: ServiceAccess, driver: str, reason: str, grace: str, wait: bool, timeout: int) -> None:
    """Restart the processes of a driver, which get their tasks back. What supervises them must start them again.

    \b
    Examples:
      srm-control drivers restart berlin-1 --reason upgrade --wait
      srm-control drivers restart berlin-1 --grace 30s
    """
    client = access.client()
    body = {"reason": reason, "grace_ms": read_duration_ms(grace)}
    before = client.send("POST", f"{_path(driver)}/restart", body)["processes"]
    click.echo(f"{driver} restarts: {len(before)} process(es)")
    if wait:
        boots = {(row["id"], row["role"]): row["boot"] for row in before}

        def has_returned() -> bool:
            now = {(row["id"], row["role"]): row["boot"] for row in client.pages("/drivers")}
            return all(now.get(name) not in (None, boot) for name, boot in boots.items())

        wait_until(has_returned, timeout, what=f"the restart of {driver}")
        click.echo(f"{driver} has returned")


class _Progress:
    """Asks for the state of a drain, and prints the number of tasks when it changes."""

    def __init__(self, ask: Callable[[], dict[str, Any]]) -> None:
        self._ask = ask
        self._tasks: int | None = None

    def __call__(self) -> bool:
        state = self._ask()
        if state["tasks"] not in (self._tasks, 0):
            click.echo(f"tasks left: {state['tasks']}")
        self._tasks = state["tasks"]
        return bool(state["drained"])


def _path(driver: str) -> str:
    return f"/drivers/{quote(driver, safe='')}"
