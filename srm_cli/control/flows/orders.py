"""`srm-control flows`: orders to running flows, one by one or many at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from srm_cli.control.dry_runs import DRY_RUN, show_dry_run, show_touches
from srm_cli.control.flows.commands import FLOW, flows, patch_flow
from srm_cli.control.labels import filter_of, filter_options
from srm_cli.control.output import OUTPUT, Row, columns, show_rows
from srm_cli.control.values import read_rate, read_time_ms
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.options.waiting import TIMEOUT, WAIT, wait_until
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path, split_flow

_REASON = click.option("--reason", default="ordered with srm-control", show_default=True, help="Shown with the flow.")
_UNTIL = click.option(
    "--until", metavar="TIME", help="Resume automatically at this ISO time (UTC) or epoch ms.  [default: never]"
)
# whether the status of a flow shows that an action has taken effect
_REACHED: Mapping[str, Callable[[str], bool]] = {
    "pause": lambda status: status == "paused",
    "resume": lambda status: status not in ("paused", "unknown"),
    "enable": lambda status: status not in ("disabled", "unknown"),
    "disable": lambda status: status == "disabled",
}
_EFFECTS = {"pause": "pause", "resume": "start", "enable": "start", "disable": "stop"}


def _name(flow: Row) -> str:
    return f"{flow['source']}->{flow['target']}"


_RESULTS = (("FLOW", _name), *columns("RESULT=result", "TEXT=text"))


def _wait(access: ServiceAccess, names: Sequence[str], action: str, timeout_s: int) -> None:
    """Wait until the action has taken effect on all flows."""
    client, reached = access.client(), _REACHED[action]

    def is_done() -> bool:
        if len(names) == 1:
            return reached(str(client.get(flow_path(names[0])).get("status")))
        statuses = {_name(flow): str(flow["status"]) for flow in client.replications()}
        return all(reached(statuses.get(name, "unknown")) for name in names)

    wait_until(is_done, timeout_s, what=f"the {_EFFECTS[action]} of {', '.join(names)}")


@flows.command("enable")
@FLOW
@WAIT
@TIMEOUT
@DRY_RUN
@click.pass_obj
def enable(access: ServiceAccess, flow: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Switch a flow on.

    \b
    Example:
      srm-control flows enable 'us-east->eu-central' --wait
    """
    patch_flow(access, flow, {"enabled": True}, "is enabled", dry_run=dry_run)
    if wait and not dry_run:
        _wait(access, [flow], "enable", timeout)


@flows.command("disable")
@FLOW
@WAIT
@TIMEOUT
@DRY_RUN
@click.pass_obj
def disable(access: ServiceAccess, flow: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Switch a flow off; it keeps its position.

    \b
    Example:
      srm-control flows disable 'us-east->eu-central'
    """
    patch_flow(access, flow, {"enabled": False}, "is disabled", dry_run=dry_run)
    if wait and not dry_run:
        _wait(access, [flow], "disable", timeout)


@flows.command("pause")
@FLOW
@_REASON
@_UNTIL
@WAIT
@TIMEOUT
@DRY_RUN
@click.pass_obj
def pause(
    access: ServiceAccess, flow: str, reason: str, until: str | None, wait: bool, timeout: int, dry_run: bool
) -> None:
    """Stop copying and keep the position; heartbeats continue.

    \b
    Examples:
      srm-control flows pause 'us-east->eu-central' --reason 'broker upgrade'
      srm-control flows pause 'us-east->eu-central' --until 2026-01-31T18:00:00Z
    """
    until_ms = read_time_ms(until)
    answer = access.client().act(flow, "pause", reason=reason, until_ms=until_ms, dry_run=dry_run)
    click.echo(answer["text"])
    show_touches(answer)
    if wait and not dry_run:
        _wait(access, [flow], "pause", timeout)


@flows.command("resume")
@FLOW
@_REASON
@WAIT
@TIMEOUT
@DRY_RUN
@click.pass_obj
def resume(access: ServiceAccess, flow: str, reason: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Continue copying where a paused flow stopped.

    \b
    Example:
      srm-control flows resume 'us-east->eu-central'
    """
    answer = access.client().act(flow, "resume", reason=reason, dry_run=dry_run)
    click.echo(answer["text"])
    show_touches(answer)
    if wait and not dry_run:
        _wait(access, [flow], "resume", timeout)


@flows.command("act")
@click.argument("action", type=click.Choice(tuple(_REACHED)))
@click.argument("names", metavar="[SOURCE->TARGET]...", nargs=-1)
@click.option("--source", help="All flows from this cluster.")
@click.option("--target", help="All flows into this cluster.")
@filter_options("flows")
@_REASON
@_UNTIL
@WAIT
@TIMEOUT
@DRY_RUN
@OUTPUT
@click.pass_obj
def act(
    access: ServiceAccess,
    /,
    action: str,
    names: tuple[str, ...],
    reason: str,
    until: str | None,
    wait: bool,
    timeout: int,
    dry_run: bool,
    output: str,
    **filters: Any,
) -> None:
    """Do one thing with many flows; prints a result per flow. Exits with 1 if one of them refuses.

    \b
    Examples:
      srm-control flows act pause --target eu-central --label team=payments --reason 'broker upgrade' --wait
      srm-control flows act enable 'us-east->eu-central' 'us-west->eu-central' --dry-run
    """
    given = filter_of(filters)
    if bool(names) == bool(given):
        raise UsageError("choose flows: name them, or use --source, --target, --label, --owner or --criticality")
    pairs = [dict(zip(("source", "target"), split_flow(name), strict=True)) for name in names]
    chosen: dict[str, Any] = {"flows": pairs} if names else {"filter": given}
    body = {"action": action, "reason": reason, **chosen, "until_ms": read_time_ms(until), "dry_run": dry_run}
    answer = access.client().send("POST", "/replications/actions", body)
    show_rows(answer["results"], _RESULTS, output)
    if output == "table":
        show_touches(answer)
    if wait and not dry_run:
        changed = [_name(each) for each in answer["results"] if each["result"] != "refused"]
        _wait(access, changed, action, timeout)
    if answer["refused"]:
        raise OperatorError(f"{answer['refused']} flow(s) have refused", exit_code=ExitCode.REFUSED)


@flows.command("throttle")
@FLOW
@click.argument("rate", metavar="RATE|off")
@WAIT
@TIMEOUT
@DRY_RUN
@click.pass_obj
def throttle(access: ServiceAccess, flow: str, rate: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Limit the bytes per second that a flow reads; `off` removes the limit.

    kB, MB and GB are powers of 1000, KiB, MiB and GiB of 1024. After `off`, only the limits in the flow's
    settings (srm.throttle.rate, srm.throttle.schedule) apply.

    \b
    Examples:
      srm-control flows throttle 'us-east->eu-central' 10MB --wait
      srm-control flows throttle 'us-east->eu-central' off
    """
    bytes_per_second = read_rate(rate)
    limit = "has no throttle" if bytes_per_second is None else f"reads at most {bytes_per_second:,} bytes per second"
    client = access.client()
    answer = client.throttle(flow, bytes_per_second, dry_run=dry_run)
    if dry_run:
        click.echo(f"{flow} {limit} (dry run)")
        show_dry_run(answer)
        return
    click.echo(f"{flow} {limit}")
    if wait:
        wait_until(lambda: client.is_applied(flow, answer["order"]), timeout, what=f"the throttle of {flow}")
