"""Everything that must follow from `metric_defs` does."""

from dataclasses import fields
from pathlib import Path

import pytest

from metrics.counting.sums.tile_sums import TileSums
from replication.domain.reporting.metric_defs import FLEET_METRICS, METRICS, TILE_VALUES, Metric
from srm_service.monitoring.contracts import LiveNumbers
from srm_service.monitoring.models import LEVEL_WIDTHS
from srm_service.monitoring.series.tiles import COUNT_COLUMNS

_DOCS = (Path(__file__).parents[4] / "docs" / "metrics.md").read_text()
_COLUMNS = {column.name for value in TILE_VALUES for column in value.columns}
_ALL = [*METRICS.values(), *FLEET_METRICS]


@pytest.mark.parametrize("metric", _ALL, ids=lambda metric: metric.name)
def test_a_metric_is_read_from_columns_and_live_numbers_that_exist(metric: Metric) -> None:
    histograms = {value.name for value in TILE_VALUES if value.kind == "histogram"}

    assert set(metric.columns) <= _COLUMNS
    assert metric.histogram is None or metric.histogram in histograms
    assert metric.live is None or metric.live in {field.name for field in fields(LiveNumbers)}


def test_a_metric_of_tiles_names_what_it_is_read_from() -> None:
    assert not [m.name for m in _ALL if m.source.endswith("tiles") and not (m.columns or m.histogram)]
    assert not [m.name for m in _ALL if m.kind == "reading" and len(m.columns) != 2]


def test_every_tile_model_has_the_declared_columns() -> None:
    for model in LEVEL_WIDTHS.values():
        names = {field.name for field in model._meta.local_fields}
        assert names - {"pk", "id", "time_ms"} == _COLUMNS


def test_the_types_of_a_tile_in_memory_are_those_of_its_values() -> None:
    assert set(TileSums.__annotations__) == set(TileSums.__slots__)


def test_the_read_side_reads_each_column_once() -> None:
    assert len(set(COUNT_COLUMNS)) == len(COUNT_COLUMNS)


def test_the_docs_list_every_tile_value() -> None:
    rows = [f"| {_names(value.name, value.kind)} | {value.unit} | {value.description} |" for value in TILE_VALUES]

    assert "\n".join(rows) in _DOCS, "docs/metrics.md needs these rows:\n" + "\n".join(rows)


def test_the_docs_list_every_metric() -> None:
    rows = [f"| `{metric.name}` | {metric.unit} | {metric.description} |" for metric in METRICS.values()]

    assert "\n".join(rows) in _DOCS, "docs/metrics.md needs these rows:\n" + "\n".join(rows)


def _names(name: str, kind: str) -> str:
    return {"reading": f"`{name}_max`, `{name}_last`", "histogram": f"`{name}_*`"}.get(kind, f"`{name}`")
