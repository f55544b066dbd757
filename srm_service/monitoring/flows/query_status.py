"""The queries that count raw metrics now, as the metrics process last reported them."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.reporting.query_figures import FIGURE_NAMES
from srm_service.monitoring.models import QueryStatus

_FIGURES_ARE_NOW_MS = 150_000  # reported once a minute


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryNow:
    """The last minute of a target's query, by name in `QUERY_FIGURES`; None is unknown."""

    target: str
    figures: Mapping[str, float | None]
    has_warning: bool


def queries_now(now_ms: int) -> tuple[QueryNow, ...]:
    """Return the queries that reported lately, by target. Raises DatabaseError when the store cannot be read."""
    rows = QueryStatus.objects.filter(time_ms__gte=now_ms - _FIGURES_ARE_NOW_MS).order_by("target")
    return tuple(
        QueryNow(
            target=row.target,
            figures={name: getattr(row, name) for name in FIGURE_NAMES},
            has_warning=bool(row.warning),
        )
        for row in rows
    )
