"""The rows of an export of groups' offsets: the newest checkpoints, as far as the target and the flow bear them out."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import click

from replication.codecs.mm2_records import Checkpoint, decode_checkpoint
from replication.domain.errors import MalformedRecordError, ReplicationError
from replication.domain.groups.translation import REASON_TEXTS, TranslationReason
from replication.domain.identifiers import TopicPartition
from replication.domain.names.replication_policy import ReplicationPolicy
from replication.domain.plan.slot import ClusterClient
from replication.ports.record_log import LogRecord
from srm_cli.control.wiring import replication_client

Row = dict[str, object]
_NAMED = 10  # of partitions in a warning


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowNaming:
    """The names of a flow's topics: the separator of internal ones, and the policy of remote ones."""

    separator: str
    policy: ReplicationPolicy


def checkpoint_rows(records: Iterable[LogRecord], groups: Sequence[str] | None) -> list[Row]:
    """Return the newest place of each partition of the groups (None: of all), in order."""
    newest: dict[bytes | None, Checkpoint] = {}
    for record in records:
        newest.pop(record.key, None)
        if record.value is None:
            continue
        try:
            newest[record.key] = decode_checkpoint(record.key, record.value)
        except MalformedRecordError as error:
            click.echo(f"warning: offset {record.offset}: {error.text}", err=True)
    wanted = [each for each in newest.values() if groups is None or each.group in groups]
    return [
        {
            "group": each.group,
            "topic": each.remote.topic,
            "partition": each.remote.partition,
            "offset": each.downstream_offset,
        }
        for each in sorted(wanted, key=lambda each: (each.group, each.remote))
    ]


def that_exist(rows: Sequence[Row], topics: Mapping[str, int], target: str) -> list[Row]:
    """Return the rows of partitions that the target has; Kafka's tool refuses a file with others."""
    found: list[Row] = []
    gone: set[str] = set()
    for row in rows:
        place = partition_of(row)
        if place.partition < topics.get(place.topic, 0):
            found.append(row)
        else:
            gone.add(f"{place.topic}-{place.partition}")
    _warn(gone, f"partition(s) are not exported, because {target} does not have or show them")
    return found


def inside_logs(
    rows: Sequence[Row], starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]
) -> list[Row]:
    """Return the rows raised to the starts of the logs, without those behind their ends, which Kafka would lower."""
    found: list[Row] = []
    beyond: set[str] = set()
    raised: set[str] = set()
    for row in rows:
        place, offset = partition_of(row), int(str(row["offset"]))
        start, name = starts.get(place, 0), f"{row['group']} {place.topic}-{place.partition}"
        if offset > ends.get(place, offset):
            beyond.add(name)
            continue
        if offset < start:
            raised.add(name)
        found.append({**row, "offset": max(offset, start)})
    _warn(
        beyond, "offset(s) are not exported, because the remote log ends before them: it is not the log of the copies"
    )
    _warn(raised, "offset(s) are raised to the start of the remote log")
    return found


def by_the_flow(rows: Sequence[Row], client: ClusterClient, source: str, naming: FlowNaming) -> list[Row]:
    """Return the rows at the places that the flow's own topics tell, without those that they disprove."""
    try:
        with replication_client(client, naming.policy, naming.separator) as opened:
            told = opened.offsets_of_groups(source)
    except ReplicationError as error:
        click.echo(f"warning: checkpoints are exported as they are, the flow cannot be read: {error.text}", err=True)
        return list(rows)
    found: list[Row] = []
    disproved: dict[TranslationReason, set[str]] = {}
    lowered: set[str] = set()
    for row in rows:
        place = partition_of(row)
        known, name = told.get((str(row["group"]), place)), f"{row['group']} {place.topic}-{place.partition}"
        if known is None or known.kind is None:
            found.append(row)
        elif known.offset is None:
            disproved.setdefault(known.reason or "remote_truncated", set()).add(name)
        else:
            found.append({**row, "offset": known.offset})
            if known.offset < int(str(row["offset"])):
                lowered.add(name)
    for reason, names in disproved.items():
        _warn(names, f"offset(s) are not exported ({REASON_TEXTS[reason]})")
    _warn(lowered, "offset(s) are lowered to the place that the flow tells: records before them are unread")
    return found


def partition_of(row: Row) -> TopicPartition:
    return TopicPartition(str(row["topic"]), int(str(row["partition"])))


def _warn(names: Collection[str], text: str) -> None:
    if names:
        click.echo(f"warning: {len(names)} {text}: {', '.join(sorted(names)[:_NAMED])}", err=True)
