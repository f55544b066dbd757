"""`srm-control offsets`: exports the places of consumer groups for Kafka's own tool, and translates any place."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.internal_topics import CHECKPOINTS
from replication.domain.names.replication_policy import DEFAULT_POLICY, policy_for
from srm_cli.control.groups.export_rows import (
    FlowNaming,
    Row,
    by_the_flow,
    checkpoint_rows,
    inside_logs,
    partition_of,
    that_exist,
)
from srm_cli.control.output import OUTPUT, columns, output_option, show_document, show_rows
from srm_cli.control.values import read_patterns, read_time_ms
from srm_cli.control.wiring import (
    DirectAccess,
    cluster_options,
    errors_for_operators,
    log_ends_of,
    reading_client,
    record_log,
    topics_of,
)
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path

_COLUMNS = columns("GROUP=group", "TOPIC=topic", "PARTITION=partition", "OFFSET=offset")
_TRANSLATED = columns(
    "TOPIC=topic",
    "PARTITION=partition",
    "GIVEN=given_offset",
    "KIND=kind",
    "OFFSET=offset",
    "LATEST=latest",
    "REREADS=rereads",
    "EVIDENCE=evidence",
)


@click.group("offsets", cls=CommandGroup, invoke_without_command=True)
@click.option("--source", help="Alias of the source cluster.")
@click.option("--target", help="Alias of the target cluster.")
@click.option("--group", "groups", multiple=True, metavar="GROUPS", help="Groups, separated by commas.")
@click.option("--all", "is_all", is_flag=True, help="All groups that have checkpoints.")
@click.option("--export", "is_export", is_flag=True, help="Print the offsets as CSV.")
@click.option("--to", type=click.Path(path_type=Path, dir_okay=False), help="Write CSV or JSON to this file.")
@click.option("--separator", help="Of internal topics' names.  [default: that of the flow in the service, else .]")
@cluster_options
@output_option("csv", help_text="Format; csv has no heading, as kafka-consumer-groups --from-file reads it.")
@click.pass_context
def offsets(ctx: click.Context, /, **given: Any) -> None:
    """Export the places of consumer groups on the target, from the checkpoints of a flow; translate any place.

    The export reads the target cluster, also while the source cluster is unavailable. Without --bootstrap-servers and
    --config, the service tells the address. With one --group, a line is topic,partition,offset; with several, or with
    --all, the group is first.

    \b
    Examples:
      srm-control offsets --source us-east --target eu-central --group billing --export > billing.csv
      kafka-consumer-groups --bootstrap-server eu:9092 --group billing --reset-offsets --from-file billing.csv --execute
      srm-control offsets --source us-east --target eu-central --all --export --to all.csv --bootstrap-servers eu:9092
    """
    if ctx.invoked_subcommand is None:
        _export(ctx.obj, given)


def _export(access: ServiceAccess, given: Mapping[str, Any]) -> None:
    source, target, wanted = given["source"], given["target"], read_patterns(given["groups"])
    if not (source and target):
        raise UsageError("srm-control offsets needs --source and --target")
    if not given["is_export"]:
        raise UsageError("nothing to do: use --export, or `srm-control offsets translate`")
    if bool(wanted) == given["is_all"]:
        raise UsageError("name the groups with --group, or take all of them with --all")
    if given["to"] is not None and given["output"] not in ("csv", "json"):
        raise UsageError("--to writes csv or json: choose one with --output")
    direct = DirectAccess.of(given)
    client = reading_client(access, direct, target)
    naming = _naming(access, source, target, given["separator"], asks=not direct.is_wanted)
    topic = CHECKPOINTS.name(source, naming.separator)
    with record_log(client) as log:
        records = log.read_to_end(topic, isolation="read_committed")
        found = checkpoint_rows(records, None if given["is_all"] else wanted)
    rows = that_exist(found, topics_of(client), target) if found else []
    rows = inside_logs(rows, *log_ends_of(client, {partition_of(row) for row in rows})) if rows else []
    rows = by_the_flow(rows, client, source, naming) if rows else []
    _check_groups(rows, wanted, f"{topic} on {target}")
    _write(rows, given["is_all"] or len(wanted) > 1, given["to"], given["output"])


def _naming(access: ServiceAccess, source: str, target: str, separator: str | None, *, asks: bool) -> FlowNaming:
    """Return the names that the service has for a flow; the default where it does not know the flow."""
    default = separator or DEFAULT_SEPARATOR
    known: Mapping[str, Any] = {"kind": DEFAULT_POLICY, "separator": default, "template": None}
    if asks:
        try:
            known = access.client().get(flow_path(f"{source}->{target}"))["settings"]["policy"]
        except OperatorError as error:
            click.echo(f"warning: the separator is taken as {default}: {error}", err=True)
    with errors_for_operators():
        policy = policy_for(
            known["kind"], separator=known["separator"], template=known["template"], source=source, target=target
        )
    return FlowNaming(separator=separator or known["separator"], policy=policy)


def _check_groups(rows: Sequence[Row], wanted: Sequence[str], place: str) -> None:
    missing = sorted(set(wanted) - {str(row["group"]) for row in rows})
    if not rows:
        raise OperatorError(
            f"{place} has no offsets of {', '.join(missing) or 'any group'}: check that the groups are allowed and "
            "have committed offsets of allowed topics",
            exit_code=ExitCode.NOT_FOUND,
        )
    for group in missing:
        click.echo(f"warning: no offsets of {group}", err=True)


def _write(rows: Sequence[Row], with_group: bool, to: Path | None, output: str) -> None:
    if to is None and output != "csv":
        show_rows(rows, _COLUMNS, output)
        return
    text = reset_plan(rows, with_group=with_group)
    if to is None:
        click.echo(text, nl=False)
        return
    try:
        with to.open("w", encoding="utf-8", newline="") as file:
            if output == "json":
                show_document(rows, output, file=file)
            else:
                file.write(text)
    except OSError as error:
        raise OperatorError(f"cannot write {to} ({error.strerror}): choose another file with --to") from error
    click.echo(f"{len(rows)} offsets are in {to}")


def reset_plan(rows: Iterable[Row], *, with_group: bool) -> str:
    """Return the lines that `kafka-consumer-groups --reset-offsets --from-file` reads; names with commas are quoted."""
    names = ("group", "topic", "partition", "offset") if with_group else ("topic", "partition", "offset")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([row[name] for name in names] for row in rows)
    return text.getvalue()


@offsets.command("translate")
@click.argument("flow", metavar="SOURCE->TARGET")
@click.option("--topic", required=True, help="Name of the topic on the source, or on the target.")
@click.option(
    "--partition", "partitions", type=click.IntRange(0), multiple=True, required=True, metavar="N", help="Repeatable."
)
@click.option("--offset", type=click.IntRange(0), metavar="N", help="Offset of the first record that was not read.")
@click.option("--time", "time", metavar="TIME", help="Instead of the offset: ISO time (UTC) or epoch ms.")
@click.option("--back", is_flag=True, help="From the target to the source.")
@OUTPUT
@click.pass_obj
def translate(
    access: ServiceAccess,
    flow: str,
    topic: str,
    partitions: tuple[int, ...],
    offset: int | None,
    time: str | None,
    back: bool,
    output: str,
) -> None:
    """Translate an offset or a time of any topic of a flow to the other cluster, with the evidence.

    Exits with 1 if a place cannot be translated.

    \b
    Examples:
      srm-control offsets translate 'us-east->eu-central' --topic orders --partition 0 --offset 1200
      srm-control offsets translate 'us-east->eu-central' --topic orders --partition 0 --time 2026-01-31T18:00:00Z
      srm-control offsets translate 'us-east->eu-central' --topic us-east.orders --partition 0 --offset 900 --back
    """
    if (offset is None) == (time is None):
        raise UsageError("give either --offset or --time")
    place: Row = {"topic": topic, "direction": "to_source" if back else "to_target"}
    place |= {"timestamp_ms": read_time_ms(time)} if offset is None else {"offset": offset}
    items = [{**place, "partition": partition} for partition in partitions]
    answer = access.client().send("POST", f"{flow_path(flow)}/translate", {"items": items})
    found = answer["items"]
    show_rows(found, _TRANSLATED, output)
    for part in answer["unlooked"]:
        click.echo(f"warning: {part['part']}: {part['reason']}", err=True)
    impossible = [each for each in found if each["kind"] == "impossible"]
    if impossible:
        first = impossible[0]
        raise OperatorError(
            f"{len(impossible)} place(s) cannot be translated, for example partition {first['partition']} of "
            f"{first['topic']}: {first['evidence']}"
        )
