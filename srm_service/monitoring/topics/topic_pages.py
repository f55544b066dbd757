"""Pages of the topics of a flow: a page costs what is on it, not what the flow has.

The store has the topics that were measured. The plan and the reports of this second, which are in memory, have others
and newer numbers. Each gives its next topics in the order of the list, and a page is merged from them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import structlog
from django.db import DatabaseError

from replication.domain.identifiers import FlowId
from srm_service.core.api.pagination import Page, decode_cursor, encode_cursor, garbage_cursor, place_of
from srm_service.core.api.requests import Values
from srm_service.core.contracts import Partial
from srm_service.monitoring.contracts import TopicNow
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topics import live_topics, planned_topics, topics_now
from srm_service.monitoring.topics.stored_topics import NoStoredTopics, Row, StoredTopics

NAME, LATENCY = "topic", "latency_p95_ms"
COLUMNS = {"records_per_second": "records_per_second", "bytes_per_second": "bytes_per_second", "lag_offsets": "lag"}
ORDERINGS = (NAME, *COLUMNS, LATENCY)
_CHUNK = 1_000
_log = structlog.get_logger(__name__)


def topic_page(
    flow: FlowId, query: Values, live: LiveSnapshot, at_ms: int
) -> tuple[Page[TopicNow], tuple[Partial, ...]]:
    """Return the page of a validated query, and what is uncertain. Raises ValidationError for a foreign cursor."""
    ordering, limit = query.get("ordering") or "", query["limit"]
    after = _place(*decode_cursor(query["cursor"], ordering), ordering) if query["cursor"] else None
    memory = _in_memory(flow, query["q"].lower(), live)
    partial: tuple[Partial, ...] = ()
    try:
        rows = _Listing(memory, StoredTopics(flow, query["q"], at_ms), ordering).next_rows(after, limit + 1)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        rows = _Listing(memory, NoStoredTopics(), ordering).next_rows(after, limit + 1)
        partial = (Partial(peer="metrics", error="the metrics store does not answer"),)
    items = topics_now(flow, [name for _, name in rows[:limit]], live, at_ms)
    cursor = encode_cursor(ordering, *rows[limit - 1]) if len(rows) > limit else None
    return Page(items, cursor), partial


def _place(value: object, name: str, ordering: str) -> Row:
    is_name = ordering.lstrip("-") in ("", NAME)
    if is_name or value is None or isinstance(value, int | float):
        return (None if is_name else value), name  # type: ignore[return-value]
    raise garbage_cursor()


def _in_memory(flow: FlowId, part: str, live: LiveSnapshot) -> Mapping[str, TopicNow]:
    """The topics of the plan and of the reports of this second."""
    planned = (str(topic.get("upstream")) for topic in planned_topics(flow, live))
    found = {name: TopicNow(topic=name) for name in planned}
    found |= {topic.topic: topic for topic in live_topics(flow, live)}
    return {name: topic for name, topic in found.items() if part in name.lower()}


@dataclass(frozen=True, slots=True)
class _Listing:
    """All topics of a list in its order."""

    memory: Mapping[str, TopicNow]
    stored: StoredTopics | NoStoredTopics
    ordering: str

    @property
    def _column(self) -> str:
        return self.ordering.lstrip("-")

    @property
    def _descends(self) -> bool:
        return self.ordering.startswith("-")

    def next_rows(self, after: Row | None, most: int) -> list[Row]:
        """Return the rows after a place; those without a value are last."""
        if self._column in ("", NAME):
            names = self._names(None if after is None else after[1], most, descending=self._descends)
            return [(None, name) for name in names]
        known = self._known()
        rows = [] if after is not None and after[0] is None else self._valued(known, after, most)
        after_name = after[1] if after is not None and after[0] is None else None
        more = most - len(rows)
        return rows + [(None, name) for name in self._without_value(known, after_name, more)] if more else rows

    def _known(self) -> Mapping[str, float]:
        """The values that are not the store's to order."""
        if self._column == LATENCY:
            return self.stored.latencies()
        values = ((name, getattr(topic, self._column)) for name, topic in self.memory.items())
        return {name: value for name, value in values if value is not None}

    def _valued(self, known: Mapping[str, float], after: Row | None, most: int) -> list[Row]:
        rows: list[Row] = [(value, name) for name, value in known.items()]
        if after is not None:
            place = place_of(*after, descending=self._descends)
            rows = [row for row in rows if place_of(*row, descending=self._descends) > place]
        if self._column in COLUMNS:
            column = COLUMNS[self._column]
            rows += self.stored.valued(column, after, most, without=known.keys(), descending=self._descends)
        return sorted(rows, key=lambda row: place_of(*row, descending=self._descends))[:most]

    def _without_value(self, known: Mapping[str, float], after: str | None, most: int) -> list[str]:
        if self._column not in COLUMNS:
            return self._others(known, after, most)
        names = self.stored.without_value(COLUMNS[self._column], after, most, without=known.keys())
        end = names[-1] if len(names) == most else None
        others = [name for name in self._after(after) if name not in known and (end is None or name < end)]
        return sorted({*names, *others} - (self.stored.present(others) - set(names)))[:most]

    def _others(self, known: Mapping[str, float], after: str | None, most: int) -> list[str]:
        """Names of topics whose value is not known."""
        found: list[str] = []
        while len(found) < most:
            names = self._names(after, _CHUNK, descending=False)
            found += [name for name in names if name not in known]
            if len(names) < _CHUNK:
                break
            after = names[-1]
        return found[:most]

    def _names(self, after: str | None, most: int, *, descending: bool) -> list[str]:
        stored = self.stored.names(after, most, descending=descending)
        return sorted({*stored, *self._after(after, descending=descending)}, reverse=descending)[:most]

    def _after(self, name: str | None, *, descending: bool = False) -> Iterable[str]:
        if name is None:
            return self.memory
        return [each for each in self.memory if (each < name if descending else each > name)]
