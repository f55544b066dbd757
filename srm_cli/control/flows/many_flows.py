"""`srm-control flows`: switch flows on and off, and order one thing of many flows at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from srm_cli.control.dry_runs import DRY_RUN, show_touches
from srm_cli.control.flows.commands import FLOW, REASON_OF_CHANGE, flows, patch_flow
from srm_cli.control.flows.verbs import FOR, REASON, UNTIL
from srm_cli.control.labels import filter_of, filter_options
from srm_cli.control.output import OUTPUT, Row, columns, show_rows
from srm_cli.control.values import read_end_ms
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.options.waiting import TIMEOUT, WAIT, wait_until
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path, split_flow

# whether the status of a flow shows that an action has taken effect
_REACHED: Mapping[str, Callable[[str], bool]] = {
    "enable": lambda status: status not in ("disabled", "unknown"),
    "disable": lambda status: status == "disabled",
}
_EFFECTS = {"enable": "start", "disable": "stop"}
_VERBS = ("pause", "resume", "stop", "start", "restart", *_REACHED)


def _name(flow: Row) -> str:
    return f"{flow['source']}->{flow['target']}"


_RESULTS = (("FLOW", _name), *columns("RESULT=result", "TEXT=text"))


def _wait(access: ServiceAccess, names: Sequence[str], action: str, timeout_s: int) -> None:
    """Wait until flows are enabled or disabled, by their status."""
    client, reached = access.client(), _REACHED[action]

    def is_done() -> bool:
        if len(names) == 1:
            return reached(str(client.get(flow_path(names[0])).get("status")))
        statuses = {_name(flow): str(flow["status"]) for flow in client.replications()}
        return all(reached(statuses.get(name, "unknown")) for name in names)

    wait_until(is_done, timeout_s, what=f"the {_EFFECTS[action]} of {', '.join(names)}")


def _wait_for_orders(access: ServiceAccess, orders: Mapping[int, str], timeout_s: int) -> None:
    """Wait until each order is applied, or a later one has replaced it."""
    client, left = access.client(), dict(orders)

    def is_done() -> bool:
        for number, name in list(left.items()):
            if client.get(f"{flow_path(name)}/actions/{number}")["state"] in ("ordered", "published"):
                return False
            del left[number]
        return True

    wait_until(is_done, timeout_s, what=f"the order to {len(orders)} flow(s)")


@flows.command("enable")
@FLOW
@REASON_OF_CHANGE
@WAIT
@TIMEOUT
@DRY_RUN
@click.pass_obj
def enable(access: ServiceAccess, flow: str, reason: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Switch a flow on.

    \b
    Example:
      srm-control flows enable 'us-east->eu-central' --reason 'upgrade is done' --wait
    """
    patch_flow(access, flow, {"enabled": True, "comment": reason}, "is enabled", dry_run=dry_run)
    if wait and not dry_run:
        _wait(access, [flow], "enable", timeout)


@flows.command("disable")
@FLOW
@REASON_OF_CHANGE
@WAIT
@TIMEOUT
@DRY_RUN
@click.pass_obj
def disable(access: ServiceAccess, flow: str, reason: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Switch a flow off; it keeps its position.

    \b
    Example:
      srm-control flows disable 'us-east->eu-central' --reason 'broker upgrade'
    """
    patch_flow(access, flow, {"enabled": False, "comment": reason}, "is disabled", dry_run=dry_run)
    if wait and not dry_run:
        _wait(access, [flow], "disable", timeout)


@flows.command("act")
@click.argument("action", type=click.Choice(_VERBS))
@click.argument("names", metavar="[SOURCE->TARGET]...", nargs=-1)
@click.option("--source", help="All flows from this cluster.")
@click.option("--target", help="All flows into this cluster.")
@filter_options("flows")
@REASON
@UNTIL
@FOR
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
    lasts: str | None,
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
      srm-control flows act restart --source us-east --reason 'new certificates' --for 10m
      srm-control flows act enable 'us-east->eu-central' 'us-west->eu-central' --dry-run
    """
    given = filter_of(filters)
    if bool(names) == bool(given):
        raise UsageError("choose flows: name them, or use --source, --target, --label, --owner or --criticality")
    pairs = [dict(zip(("source", "target"), split_flow(name), strict=True)) for name in names]
    chosen: dict[str, Any] = {"flows": pairs} if names else {"filter": given}
    body = {"action": action, "reason": reason, **chosen, "until_ms": read_end_ms(until, lasts), "dry_run": dry_run}
    answer = access.client().send("POST", "/replications/actions", body)
    show_rows(answer["results"], _RESULTS, output)
    if output == "table":
        show_touches(answer)
    if wait and not dry_run:
        changed = [each for each in answer["results"] if each["result"] != "refused"]
        if action in _REACHED:
            _wait(access, [_name(each) for each in changed], action, timeout)
        else:
            _wait_for_orders(access, {each["order"]: _name(each) for each in changed if each.get("order")}, timeout)
    if answer["refused"]:
        raise OperatorError(f"{answer['refused']} flow(s) have refused", exit_code=ExitCode.REFUSED)
