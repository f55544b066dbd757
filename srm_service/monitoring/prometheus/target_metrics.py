"""Metrics of the queries that count the raw metrics of targets."""

from collections.abc import Callable, Iterator, Sequence

from prometheus_client.core import Metric

from replication.domain.reporting.query_figures import PROMETHEUS_PREFIX, QUERY_FIGURES
from srm_service.monitoring.flows.query_status import QueryNow
from srm_service.monitoring.prometheus.families import Reading, families


def _figure(name: str) -> Callable[[QueryNow], float | None]:
    return lambda query: query.figures[name]


TARGET_METRICS: tuple[Reading[QueryNow], ...] = (
    *(Reading(f"{PROMETHEUS_PREFIX}{figure.name}", figure.text, _figure(figure.name)) for figure in QUERY_FIGURES),
    Reading(
        f"{PROMETHEUS_PREFIX}executor_warning",
        "1 if an executor of Spark is slow, fails or was lost; the flow's metrics_warning names it",
        lambda query: query.has_warning,
    ),
)


def target_families(queries: Sequence[QueryNow]) -> Iterator[Metric]:
    """Yield the families of all targets."""
    return families(TARGET_METRICS, ("target",), [((query.target,), query) for query in queries])
