"""`srm-control flows`: list, create, change, pause, resume and throttle flows."""

from collections.abc import Sequence
from typing import Any

import click

from srm_cli.control.labels import label_options, labels_of
from srm_cli.control.output import OUTPUT, Row, columns, show_object, show_rows
from srm_cli.control.values import read_pairs, read_rate, read_time_ms
from srm_cli.control.waiting import TIMEOUT, WAIT, wait_until
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path, split_flow

_REASON = "ordered with srm-control"
_FLOW = click.argument("flow", metavar="SOURCE->TARGET")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Only print what would change.")
_reason = click.option("--reason", default=_REASON, show_default=True, help="Shown with the flow.")
_until = click.option(
    "--until", metavar="TIME", help="Resume automatically at this ISO time (UTC) or epoch ms.  [default: never]"
)


def _latest(metric: str) -> Any:
    def value(flow: Row) -> Any:
        from srm_cli.service.rest import latest

        number = latest(dict(flow), metric)
        return None if number is None else f"{number:,.0f}"

    return value


_COLUMNS = (
    ("FLOW", lambda flow: f"{flow['source']}->{flow['target']}"),
    *columns("STATUS=status"),
    ("RECORDS/S", _latest("records_per_second")),
    ("LAG", _latest("lag_offsets")),
    ("REASON", lambda flow: flow.get("reason") or ""),
)
_RESULTS = (("FLOW", lambda flow: f"{flow['source']}->{flow['target']}"), *columns("RESULT=result", "TEXT=text"))


@click.group("flows")
def flows() -> None:
    """List, create, change, pause, resume and throttle replication flows."""


@flows.command("list")
@click.option("--source", help="Only flows from this cluster.")
@click.option("--target", help="Only flows into this cluster.")
@OUTPUT
@click.pass_obj
def list_flows(access: ServiceAccess, source: str | None, target: str | None, output: str) -> None:
    """List all flows with status, rate and lag.

    \b
    Examples:
      srm-control flows list -o json
      srm-control flows list --target eu-central
    """
    show_rows(_chosen(access.client().replications(), source, target), _COLUMNS, output)


@flows.command("show")
@_FLOW
@OUTPUT
@click.pass_obj
def show(access: ServiceAccess, flow: str, output: str) -> None:
    """Show one flow.

    \b
    Example:
      srm-control flows show 'us-east->eu-central' -o yaml
    """
    show_object(access.client().get(flow_path(flow)), output)


@flows.command("create")
@_FLOW
@click.option("--disabled", is_flag=True, help="Create the flow without starting it.")
@click.option("--set", "properties", multiple=True, metavar="KEY=VALUE", help="A property of the flow.")
@label_options
@_DRY_RUN
@click.pass_obj
def create(
    access: ServiceAccess, /, flow: str, disabled: bool, properties: tuple[str, ...], dry_run: bool, **labels: Any
) -> None:
    """Create a flow. It copies nothing until `srm-control topics --add` allows a topic.

    \b
    Examples:
      srm-control flows create 'us-east->eu-central'
      srm-control flows create 'us-east->eu-central' --set tasks.max=4 --label team=payments --owner ann
    """
    source, target = split_flow(flow)
    body: dict[str, Any] = {"source": source, "target": target, "enabled": not disabled, **labels_of(labels)}
    if properties:
        body["properties"] = read_pairs(properties)
    if dry_run:
        click.echo(f"{flow} would be created")
        return
    access.client().send("POST", "/replications", body)
    click.echo(f"{flow} is created")


@flows.command("change")
@_FLOW
@click.option("--set", "properties", multiple=True, metavar="KEY=VALUE", help="A property of the flow.")
@label_options
@_DRY_RUN
@click.pass_obj
def change(access: ServiceAccess, /, flow: str, properties: tuple[str, ...], dry_run: bool, **labels: Any) -> None:
    """Change properties, labels, owner, criticality or runbook of a flow.

    \b
    Example:
      srm-control flows change 'us-east->eu-central' --criticality high --runbook https://wiki.example/srm
    """
    body = labels_of(labels)
    if properties:
        body["properties"] = read_pairs(properties)
    if not body:
        raise UsageError("nothing to change: use --set, --label, --owner, --criticality or --runbook")
    _patch(access, flow, body, "is changed", dry_run=dry_run)


@flows.command("enable")
@_FLOW
@WAIT
@TIMEOUT
@_DRY_RUN
@click.pass_obj
def enable(access: ServiceAccess, flow: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Switch a flow on.

    \b
    Example:
      srm-control flows enable 'us-east->eu-central' --wait
    """
    _patch(access, flow, {"enabled": True}, "is enabled", dry_run=dry_run)
    if wait and not dry_run:
        wait_until(lambda: _status(access, flow) not in ("disabled", "unknown"), timeout, what=f"the start of {flow}")


@flows.command("disable")
@_FLOW
@WAIT
@TIMEOUT
@_DRY_RUN
@click.pass_obj
def disable(access: ServiceAccess, flow: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Switch a flow off; it keeps its position.

    \b
    Example:
      srm-control flows disable 'us-east->eu-central'
    """
    _patch(access, flow, {"enabled": False}, "is disabled", dry_run=dry_run)
    if wait and not dry_run:
        wait_until(lambda: _status(access, flow) == "disabled", timeout, what=f"the stop of {flow}")


@flows.command("delete")
@_FLOW
@click.option("--yes", is_flag=True, help="Do not ask.")
@_DRY_RUN
@click.pass_obj
def delete(access: ServiceAccess, flow: str, yes: bool, dry_run: bool) -> None:
    """Delete a flow from the service. Its topics in the target cluster remain.

    \b
    Example:
      srm-control flows delete 'us-east->eu-central' --yes
    """
    path = flow_path(flow)
    if dry_run:
        click.echo(f"{flow} would be deleted")
        return
    if not yes:
        click.confirm(f"Delete {flow}?", abort=True)
    access.client().send("DELETE", path)
    click.echo(f"{flow} is deleted")


@flows.command("pause")
@_FLOW
@_reason
@_until
@WAIT
@TIMEOUT
@_DRY_RUN
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
    click.echo(access.client().act(flow, "pause", reason=reason, until_ms=until_ms, dry_run=dry_run))
    if wait and not dry_run:
        wait_until(lambda: _status(access, flow) == "paused", timeout, what=f"the pause of {flow}")


@flows.command("resume")
@_FLOW
@_reason
@WAIT
@TIMEOUT
@_DRY_RUN
@click.pass_obj
def resume(access: ServiceAccess, flow: str, reason: str, wait: bool, timeout: int, dry_run: bool) -> None:
    """Continue copying where a paused flow stopped.

    \b
    Example:
      srm-control flows resume 'us-east->eu-central'
    """
    click.echo(access.client().act(flow, "resume", reason=reason, dry_run=dry_run))
    if wait and not dry_run:
        wait_until(lambda: _status(access, flow) not in ("paused", "unknown"), timeout, what=f"the start of {flow}")


@flows.command("act")
@click.argument("action", type=click.Choice(["pause", "resume", "enable", "disable"]))
@click.argument("names", metavar="[SOURCE->TARGET]...", nargs=-1)
@click.option("--source", help="All flows from this cluster.")
@click.option("--target", help="All flows into this cluster.")
@click.option("--label", "labels", multiple=True, metavar="KEY:VALUE", help="All flows with this label.")
@_reason
@_until
@_DRY_RUN
@OUTPUT
@click.pass_obj
def act(
    access: ServiceAccess,
    action: str,
    names: tuple[str, ...],
    source: str | None,
    target: str | None,
    labels: tuple[str, ...],
    reason: str,
    until: str | None,
    dry_run: bool,
    output: str,
) -> None:
    """Do one thing with many flows; prints a result per flow. Exits with 1 if one of them refuses.

    \b
    Examples:
      srm-control flows act pause --target eu-central --reason 'broker upgrade'
      srm-control flows act enable 'us-east->eu-central' 'us-west->eu-central' --dry-run
    """
    filters = {
        name: value for name, value in (("source", source), ("target", target), ("label", list(labels))) if value
    }
    if bool(names) == bool(filters):
        raise UsageError("choose flows: name them, or use --source, --target or --label")
    pairs = [dict(zip(("source", "target"), split_flow(name), strict=True)) for name in names]
    chosen: dict[str, Any] = {"flows": pairs} if names else {"filter": filters}
    until_ms = read_time_ms(until)
    body = {"action": action, "reason": reason, **chosen, "until_ms": until_ms, "dry_run": dry_run}
    answer = access.client().send("POST", "/replications/actions", body)
    show_rows(answer["results"], _RESULTS, output)
    if answer["refused"]:
        raise OperatorError(f"{answer['refused']} flow(s) have refused", exit_code=ExitCode.REFUSED)


@flows.command("throttle")
@_FLOW
@click.argument("rate", metavar="RATE|off")
@_DRY_RUN
@click.pass_obj
def throttle(access: ServiceAccess, flow: str, rate: str, dry_run: bool) -> None:
    """Limit the bytes per second that a flow reads; `off` removes the limit.

    kB, MB and GB are powers of 1000, KiB, MiB and GiB of 1024. After `off`, only the limits in the flow's
    settings (srm.throttle.rate, srm.throttle.schedule) apply.

    \b
    Examples:
      srm-control flows throttle 'us-east->eu-central' 10MB
      srm-control flows throttle 'us-east->eu-central' off
    """
    bytes_per_second = read_rate(rate)
    limit = "has no throttle" if bytes_per_second is None else f"reads at most {bytes_per_second:,} bytes per second"
    if dry_run:
        click.echo(f"{flow} {limit} (dry run)")
        return
    access.client().throttle(flow, bytes_per_second)
    click.echo(f"{flow} {limit}")


def _chosen(found: Sequence[Row], source: str | None, target: str | None) -> list[Row]:
    return [flow for flow in found if source in (None, flow["source"]) and target in (None, flow["target"])]


def _patch(access: ServiceAccess, flow: str, body: dict[str, Any], effect: str, *, dry_run: bool) -> None:
    path = flow_path(flow)
    if not dry_run:
        access.client().change(path, body)
    click.echo(f"{flow} {effect}{' (dry run)' if dry_run else ''}")


def _status(access: ServiceAccess, flow: str) -> str:
    return str(access.client().get(flow_path(flow)).get("status"))
