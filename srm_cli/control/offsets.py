"""`srm-control offsets`: exports translated offsets of consumer groups for Kafka's own tool."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from replication.codecs.mm2_records import Checkpoint, decode_checkpoint
from replication.domain.errors import MalformedRecordError
from replication.domain.names.internal_topics import CHECKPOINTS
from replication.ports.record_log import LogRecord
from srm_cli.control.output import columns, output_option, show_rows
from srm_cli.control.values import read_patterns
from srm_cli.control.wiring import DirectAccess, cluster_options, reading_client, record_log
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.service.access import ServiceAccess

_COLUMNS = columns("GROUP=group", "TOPIC=topic", "PARTITION=partition", "OFFSET=offset")


@click.command("offsets")
@click.option("--source", required=True, help="Alias of the source cluster.")
@click.option("--target", required=True, help="Alias of the target cluster.")
@click.option("--group", "groups", multiple=True, metavar="GROUPS", help="Groups, separated by commas.")
@click.option("--export", "is_export", is_flag=True, help="Print the offsets as CSV.")
@click.option("--to", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file.")
@cluster_options
@output_option("csv", help_text="Format; csv has no heading, as kafka-consumer-groups --from-file reads it.")
@click.pass_obj
def offsets(
    access: ServiceAccess,
    /,
    source: str,
    target: str,
    groups: tuple[str, ...],
    is_export: bool,
    to: Path | None,
    output: str,
    **given: Any,
) -> None:
    """Export the translated offsets of consumer groups from the checkpoints of a flow.

    Reads the target cluster, also while the source cluster is unavailable. Without --bootstrap-servers and --config,
    the service tells the address. With one group, a line is topic,partition,offset; with several, the group is first.

    \b
    Examples:
      srm-control offsets --source us-east --target eu-central --group billing --export > billing.csv
      kafka-consumer-groups --bootstrap-server eu:9092 --group billing --reset-offsets --from-file billing.csv --execute
    """
    if not is_export:
        raise UsageError("nothing to do: use --export")
    wanted = read_patterns(groups)
    if not wanted:
        raise UsageError("name the groups with --group")
    with record_log(reading_client(access, DirectAccess.of(given), target)) as log:
        rows = offset_rows(log.read_to_end(CHECKPOINTS.name(source)), wanted)
    _check_groups(rows, wanted, f"{CHECKPOINTS.name(source)} on {target}")
    _write(rows, len(wanted) > 1, to, output)


def _check_groups(rows: Sequence[dict[str, object]], wanted: Sequence[str], place: str) -> None:
    missing = sorted(set(wanted) - {str(row["group"]) for row in rows})
    if not rows:
        raise OperatorError(
            f"{place} has no offsets of {', '.join(missing)}: check that the groups are allowed and have committed "
            "offsets of allowed topics",
            exit_code=ExitCode.NOT_FOUND,
        )
    for group in missing:
        click.echo(f"warning: no offsets of {group}", err=True)


def offset_rows(records: Iterable[LogRecord], groups: Sequence[str]) -> list[dict[str, object]]:
    """Return the newest translated offset of each partition of the groups, in order."""
    newest = {(found.group, found.remote): found for found in _checkpoints(records) if found.group in groups}
    return [
        {
            "group": group,
            "topic": remote.topic,
            "partition": remote.partition,
            "offset": newest[group, remote].downstream_offset,
        }
        for group, remote in sorted(newest)
    ]


def _checkpoints(records: Iterable[LogRecord]) -> Iterator[Checkpoint]:
    for record in records:
        try:
            yield decode_checkpoint(record.key, record.value)
        except MalformedRecordError as error:
            click.echo(f"warning: offset {record.offset}: {error.text}", err=True)


def _write(rows: list[dict[str, object]], with_group: bool, to: Path | None, output: str) -> None:
    if output != "csv":
        if to is not None:
            raise UsageError("--to writes CSV: leave --output away")
        show_rows(rows, _COLUMNS, output)
        return
    names = ("group", "topic", "partition", "offset") if with_group else ("topic", "partition", "offset")
    text = "".join(",".join(str(row[name]) for name in names) + "\n" for row in rows)
    if to is None:
        click.echo(text, nl=False)
        return
    try:
        to.write_text(text)
    except OSError as error:
        raise OperatorError(f"cannot write {to} ({error.strerror}): choose another file with --to") from error
    click.echo(f"{len(rows)} offsets are in {to}")
