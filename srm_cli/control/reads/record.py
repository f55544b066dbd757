"""`srm-control record`: a record and its copy side by side."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import click

from srm_cli.control.output import OUTPUT, Row, show_document, show_rows, shown_time
from srm_cli.errors import OperatorError
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path

_COLUMNS = (("", lambda row: row["part"]), ("SOURCE", lambda row: row["source"]), ("TARGET", lambda row: row["target"]))


@click.command("record")
@click.argument("flow", metavar="SOURCE->TARGET")
@click.option("--topic", required=True, help="Name of the topic on the source, or on the target.")
@click.option("--partition", type=click.IntRange(0), required=True, metavar="N")
@click.option("--offset", type=click.IntRange(0), required=True, metavar="N", help="On the source; see --on-target.")
@click.option("--on-target", is_flag=True, help="The offset is one of the target.")
@click.option("--value", is_flag=True, help="Also the values. Needs the admin role; the audit trail notes it.")
@OUTPUT
@click.pass_obj
def record(
    access: ServiceAccess,
    flow: str,
    topic: str,
    partition: int,
    offset: int,
    on_target: bool,
    value: bool,
    output: str,
) -> None:
    """Show a record and its copy: time, key, headers and size on both clusters.

    Exits with 1 if one of both is missing or differs.

    \b
    Examples:
      srm-control record 'us-east->eu-central' --topic orders --partition 0 --offset 1200
      srm-control record 'us-east->eu-central' --topic us-east.orders --partition 0 --offset 900 --on-target -o json
      srm-control record 'us-east->eu-central' --topic orders --partition 0 --offset 1200 --value
    """
    query: dict[str, Any] = {"on": "target" if on_target else "source", "value": "true" if value else "false"}
    path = f"{flow_path(flow)}/topics/{quote(topic, safe='')}/partitions/{partition}/records/{offset}"
    found = access.client().get(path, query)
    if output in ("json", "yaml"):
        show_document(found, output)
    else:
        show_rows(list(_rows(found, with_value=value)), _COLUMNS, output)
    if found["differences"] is None:
        missing = next(side for side in (found["original"], found["copy"]) if side["record"] is None)
        raise OperatorError(f"{missing['topic']}-{missing['partition']} on {missing['cluster']}: {missing['text']}")
    if found["differences"]:
        raise OperatorError(f"the records differ in {', '.join(found['differences'])}")


def _rows(found: Row, *, with_value: bool) -> Iterator[Row]:
    sides = (found["original"], found["copy"])
    yield _row("topic", [f"{side['topic']}-{side['partition']}" for side in sides])
    yield _row("log", [f"{_text(side['log_start'])} to {_text(side['log_end'])}" for side in sides])
    yield _row("state", [side["state"] for side in sides])
    records = [side["record"] or {} for side in sides]
    yield _row("offset", [_text(each.get("offset")) for each in records])
    yield _row("time", [shown_time(each.get("timestamp_ms")) for each in records])
    yield _row("key", [_bytes(each.get("key")) for each in records])
    yield _row("value bytes", [_text(each.get("value_size")) for each in records])
    names = dict.fromkeys(header["name"] for each in records for header in each.get("headers", ()))
    for name in names:
        yield _row(f"header {name}", [_headers(each, name) for each in records])
    if with_value:
        yield _row("value", [_bytes(each.get("value")) for each in records])


def _row(part: str, values: list[str]) -> Row:
    return {"part": part, "source": values[0], "target": values[1]}


def _text(value: Any) -> str:
    return "-" if value is None else str(value)


def _bytes(shown: Row | None) -> str:
    if shown is None:
        return "-"
    text = shown["text"] if shown["text"] is not None else f"base64:{shown['base64']}"
    return f"{text}..." if shown["is_cut"] else str(text)


def _headers(record_shown: Row, name: str) -> str:
    values = [_bytes(header["value"]) for header in record_shown.get("headers", ()) if header["name"] == name]
    return ", ".join(values) or "-"
