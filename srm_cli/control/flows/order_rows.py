"""`srm-control orders`: who ordered what, why, and what became of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from srm_cli.control.flows.commands import FLOW
from srm_cli.control.output import OUTPUT, Row, columns, show_rows, shown_time
from srm_cli.errors import ExitCode, OperatorError
from srm_cli.options.waiting import wait_until
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_OUTCOMES = ("waiting", "applied", "overtaken", "expired")


def _scope(row: Row) -> str:
    if row.get("task") is not None:
        return f"task {row['task']}"
    partition = row.get("partition")
    return (row.get("topic") or "flow") if partition is None else f"{row['topic']}-{partition}"


def _order(row: Row) -> str:
    event = str(row["event"]).removeprefix("flow.").replace("_", " ")
    return f"{event} {row['detail']}" if row.get("detail") else event


def _drivers(row: Row) -> str:
    return ",".join(sorted({each["driver"] for each in row.get("applied_by") or ()}))


_COLUMNS = (
    *columns("ID=id"),
    ("ORDERED", lambda row: shown_time(row["ordered_ms"])),
    *columns("BY=ordered_by"),
    ("ORDER", _order),
    ("SCOPE", _scope),
    ("UNTIL", lambda row: shown_time(row.get("until_ms"))),
    *columns("REVISION=revision", "OUTCOME=outcome"),
    ("ENDED", lambda row: shown_time(row.get("ended_ms"))),
    ("APPLIED BY", _drivers),
    *columns("REASON=reason"),
)


@click.command("orders")
@FLOW
@click.option("--topic", metavar="NAME", help="Only orders for this topic or its partitions.")
@click.option("--outcome", type=click.Choice(_OUTCOMES), help="Only orders with this outcome.")
@OUTPUT
@click.pass_obj
def orders(access: ServiceAccess, flow: str, topic: str | None, outcome: str | None, output: str) -> None:
    """List the orders of a flow within a month, newest first: who, when, what, why, until when, and the outcome.

    REVISION is the first desired document that contains the order. An order is waiting until the tasks of the flow have
    applied it, or a later one has replaced it.

    \b
    Examples:
      srm-control orders 'us-east->eu-central'
      srm-control orders 'us-east->eu-central' --topic orders --outcome waiting -o json
    """
    wanted = {"topic": topic, "outcome": outcome}
    query = {name: value for name, value in wanted.items() if value is not None}
    show_rows(access.client().pages(f"{flow_path(flow)}/actions", query), _COLUMNS, output)


def show_outcome(client: "ServiceClient", flow: str, order: Mapping[str, Any], timeout_s: int, *, what: str) -> None:
    """Wait for the outcome of an order and print it. Raises OperatorError if a later order has replaced it."""
    last: dict[str, Any] = {}

    def has_ended() -> bool:
        if order.get("id") is None:
            return client.is_applied(flow, order)
        last.update(client.get(f"{flow_path(flow)}/actions/{order['id']}"))
        return last["state"] not in ("ordered", "published")

    wait_until(has_ended, timeout_s, what=what)
    if last.get("state") in ("overtaken", "expired"):
        reason = "a later order has replaced it" if last["state"] == "overtaken" else "it ended before it was applied"
        raise OperatorError(f"{what} was not applied: {reason}", exit_code=ExitCode.REFUSED)
    tasks = last.get("applied_by") or last.get("tasks") or []
    drivers = ", ".join(sorted({str(task["driver"]) for task in tasks}))
    click.echo(f"applied{f' by {len(tasks)} task(s) on {drivers}' if tasks else ''}")
