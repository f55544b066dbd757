"""The columns of a history follow from those of the store."""

import pyarrow as pa

from metrics.export.columns import COVERED_RANGES, history_tables, tile_history
from metrics.schemas import TILE_COLUMNS


def test_every_column_of_tiles_is_exported_with_a_type() -> None:
    columns = {column.name: column.sql_type for column in tile_history("1m").columns}

    for column in TILE_COLUMNS[2:]:
        assert columns.pop(column.name) == ("MAP<INT, BIGINT>" if column.kind == "text" else "BIGINT")
    assert columns == {
        "level": "STRING",
        "source": "STRING",
        "topic": "STRING",
        "remote_topic": "STRING",
        "partition": "INT",
        "consumer_group": "STRING",
        "time": "TIMESTAMP",
    }


def test_an_export_writes_a_table_per_width_and_the_ranges() -> None:
    assert [table.name for table in history_tables(("1m", "1h"))] == ["tiles_1m", "tiles_1h", "covered"]
    assert COVERED_RANGES.ddl.endswith("`overlap_offsets` BIGINT, day STRING, hour STRING")


def test_histograms_become_maps_and_times_instants() -> None:
    latency, time = (next(c for c in tile_history("1h").columns if c.name == name) for name in ("latency_hist", "time"))

    assert latency.array(['{"-1":2,"8":40}', "{}", '{"3":1}']).to_pylist() == [[(-1, 2), (8, 40)], [], [(3, 1)]]
    assert time.array([1_790_000_000_123]).cast(pa.int64()).to_pylist() == [1_790_000_000_123_000]
