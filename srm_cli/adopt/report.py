"""The findings of a takeover, as tables and as JSON."""

from collections.abc import Sequence
from typing import Any

import click

from replication.connectors.takeover import ExistingFlow
from replication.domain.plan.takeover import AdoptedPartition

_SHOWN_GROUPS = 20
_MEANING = {
    "stored": "continues at MirrorMaker's position",
    "refined": "MirrorMaker stopped uncleanly; continues after the last record on the target",
    "not_started": "has no position: starts as set in the flow's settings",
    "expired": "the source has deleted records that were not copied: a gap will be recorded",
    "beyond_end": "the position is beyond the source's end: the topic was re-created or truncated",
}


def show(flow: str, found: ExistingFlow) -> None:
    """Print one flow's findings as tables."""
    click.echo(f"\n{flow}: {len(found.partitions)} partition(s) with a position")
    if found.partitions:
        _table(
            ("partition", "continues at", "lag", "state"),
            [(str(each.upstream), _place(each), f"{each.lag:,}", each.standing) for each in found.partitions],
        )
    for standing in sorted({each.standing for each in found.partitions}):
        click.echo(f"  {standing}: {_MEANING[standing]}")
    for each in found.partitions:
        if each.lost:
            click.echo(f"  {each.upstream}: {each.lost:,} source offset(s) were deleted before they were copied")
        if each.repeated:
            click.echo(f"  {each.upstream}: up to {each.repeated:,} record(s) will be copied again")
    if found.missing_topics:
        click.echo(f"  no longer on the source, ignored: {', '.join(found.missing_topics)}")
    _show_groups(found)


def as_document(flow: str, found: ExistingFlow) -> dict[str, Any]:
    """One flow's findings as a JSON document."""
    return {
        "flow": flow,
        "partitions": [
            {
                "topic": each.upstream.topic,
                "partition": each.upstream.partition,
                "next_offset": each.next_offset,
                "standing": each.standing,
                "lag": each.lag,
                "repeated": each.repeated,
                "lost": each.lost,
            }
            for each in found.partitions
        ],
        "groups": [
            {
                "group": each.group,
                "remote_topic": each.remote.topic,
                "partition": each.remote.partition,
                "upstream_offset": each.upstream_offset,
                "downstream_offset": each.downstream_offset,
            }
            for each in found.checkpoints
        ],
        "missing_topics": list(found.missing_topics),
    }


def _show_groups(found: ExistingFlow) -> None:
    groups = sorted({each.group for each in found.checkpoints})
    click.echo(f"  {len(groups)} consumer group(s) with checkpoints" + (":" if groups else ""))
    rows = [
        (each.group, str(each.remote), f"{each.upstream_offset:,}", f"{each.downstream_offset:,}")
        for each in found.checkpoints[:_SHOWN_GROUPS]
    ]
    if rows:
        _table(("group", "remote partition", "upstream", "downstream"), rows)
    if len(found.checkpoints) > _SHOWN_GROUPS:
        click.echo(f"  ... and {len(found.checkpoints) - _SHOWN_GROUPS} more (--json lists all)")


def _place(each: AdoptedPartition) -> str:
    return "-" if each.next_offset is None else f"{each.next_offset:,}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    for row in (head, *rows):
        click.echo("  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
