"""`srm-control orders`: who ordered what, why, and what became of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from srm_cli.control.output import OUTPUT, Row, columns, show_rows, shown_time
from srm_cli.control.values import read_time_ms
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.options.waiting import wait_until
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_OUTCOMES = ("waiting", "applied", "refused", "overtaken", "expired")


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
    ("FLOW", lambda row: f"{row['source']}->{row['target']}"),
    ("ORDERED", lambda row: shown_time(row["ordered_ms"])),
    *columns("BY=ordered_by"),
    ("ORDER", _order),
    ("SCOPE", _scope),
    ("UNTIL", lambda row: shown_time(row.get("until_ms"))),
    *columns("REVISION=revision", "OUTCOME=outcome"),
    ("ENDED", lambda row: shown_time(row.get("ended_ms"))),
    ("APPLIED BY", _drivers),
    *columns("REASON=reason", "REFUSAL=refusal"),
)


@click.command("orders")
@click.argument("flow", metavar="[SOURCE->TARGET]", required=False)
@click.option("--source", metavar="ALIAS", help="Only orders to flows from this cluster.")
@click.option("--target", metavar="ALIAS", help="Only orders to flows into this cluster.")
@click.option("--topic", metavar="NAME", help="Only orders for this topic or its partitions.")
@click.option("--by", "ordered_by", metavar="USER", help="Only orders that this user gave.")
@click.option("--order", metavar="WORD", help="Only these orders, such as pause, restart or stop-topic.")
@click.option("--outcome", type=click.Choice(_OUTCOMES), help="Only orders with this outcome.")
@click.option("--from", "from_ms", metavar="TIME", help="Only orders given since then: ISO time (UTC) or epoch ms.")
@click.option("--to", "to_ms", metavar="TIME", help="Only orders given before then.")
@OUTPUT
@click.pass_obj
def orders(access: ServiceAccess, /, flow: str | None, output: str, **filters: str | None) -> None:
    """List the orders of a month, newest first: who, when, what, why, until when, and the outcome.

    Of all flows, or of one. REVISION is the first desired document that contains the order. An order is waiting until
    the tasks of the flow have applied it, or a later one has replaced it.

    \b
    Examples:
      srm-control orders --by ann --from 2026-01-31T18:00:00Z
      srm-control orders 'us-east->eu-central' --topic orders --outcome waiting -o json
    """
    if flow is not None and (filters["source"] or filters["target"]):
        raise UsageError("give either SOURCE->TARGET, or --source and --target")
    path = "/orders" if flow is None else f"{flow_path(flow)}/actions"
    show_rows(access.client().pages(path, _query(filters)), _COLUMNS, output)


def _query(filters: Mapping[str, str | None]) -> dict[str, Any]:
    query: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    if (word := query.pop("order", None)) is not None:
        query["event"] = f"flow.{word.replace('-', '_')}"
    return {**query, **{name: read_time_ms(query[name]) for name in ("from_ms", "to_ms") if name in query}}


def _failure(order: Row) -> str | None:
    """Return why an order was not applied; None if it was."""
    reasons = {
        "overtaken": "a later order has replaced it",
        "expired": "it ended before it was applied",
        "refused": order.get("refusal") or "a driver refused it",
    }
    return reasons.get(order.get("state", ""))


def show_outcome(client: "ServiceClient", flow: str, order: Mapping[str, Any], timeout_s: int, *, what: str) -> None:
    """Wait for the outcome of an order and print it. Raises OperatorError if a later order has replaced it."""
    last: dict[str, Any] = {}

    def has_ended() -> bool:
        if order.get("id") is None:
            return client.is_applied(flow, order)
        last.update(client.get(f"{flow_path(flow)}/actions/{order['id']}"))
        return last["state"] not in ("ordered", "published")

    wait_until(has_ended, timeout_s, what=what)
    if (reason := _failure(last)) is not None:
        raise OperatorError(f"{what} was not applied: {reason}", exit_code=ExitCode.REFUSED)
    tasks = last.get("applied_by") or last.get("tasks") or []
    drivers = ", ".join(sorted({str(task["driver"]) for task in tasks}))
    click.echo(f"applied{f' by {len(tasks)} task(s) on {drivers}' if tasks else ''}")
