"""Compares the tiles of a metrics store with an independent recount of what was written."""

import json
from collections.abc import Iterable

from tests.support.metrics.metrics_process import MetricsProcess
from tests.support.metrics.raw_metrics import Counted, Record, SeriesTile, recount

_SUMS = [
    "records",
    "bytes",
    "wire_bytes",
    "throttled_ms",
    "covered_offsets",
    "hole_offsets",
    "overlap_offsets",
    "latency_count",
    "latency_sum_ms",
]


def _tiles(process: MetricsProcess) -> dict[SeriesTile, dict[str, object]]:
    tiles: dict[SeriesTile, dict[str, object]] = {}
    for level in ("partition", "topic", "flow"):
        rows = process.rows(
            f"SELECT s.source, s.topic, s.partition, t.* FROM tile_{level}_10s t JOIN series s ON s.id = t.id"
        )
        tiles |= {(row["source"], row["topic"], row["partition"], row["time_ms"]): row for row in rows}
    return tiles


def is_counted(process: MetricsProcess, records: Iterable[Record]) -> bool:
    """Return True when the sums of all flows equal what was written; `_assert_exact` then compares tile by tile."""
    expected = sum(part[9] for record in records for part in record["parts"])
    found = process.rows("SELECT COALESCE(SUM(records), 0) AS records FROM tile_flow_10s")[0]["records"]
    assert found <= expected, f"{found} counted, {expected} written"
    return bool(found == expected)


def has_committed(process: MetricsProcess) -> bool:
    """Return True when the process has committed a batch since it claimed the target."""
    found = process.rows("SELECT owner, started_ms, last_batch_ms FROM writer")
    assert process.process is not None
    if not found:
        return False
    writer, owner = found[0], found[0]["owner"]
    return bool(owner.endswith(f":{process.process.pid}") and (writer["last_batch_ms"] or 0) > writer["started_ms"])


def assert_exact(process: MetricsProcess, records: Iterable[Record]) -> None:
    expected = recount(records)
    found = _tiles(process)
    assert found.keys() == expected.keys()
    for key, row in found.items():
        _assert_tile(key, row, expected[key])


def _assert_tile(key: SeriesTile, row: dict[str, object], expected: Counted) -> None:
    assert {name: row[name] for name in _SUMS} == {name: getattr(expected, name) for name in _SUMS}, key
    assert row["latency_max_ms"] == (expected.latency_max_ms if expected.latency_count else None), key
    assert json.loads(str(row["latency_hist"])) == dict(expected.latency_hist), key


def assert_reach(process: MetricsProcess, partitions: int) -> None:
    """covered - overlap + hole = next - first, for every partition, in the store alone."""
    rows = process.rows(
        "SELECT c.next_offset - c.first_offset AS reach, "
        "SUM(t.covered_offsets - t.overlap_offsets + t.hole_offsets) AS arithmetic "
        "FROM covered c JOIN tile_partition_10s t ON t.id = c.series_id GROUP BY c.series_id"
    )
    assert len(rows) == partitions
    assert all(row["reach"] == row["arithmetic"] for row in rows)
