"""`srm-control flows`: list, create, change and delete flows."""

from typing import Any, get_args

import click

from replication.domain.health.flow_facts import FlowStatusWord
from srm_cli.control.dry_runs import DRY_RUN
from srm_cli.control.labels import filter_of, filter_options, label_options, labels_of
from srm_cli.control.output import OUTPUT, Row, columns, number_text, show_object, show_rows
from srm_cli.control.values import read_pairs
from srm_cli.errors import UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path, split_flow

FLOW = click.argument("flow", metavar="SOURCE->TARGET")
DEFAULT_REASON = "ordered with srm-control"
REASON_OF_CHANGE = click.option(
    "--reason", default=DEFAULT_REASON, show_default=True, help="Shown in the history and in the audit trail."
)


def _latest(metric: str) -> Any:
    def value(flow: Row) -> Any:
        from srm_cli.service.rest import latest

        number = latest(dict(flow), metric)
        return None if number is None else f"{number:,.0f}"

    return value


def _latest_values(flow: Row) -> dict[str, Any]:
    """Return the latest value of each metric that has one, with its unit."""
    metrics: dict[str, Any] = flow.get("metrics") or {}
    known = {name: each for name, each in metrics.items() if each.get("latest") is not None}
    return {name: f"{number_text(each['latest'])} {each.get('unit', '')}".rstrip() for name, each in known.items()}


_COLUMNS = (
    ("FLOW", lambda flow: f"{flow['source']}->{flow['target']}"),
    *columns("STATUS=status"),
    ("RECORDS/S", _latest("records_per_second")),
    ("LAG", _latest("lag_offsets")),
    *columns("ORDERS=orders_in_force.text"),
    ("REASON", lambda flow: flow.get("reason") or ""),
)


@click.group("flows", cls=CommandGroup)
def flows() -> None:
    """List, create and change replication flows; pause, stop, restart and throttle them or parts of them.

    \b
    Examples:
      srm-control flows list --status degraded
      srm-control flows create 'us-east->eu-central'
      srm-control flows pause 'us-east->eu-central' --topic orders --reason 'consumer repair'
    """


@flows.command("list")
@click.option("--source", help="Only flows from this cluster.")
@click.option("--target", help="Only flows into this cluster.")
@click.option("--status", type=click.Choice(get_args(FlowStatusWord)), help="Only flows of this status.")
@filter_options("flows")
@OUTPUT
@click.pass_obj
def list_flows(access: ServiceAccess, /, output: str, **filters: Any) -> None:
    """List all flows with status, rate, lag and the orders that slow or stop their copying.

    \b
    Examples:
      srm-control flows list -o json
      srm-control flows list --target eu-central --label team=payments
      srm-control flows list --status degraded
    """
    show_rows(access.client().pages("/replications", filter_of(filters)), _COLUMNS, output)


@flows.command("show")
@FLOW
@OUTPUT
@click.pass_obj
def show(access: ServiceAccess, flow: str, output: str) -> None:
    """Show one flow. Tables and CSV have the latest value of each metric, JSON and YAML all of them.

    \b
    Example:
      srm-control flows show 'us-east->eu-central' -o yaml
    """
    found = access.client().get(flow_path(flow))
    show_object(found if output in ("json", "yaml") else {**found, "metrics": _latest_values(found)}, output)


@flows.command("create")
@FLOW
@click.option("--disabled", is_flag=True, help="Create the flow without starting it.")
@click.option("--set", "properties", multiple=True, metavar="KEY=VALUE", help="A property of the flow.")
@label_options
@DRY_RUN
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
@FLOW
@click.option("--set", "properties", multiple=True, metavar="KEY=VALUE", help="A property of the flow.")
@label_options
@DRY_RUN
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
    patch_flow(access, flow, body, "is changed", dry_run=dry_run)


@flows.command("delete")
@FLOW
@click.option("--yes", is_flag=True, help="Do not ask.")
@REASON_OF_CHANGE
@DRY_RUN
@click.pass_obj
def delete(access: ServiceAccess, flow: str, yes: bool, reason: str, dry_run: bool) -> None:
    """Delete a flow from the service. Its topics in the target cluster remain.

    \b
    Examples:
      srm-control flows delete 'us-east->eu-central' --yes
      srm-control flows delete 'us-east->eu-central' --reason 'replaced by eu-west'
    """
    path = flow_path(flow)
    if dry_run:
        click.echo(f"{flow} would be deleted")
        return
    if not yes:
        click.confirm(f"Delete {flow}?", abort=True)
    access.client().send("DELETE", path, query={"reason": reason})
    click.echo(f"{flow} is deleted")


def patch_flow(access: ServiceAccess, flow: str, body: dict[str, Any], effect: str, *, dry_run: bool) -> None:
    """Change a flow and print the effect."""
    path = flow_path(flow)
    if not dry_run:
        access.client().change(path, body)
    click.echo(f"{flow} {effect}{' (dry run)' if dry_run else ''}")
