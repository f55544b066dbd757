"""`srm-control gaps`: from the service, or from the target cluster itself."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

import click

from replication.codecs.gap_records import decode_gap, gap_fields
from replication.domain.names.internal_topics import GAPS
from replication.domain.offsets.gap import GapCause
from replication.ports.record_log import LogRecord
from srm_cli.control.labels import filter_of, filter_options
from srm_cli.control.output import OUTPUT, Row, columns, show_rows
from srm_cli.control.values import read_time_ms, time_column
from srm_cli.control.wiring import DirectAccess, cluster_options, record_log
from srm_cli.errors import UsageError
from srm_cli.service.access import ServiceAccess

_OF_CLUSTER = (
    *columns("TOPIC=topic", "PARTITION=partition", "FROM=from_offset", "TO=to_offset", "COUNT=count", "CAUSE=cause"),
)
_OF_SERVICE = (
    time_column("DETECTED", "detected_ms"),
    ("FLOW", lambda gap: f"{gap['source']}->{gap['target']}"),
    *columns("TOPIC=topic", "PARTITION=partition", "FROM=from_offset", "TO=to_offset", "RECORDS=records"),
    *columns("CAUSE=cause", "POLICY=policy"),
)


@click.command("gaps")
@click.option("--source", help="Only gaps of flows from this cluster.")
@click.option("--target", help="Only gaps of flows to this cluster.")
@click.option("--topic", help="Only gaps of this topic of the source.")
@click.option("--partition", type=click.IntRange(0), help="Only gaps of this partition; needs --topic.")
@click.option("--cause", type=click.Choice(get_args(GapCause)), help="Only gaps of this cause.")
@click.option("--from", "from_ms", metavar="TIME", help="Only gaps detected since then: ISO time (UTC) or epoch ms.")
@click.option("--to", "to_ms", metavar="TIME", help="Only gaps detected before then: ISO time (UTC) or epoch ms.")
@click.option("--last", type=click.IntRange(1, 1_000), metavar="N", help="Only the newest N.  [default: all]")
@filter_options("gaps of flows")
@cluster_options
@OUTPUT
@click.pass_obj
def gaps(access: ServiceAccess, /, output: str, **given: Any) -> None:
    """List source records that flows do not copy, with the cause.

    With --config or --bootstrap-servers, the gaps of one flow are read from its target cluster; then --source and
    --target are required, and --topic is the only filter.

    \b
    Examples:
      srm-control gaps --source us-east --target eu-central
      srm-control gaps --cause retention --last 20 -o csv
      srm-control gaps --source us-east --target eu-central --topic orders --bootstrap-servers eu:9092
    """
    direct = DirectAccess.of(given)
    if direct.is_wanted:
        show_rows(_read(direct, given), _OF_CLUSTER, output)
    else:
        show_rows(_asked(access, given), _OF_SERVICE, output)


def _asked(access: ServiceAccess, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = ("source", "target", "topic", "partition", "cause", "label", "owner", "criticality")
    times = {name: read_time_ms(given[name]) for name in ("from_ms", "to_ms")}
    filters = {**filter_of({name: given[name] for name in names}), **times, "limit": given["last"]}
    query = {name: value for name, value in filters.items() if value is not None}
    client = access.client()
    found: list[dict[str, Any]] = (
        client.pages("/gaps", query) if given["last"] is None else client.get("/gaps", query)["items"]
    )
    return found


def _read(direct: DirectAccess, given: Mapping[str, Any]) -> list[Row]:
    source, target = given["source"], given["target"]
    if source is None or target is None:
        raise UsageError("the gaps of a cluster are those of one flow: set --source and --target")
    others = ("partition", "cause", "from_ms", "to_ms", "last", "label", "owner", "criticality")
    refused = [f"--{name.removesuffix('_ms')}" for name in others if given[name] not in (None, ())]
    if refused:
        raise UsageError(f"{', '.join(refused)}: filters of the service; without a service there is --topic")
    with record_log(direct.client(target)) as log:
        rows = list(_gap_rows(log.read_to_end(GAPS.name(source), isolation="read_committed")))
    return [row for row in rows if given["topic"] in (None, row["topic"])]


def _gap_rows(records: Iterable[LogRecord]) -> Iterator[dict[str, Any]]:
    for record in records:
        if record.value is None:
            continue
        try:
            yield gap_fields(decode_gap(record.value))
        except ValueError as error:
            click.echo(f"warning: offset {record.offset}: {error}", err=True)
