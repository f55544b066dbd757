"""Compares the store of a metrics process with the reference fold over the same raw topic, row by row."""

from pathlib import Path
from typing import Any

from metrics.counting.records import RawRow
from metrics.schemas import STAGED_ATTEMPT, STAGED_COVERED, STAGED_NOW, STAGED_TILE
from tests.support.kafka.kafka_records import read_all
from tests.support.metrics.metrics_process import MetricsProcess
from tests.support.metrics.metrics_store import create_sqlite_store
from tests.support.metrics.reference_fold import ReferenceFold
from tests.support.metrics.store_dump import dumped, first_difference

_COUNTED = ("tile_partition_10s", "tile_topic_10s", "tile_flow_10s", "partition_now", "covered", "task_seq")
_STAGED = (STAGED_ATTEMPT, STAGED_TILE, STAGED_NOW, STAGED_COVERED)


def assert_equals_reference(process: MetricsProcess, bootstrap: str, topic: str, partitions: int, folder: Path) -> None:
    """Tiles, current rows, covered ranges, sequence numbers, bad records and ledger are those of one process.

    The reference reads each raw partition from its beginning to its end, as one batch of one process.
    """
    raw = read_all(bootstrap, topic, partitions)
    rows = [RawRow(topic, number, seen.offset, seen.value) for number, own in enumerate(raw) for seen in own]
    url = create_sqlite_store(folder / "reference.sqlite3")
    reference = ReferenceFold(url, "b")
    now_ms = int(process.rows("SELECT last_batch_ms FROM writer")[0]["last_batch_ms"])
    reference.claim(now_ms)
    reference.count(rows, now_ms)
    reference.close()
    found, expected = _comparable(dumped(_url(process))), _comparable(dumped(url))
    assert all(expected[name] for name in (*_COUNTED, "ingest_offset"))
    for name, wanted in expected.items():
        assert first_difference(found[name], wanted) is None, name


def staged_rows(process: MetricsProcess) -> dict[str, int]:
    """The number of rows in the tables of staged rows, those that have some."""
    counts = {table.name: process.rows(f"SELECT COUNT(*) AS n FROM {table.name}")[0]["n"] for table in _STAGED}
    return {name: count for name, count in counts.items() if count}


def _url(process: MetricsProcess) -> str:
    return process.postgres or f"sqlite:///{process.store}"


def _comparable(tables: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Without topic ids, epochs and times of commits; a raw partition that holds nothing has no entry."""
    found = {name: tables[name] for name in _COUNTED}
    found["ingest_offset"] = [
        (target, topic, partition, next_offset)
        for target, topic, partition, _, next_offset, _ in tables["ingest_offset"]
        if next_offset
    ]
    found["bad_record"] = [row[:-1] for row in tables["bad_record"]]
    return found
