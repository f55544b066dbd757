"""The example queries of docs/metrics-export.md run in DuckDB and in Spark, and both give the same rows."""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.support.metrics.history_lab import (
    FIRST_MS,
    HOUR_MS,
    Exports,
    count_in_this_process,
    counted_hours,
    rows_of,
)
from tests.support.metrics.metrics_store import create_sqlite_store

pytestmark = pytest.mark.spark

PAGE = Path(__file__).parents[2] / "docs" / "metrics-export.md"
TABLES = ("tiles_1m", "tiles_1h", "covered")


def queries() -> list[str]:
    return [found for found in re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL) if "CREATE" not in found]


@pytest.fixture(scope="module")
def history(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hours, of which the first is exported with a third one that is missing between them."""
    folder = tmp_path_factory.mktemp("queries")
    with pytest.MonkeyPatch.context() as monkeypatch:
        count_in_this_process(monkeypatch)
        counted = counted_hours(create_sqlite_store(folder / "metrics.sqlite3"), hours=3, minutes_more=1)
        exports = Exports(spark, counted.url, folder / "history", lambda: counted.now_ms)
        exports.run(FIRST_MS, FIRST_MS + HOUR_MS)
        exports.run(FIRST_MS + 2 * HOUR_MS, FIRST_MS + 3 * HOUR_MS)
    return folder / "history"


def both(spark: SparkSession, history: Path, query: str) -> list[tuple[Any, ...]]:
    """The rows by DuckDB, after Spark has given the same. Each writes times in its own form."""
    query = query.replace("time, first_offset", "CAST(time AS {}) AS time, first_offset", 1)
    by_duckdb = rows_of(history, query.replace("{}", "TEXT"))
    for table in TABLES:
        spark.read.parquet(f"file://{history}/{table}").createOrReplaceTempView(table)
    by_spark = spark.sql(query.replace("{}", "STRING")).collect()
    assert [_without_times(row) for row in by_spark] == [_without_times(row) for row in by_duckdb]
    return by_duckdb


def _without_times(row: Sequence[Any]) -> list[Any]:
    return [value for value in row if not (isinstance(value, str) and re.match(r"\d{4}-", value))]


def test_the_page_has_three_queries() -> None:
    assert len(queries()) == 3


def test_lag_per_flow_and_day(spark: SparkSession, history: Path) -> None:
    assert both(spark, history, queries()[0]) == [("a", "b", date(2026, 9, 21), 1)]


def test_records_per_topic_and_month(spark: SparkSession, history: Path) -> None:
    assert both(spark, history, queries()[1]) == [
        ("a", "b", "clicks", 2026, 9, 1_200, 120_000),
        ("a", "b", "orders", 2026, 9, 2_400, 240_000),
    ]


def test_holes_and_missing_hours(spark: SparkSession, history: Path) -> None:
    """Each hour skips 7 offsets of a partition and repeats 4; the second hour is not in the history."""
    found = both(spark, history, queries()[2])

    assert [(*row[2:4], *row[5:]) for row in found] == [
        ("clicks", 0, 1200, 1800, 0, 600),
        ("orders", 0, 0, 603, 7, 0),
        ("orders", 0, 1206, 1809, 7, 603),
        ("orders", 1, 0, 603, 7, 0),
        ("orders", 1, 1206, 1809, 7, 603),
    ]
