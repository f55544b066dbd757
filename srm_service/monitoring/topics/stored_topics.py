"""The topics of a flow that were measured, ordered and cut by the database.

Names compare by their bytes, as in Python, under every collation of the database.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import connections
from django.db.models import Case, F, Max, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Collate

from replication.domain.health.partition_state import WORST_FIRST, known_state
from replication.domain.identifiers import FlowId
from srm_service.core.kept import Kept
from srm_service.monitoring.flows.topics import LATENCY_WINDOW_MS, NOW_MS
from srm_service.monitoring.models import PartitionNow, Series
from srm_service.monitoring.series.statistics import merged
from srm_service.monitoring.series.tiles import TILE_MS, by_series, read_tiles, store_marks
from srm_service.monitoring.topics.listing import Row

COLLATIONS = {"postgresql": "C", "sqlite": "BINARY"}
STATE = "state"
# the worst is first; a state that a topic does not show has no place
_URGENCY = Case(
    *(When(state=state, then=Value(place)) for place, state in enumerate(WORST_FIRST) if known_state(state))
)
_RANKS_KEPT_S = 5.0
_MOST_NAMES = 1_000  # in one query


class StoredTopics:
    """Topics whose name holds `part`, in any case. All methods raise DatabaseError."""

    def __init__(self, flow: FlowId, part: str, at_ms: int) -> None:
        self._flow, self._part, self._at_ms = flow, part.lower(), at_ms
        self._collation = COLLATIONS[connections[Series.objects.db].vendor]

    def names(self, after: str | None, most: int, *, descending: bool = False) -> list[str]:
        """Return the next names; from the first one if `after` is None."""
        rows = self._rows()
        if after is not None:
            rows = rows.filter(**{f"name__{'lt' if descending else 'gt'}": after})
        ordered = rows.order_by("-name" if descending else "name")
        return list(ordered.values_list("name", flat=True).distinct()[:most])

    def valued(
        self, column: str, after: Row | None, most: int, *, without: Collection[str], descending: bool
    ) -> list[Row]:
        """Return the next topics that have a value now, by it and by name."""
        rows = self._with_value(column, without).filter(value__isnull=False)
        if after is not None:
            value, name = after
            beyond = Q(**{f"value__{'lt' if descending else 'gt'}": value})
            rows = rows.filter(beyond | Q(value=value, name__gt=name))
        ordered = rows.order_by(F("value").desc() if descending else F("value").asc(), "name")
        return [(value, name) for name, value in ordered.values_list("name", "value")[:most]]

    def without_value(self, column: str, after: str | None, most: int, *, without: Collection[str]) -> list[str]:
        """Return the next names of topics that have no value now."""
        rows = self._with_value(column, without).filter(value__isnull=True)
        if after is not None:
            rows = rows.filter(name__gt=after)
        return list(rows.order_by("name").values_list("name", flat=True)[:most])

    def present(self, names: Iterable[str]) -> set[str]:
        """Return those of the names that were measured."""
        asked, found = list(names), set[str]()
        for start in range(0, len(asked), _MOST_NAMES):
            some = asked[start : start + _MOST_NAMES]
            found.update(_topics_of(self._flow).filter(topic__in=some).values_list("topic", flat=True))
        return found

    def latencies(self) -> Mapping[str, float]:
        """Return the 95th percentile of the topics that were copied in the last seconds.

        They need all histograms of a flow, and are kept for a moment: many pages of one order cost one reading.
        """
        ranks = _ranks.get(self._flow, lambda: _latencies(self._flow, self._at_ms))
        return {name: value for name, value in ranks.items() if self._part in name.lower()}

    def remote_topics(self) -> Mapping[str, str]:
        """Return the names on the target, which are kept for a moment; of several, the one that was measured last."""
        names = _remotes.get(self._flow, lambda: _remote_topics(self._flow))
        return {name: remote for name, remote in names.items() if self._part in name.lower()}

    def _rows(self) -> QuerySet[Any, Any]:
        own = _topics_of(self._flow)
        found = own.filter(topic__icontains=self._part) if self._part else own
        return found.values(name=Collate("topic", self._collation))

    def _with_value(self, column: str, without: Collection[str]) -> QuerySet[Any, Any]:
        """A topic that was copied under several names has the value of the one that is measured now."""
        fresh = PartitionNow.objects.filter(series_id=OuterRef("id"), last_ms__gte=self._at_ms - NOW_MS)
        rows = self._rows().exclude(topic__in=without) if without else self._rows()
        value: Combinable = _URGENCY if column == STATE else F(column)
        found: QuerySet[Any, Any] = rows.annotate(value=Max(Subquery(fresh.values(of=value)[:1])))
        return found


class NoStoredTopics:
    """Stands for a metrics store that does not answer."""

    def names(self, after: str | None, most: int, *, descending: bool = False) -> list[str]:
        return []

    def valued(
        self, column: str, after: Row | None, most: int, *, without: Collection[str], descending: bool
    ) -> list[Row]:
        return []

    def without_value(self, column: str, after: str | None, most: int, *, without: Collection[str]) -> list[str]:
        return []

    def present(self, names: Iterable[str]) -> set[str]:
        return set()

    def latencies(self) -> Mapping[str, float]:
        return {}

    def remote_topics(self) -> Mapping[str, str]:
        return {}


_ranks: Kept[FlowId, Mapping[str, float]] = Kept(seconds=_RANKS_KEPT_S, most=8)
_remotes: Kept[FlowId, Mapping[str, str]] = Kept(seconds=_RANKS_KEPT_S, most=8)


def _topics_of(flow: FlowId) -> QuerySet[Series]:
    return Series.objects.filter(source=flow.source, target=flow.target, partition=-1).exclude(topic="")


def _latencies(flow: FlowId, at_ms: int) -> Mapping[str, float]:
    begin_ms = at_ms - at_ms % TILE_MS - LATENCY_WINDOW_MS
    marks, ids = store_marks({flow.target}, at_ms), _topics_of(flow).values("id")
    tiles = read_tiles("topic", ids, from_ms=begin_ms, to_ms=at_ms, step_ms=TILE_MS, marks=marks, histogram="latency")
    found = {series: merged(rows).quantile(0.95) for series, rows in by_series(tiles).items()}
    names = dict(_topics_of(flow).filter(id__in=ids).values_list("id", "topic")) if found else {}
    return {names[series]: value for series, value in found.items() if value is not None and series in names}


def _remote_topics(flow: FlowId) -> Mapping[str, str]:
    now = PartitionNow.objects.filter(series_id=OuterRef("id"))
    measured = _topics_of(flow).annotate(measured_ms=Subquery(now.values("last_ms")[:1]))
    rows = sorted(measured.values_list("measured_ms", "topic", "remote_topic"), key=lambda row: row[0] or 0)
    return {topic: remote for _, topic, remote in rows}
