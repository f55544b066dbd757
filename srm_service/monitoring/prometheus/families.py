"""Builds the families of Prometheus from declarations; an unknown value is omitted, never 0."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

Row = TypeVar("Row")


class Reading(NamedTuple, Generic[Row]):
    """One metric: its name, its help, and its value of a row."""

    name: str
    text: str
    pick: Callable[[Row], float | None]
    is_total: bool = False


class _Families(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def families(
    readings: Iterable[Reading[Row]], labels: Sequence[str], rows: Sequence[tuple[Sequence[str], Row]]
) -> Iterator[Metric]:
    """Yield a family per reading with a sample per row."""
    for reading in readings:
        made = (CounterMetricFamily if reading.is_total else GaugeMetricFamily)(
            reading.name, reading.text, labels=labels
        )
        for values, row in rows:
            value = reading.pick(row)
            if value is not None:
                made.add_metric(values, float(value))
        yield made


def rendered(found: Iterable[Metric]) -> bytes:
    """Return the page of some families."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(list(found)))
    return generate_latest(registry)
