"""Raw metrics counted by the code of the metrics process, into the store that the service reads. Without Spark."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from django.db import connections

from metrics.counting.records import RawRow
from tests.support.metrics.metrics_store import create_sqlite_store
from tests.support.metrics.raw_metrics import Record, encode
from tests.support.metrics.reference_fold import ReferenceFold

_TABLES = (
    "series",
    "partition_now",
    "group_now",
    "gap",
    "event",
    *(f"tile_{level}_10s" for level in ("partition", "topic", "flow", "group")),
)


def count_into_service(records: Iterable[Record], folder: Path, *, target: str, now_ms: int) -> None:
    """Count the records of one raw topic, and copy the rows into the metrics database of this test."""
    path = folder / "counted.sqlite3"
    url = create_sqlite_store(path)
    fold = ReferenceFold(url, target)
    fold.claim(now_ms)
    fold.count((RawRow("raw", 0, number, encode(record)) for number, record in enumerate(records)), now_ms)
    fold.close()
    counted = sqlite3.connect(path)
    for table in _TABLES:
        found = counted.execute(f"SELECT * FROM {table}")
        columns = ", ".join(f'"{column[0]}"' for column in found.description)
        marks = ", ".join(["%s"] * len(found.description))
        with connections["metrics"].cursor() as cursor:
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", found.fetchall())
    counted.close()
