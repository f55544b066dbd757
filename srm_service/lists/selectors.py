"""Queries of the lists that were read from control topics."""

from collections.abc import Iterable

from replication.domain.desired.name_lists import (
    LIST_KINDS,
    LIST_SIDES,
    ListEntry,
    ListPlace,
    NameLists,
    UnreadableRecord,
)
from srm_service.lists.contracts import FlowLists
from srm_service.lists.models import ControlTopicRead, ListedPattern


def lists_into(target: str) -> dict[str, FlowLists]:
    """The lists of the flows into a target cluster, by source. Two queries."""
    rows = ControlTopicRead.objects.select_related("flow__source").prefetch_related("patterns")
    return {row.flow.source.alias: _dto(row) for row in rows.filter(flow__target__alias=target)}


def lists_of(source: str, target: str) -> FlowLists:
    """The lists of one flow; empty before the first read."""
    rows = ControlTopicRead.objects.prefetch_related("patterns")
    row = rows.filter(flow__source__alias=source, flow__target__alias=target).first()
    return FlowLists() if row is None else _dto(row)


def _dto(row: ControlTopicRead) -> FlowLists:
    unreadable = tuple(UnreadableRecord(offset=each["offset"], error=each["error"]) for each in row.unreadable)
    return FlowLists(
        lists=NameLists(offset=row.control_offset, entries=tuple(_entries(row.patterns.all())), unreadable=unreadable),
        topic_id=row.topic_id,
        end_offset=row.end_offset,
        problem=row.problem or None,
        read_ms=row.read_ms,
    )


def _entries(rows: Iterable[ListedPattern]) -> Iterable[ListEntry]:
    """Database constraints allow no other kinds and sides."""
    for row in rows:
        place = ListPlace(
            kind=next(kind for kind in LIST_KINDS if kind == row.kind),
            side=next(side for side in LIST_SIDES if side == row.side),
            pattern=row.pattern,
        )
        yield ListEntry(
            place=place,
            offset=row.offset,
            written_ms=row.written_ms,
            by=row.written_by,
            problem=row.problem or None,
        )
