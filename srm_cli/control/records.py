"""`srm-control events` and `get`."""

import time
from typing import Any, get_args

import click

from replication.domain.health.state_events import EVENT_STATES, EventScope
from srm_cli.control.labels import filter_of, filter_options
from srm_cli.control.output import OUTPUT, columns, show_answer, show_rows
from srm_cli.control.values import read_time_ms, time_column
from srm_cli.service.access import ServiceAccess

_EVENTS = (
    time_column("TIME", "time_ms"),
    *columns("SOURCE=source", "TARGET=target", "SCOPE=scope", "TOPIC=topic", "PARTITION=partition"),
    *columns("FROM=from_state", "TO=to_state", "CAUSE=cause", "TEXT=text"),
)


@click.command("events")
@click.option("--source", help="Only events of flows from this cluster.")
@click.option("--target", help="Only events of flows to this cluster.")
@click.option("--topic", help="Only events of this topic of the source.")
@click.option("--partition", type=click.IntRange(0), help="Only events of this partition; needs --topic.")
@click.option("--scope", type=click.Choice(get_args(EventScope)), help="Only events of slots, partitions or records.")
@click.option("--state", type=click.Choice(EVENT_STATES), help="Only changes into this state.")
@click.option("--cause", help="Only events with this code of a cause.")
@click.option("--from", "from_ms", metavar="TIME", help="Only events since then: ISO time (UTC) or epoch ms.")
@click.option("--to", "to_ms", metavar="TIME", help="Only events before then: ISO time (UTC) or epoch ms.")
@click.option("--last", type=click.IntRange(1, 1_000), metavar="N", help="Only the newest N.  [default: all]")
@filter_options("events of flows")
@OUTPUT
@click.pass_obj
def events(
    access: ServiceAccess, /, from_ms: str | None, to_ms: str | None, last: int | None, output: str, **filters: Any
) -> None:
    """List what drivers reported: slots that start, stop or fail, partitions that stall, rejected records.

    \b
    Examples:
      srm-control events --source us-east --target eu-central --last 20
      srm-control events --state failed --from 2026-01-31T00:00:00Z -o csv
      srm-control events --topic orders --scope record -o json
      srm-control events --label team=payments --last 50
    """
    given = {**filter_of(filters), "from_ms": read_time_ms(from_ms), "to_ms": read_time_ms(to_ms), "limit": last}
    query = {name: value for name, value in given.items() if value is not None}
    client = access.client()
    found = client.pages("/events", query) if last is None else client.get("/events", query)["items"]
    show_rows(found, _EVENTS, output)


@click.command("get")
@click.argument("path")
@click.option("-w", "--watch", is_flag=True, help="Print the answer again whenever it changes, until Ctrl-C.")
@click.option("--every", type=click.FloatRange(0.1), default=2.0, show_default=True, metavar="SECONDS", help="With -w.")
@click.option("--times", type=click.IntRange(1), metavar="N", help="With -w: end after N requests.")
@OUTPUT
@click.pass_obj
def get(access: ServiceAccess, path: str, watch: bool, every: float, times: int | None, output: str) -> None:
    """Print the answer of any resource below /api/v2.

    \b
    Examples:
      srm-control get replications/us-east/eu-central -o yaml
      srm-control get replications/us-east/eu-central/lists/topics -w
    """
    client = access.client()
    resource = "/" + path.removeprefix("/api/v2").lstrip("/")
    found: Any = client.get(resource)
    show_answer(found, output)
    asked = 1
    while watch and (times is None or asked < times):
        time.sleep(every)
        asked += 1
        newer = client.get(resource)
        if _content(newer) != _content(found):
            found = newer
            show_answer(found, output)


def _content(found: Any) -> Any:
    """The answer without the time of the answer."""
    return {name: value for name, value in found.items() if name != "as_of_ms"} if isinstance(found, dict) else found
