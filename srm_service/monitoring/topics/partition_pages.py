"""Pages of the partitions of a topic.

The metrics store orders by what it has of each partition. Slots and drivers are in the plan and the reports of this
second, which are in memory: the order by them is made here, over the whole list.
"""

from collections.abc import Mapping

from replication.domain.identifiers import FlowId
from srm_service.core.api.pagination import Page, SortValue, decode_cursor, encode_cursor, garbage_cursor
from srm_service.core.api.requests import Values
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.partitions import PartitionReport, PlannedSlot, partitions_now, planned_places
from srm_service.monitoring.topics.listing import Listing, Row
from srm_service.monitoring.topics.stored_partitions import STATE, VALUES, StoredPartitions, row_name

NUMBER = "partition"
PLANNED_COLUMNS = ("slot", "driver")
ORDERINGS = (NUMBER, STATE, *PLANNED_COLUMNS, *VALUES)
_TEXTS = (STATE, "driver")
_BEYOND = 2**63  # of the database's numbers
_Places = Mapping[str, PlannedSlot]  # by the name of the row


def partition_page(flow: FlowId, topic: str, query: Values, live: LiveSnapshot, at_ms: int) -> Page[PartitionReport]:
    """Return the page of a validated query. Raises DatabaseError, and ValidationError for a foreign cursor."""
    ordering, limit = query.get("ordering") or "", query["limit"]
    after = _place(*decode_cursor(query["cursor"], ordering), ordering) if query["cursor"] else None
    places = {row_name(number): place for (_, number), place in planned_places(flow, live, topic).items()}
    rows = _listing(places, StoredPartitions(flow, topic, at_ms), ordering).next_rows(after, limit + 1)
    numbers = [int(name) for _, name in rows[:limit]]
    reports = {report.partition: report for report in partitions_now(flow, topic, live, at_ms, numbers=numbers)}
    cursor = encode_cursor(ordering, *rows[limit - 1]) if len(rows) > limit else None
    return Page(tuple(reports[number] for number in numbers if number in reports), cursor)


def _place(value: SortValue, name: str, ordering: str) -> Row:
    column = ordering.lstrip("-")
    if not (name.isascii() and name.isdecimal() and len(name) <= len(row_name(0))):
        raise garbage_cursor()
    if column in ("", NUMBER) or value is None:
        return None, name
    is_number = isinstance(value, int | float) and abs(value) < _BEYOND
    if not (isinstance(value, str) if column in _TEXTS else is_number):
        raise garbage_cursor()
    return value, name


def _listing(places: _Places, stored: StoredPartitions, ordering: str) -> Listing:
    column = ordering.lstrip("-")
    known: dict[str, SortValue] = {}
    if column in PLANNED_COLUMNS:
        known = {name: value for name, place in places.items() if (value := getattr(place, column)) is not None}
    return Listing(
        stored=stored,
        memory=places.keys(),
        known=known,
        column=column if column in (STATE, *VALUES) else None,
        by_name=column in ("", NUMBER),
        descends=ordering.startswith("-"),
    )
