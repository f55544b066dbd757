"""Pages of the topics of a flow: a page costs what is on it, not what the flow has."""

from collections.abc import Mapping

import structlog
from django.db import DatabaseError

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import METRICS
from srm_service.core.api.pagination import Page, SortValue, decode_cursor, encode_cursor, garbage_cursor
from srm_service.core.api.requests import Values
from srm_service.core.contracts import Partial
from srm_service.monitoring.contracts import TopicNow
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topics import topics_in_memory, topics_now
from srm_service.monitoring.topics.listing import Listing, Row
from srm_service.monitoring.topics.range_ranks import ranks_in_range
from srm_service.monitoring.topics.stored_topics import STATE, NoStoredTopics, StoredTopics

NAME, REMOTE, PARTITIONS, LATENCY = "topic", "remote_topic", "partitions", "latency_p95_ms"
COLUMNS = {"records_per_second": "records_per_second", "bytes_per_second": "bytes_per_second", "lag_offsets": "lag"}
ORDERINGS = (NAME, REMOTE, PARTITIONS, STATE, *COLUMNS, LATENCY)
_METRICS = {LATENCY: "replication_latency_ms"}  # the others have the name of their column
_log = structlog.get_logger(__name__)


def topic_page(
    flow: FlowId, query: Values, live: LiveSnapshot, at_ms: int
) -> tuple[Page[TopicNow], tuple[Partial, ...]]:
    """Return the page of a validated query, and what is uncertain. Raises ValidationError for a foreign cursor."""
    ordering, limit = query.get("ordering") or "", query["limit"]
    order = f"{ordering} {query['statistic']}".rstrip()
    after = _place(*decode_cursor(query["cursor"], order), ordering) if query["cursor"] else None
    memory = _in_memory(flow, query["q"].lower(), live)
    partial: tuple[Partial, ...] = ()
    try:
        stored = StoredTopics(flow, query["q"], at_ms)
        ranks = _ranks(flow, query, ordering.lstrip("-"))
        listing = _listing(memory, stored, ordering) if ranks is None else _ranked(memory, stored, ordering, ranks)
        rows = listing.next_rows(after, limit + 1)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        rows = _listing(memory, NoStoredTopics(), ordering).next_rows(after, limit + 1)
        partial = (Partial(peer="metrics", error="the metrics store does not answer"),)
    items = topics_now(flow, [name for _, name in rows[:limit]], live, at_ms)
    cursor = encode_cursor(order, *rows[limit - 1]) if len(rows) > limit else None
    return Page(items, cursor), partial


def _ranks(flow: FlowId, query: Values, column: str) -> Mapping[str, float] | None:
    """The values of a range that order the list; None if present ones do. Raises DatabaseError."""
    if not query["statistic"] or column not in (*COLUMNS, LATENCY):
        return None
    bounds = {name: query[name] for name in ("from_ms", "to_ms", "now_ms")}
    found = ranks_in_range(flow, METRICS[_METRICS.get(column, column)], query["statistic"], **bounds)
    return {name: value for name, value in found.items() if query["q"].lower() in name.lower()}


def _ranked(memory: Mapping[str, TopicNow], stored: StoredTopics, ordering: str, ranks: Mapping[str, float]) -> Listing:
    return Listing(
        stored=stored,
        memory=memory.keys(),
        known=ranks,
        column=None,
        by_name=False,
        descends=ordering.startswith("-"),
    )


def _place(value: SortValue, name: str, ordering: str) -> Row:
    column = ordering.lstrip("-")
    if column in ("", NAME) or value is None:
        return None, name
    if isinstance(value, str) != (column == REMOTE):
        raise garbage_cursor()
    return value, name


def _in_memory(flow: FlowId, part: str, live: LiveSnapshot) -> Mapping[str, TopicNow]:
    """The topics of the plan and of the reports of this second."""
    return {name: topic for name, topic in topics_in_memory(flow, live).items() if part in name.lower()}


def _listing(memory: Mapping[str, TopicNow], stored: StoredTopics | NoStoredTopics, ordering: str) -> Listing:
    """All topics of a list in its order."""
    column = ordering.lstrip("-")
    by_name = column in ("", NAME)
    known: dict[str, SortValue] = {}
    if column == LATENCY:
        known = {**stored.latencies()}
    elif not by_name and column != STATE:
        values = ((topic, getattr(topic, column)) for topic in memory.values())
        known = {topic.topic: value for topic, value in values if value is not None or _is_unread(topic, column)}
        known = {**stored.remote_topics(), **known} if column == REMOTE else known
    return Listing(
        stored=stored,
        memory=memory.keys(),
        known=known,
        column=STATE if column == STATE else COLUMNS.get(column),
        by_name=by_name,
        descends=ordering.startswith("-"),
    )


def _is_unread(topic: TopicNow, column: str) -> bool:
    """True when a task reports the topic and does not know this of it now; a stored value would be an old one."""
    return column in COLUMNS and topic.updated_ms is not None
