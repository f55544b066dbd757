"""Adds readings to the gauge tables, as `tile_writer` adds tiles to theirs: few rows, read, merged, written back."""

from collections.abc import Mapping

from metrics.counting.side_records import GaugeSums
from metrics.schemas import GAUGES, Table, gauge_table
from metrics.store.connection import Connection
from metrics.store.tile_writer import RolledTo
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileWidth

_TABLE_OF: Mapping[str, Table] = {table.name: table for table in GAUGES}
IdGauges = Mapping[tuple[int, str, int], GaugeSums]  # (series id, name, start of a tile) -> what to add


def add_new_gauges(connection: Connection, gauges: IdGauges, rolled: RolledTo) -> None:
    """Add 10 s gauges, and those that come too late for the roll-up to the coarser widths at once."""
    _add_gauges(connection, "10s", gauges)
    _add_gauges(connection, "1m", {key: gauge for key, gauge in gauges.items() if key[2] < rolled.minute_ms})
    _add_gauges(connection, "1h", {key: gauge for key, gauge in gauges.items() if key[2] < rolled.hour_ms})


def _add_gauges(connection: Connection, width: TileWidth, gauges: IdGauges) -> None:
    """Merge into the rows that are there, in the order of time; times are cut down to the width."""
    table = _TABLE_OF[gauge_table(width)]
    merged: dict[tuple[int, str, int], GaugeSums] = {}
    for (series_id, name, time_ms), gauge in sorted(gauges.items(), key=lambda item: item[0][2]):
        key = (series_id, name, time_ms - time_ms % WIDTHS_MS[width])
        if key not in merged:
            found = connection.rows(
                f'SELECT count, "min", "max", "sum", last FROM {table.name} '  # noqa: S608 - our own names
                "WHERE id = ? AND name = ? AND time_ms = ?",
                key,
            )
            merged[key] = GaugeSums(*found[0]) if found else GaugeSums()
        merged[key].merge(gauge)
    connection.upsert(
        table, [(*key, each.count, each.min, each.max, each.sum, each.last) for key, each in merged.items()]
    )
