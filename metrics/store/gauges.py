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
    add_gauges(connection, "10s", gauges)
    add_gauges(connection, "1m", {key: gauge for key, gauge in gauges.items() if key[2] < rolled.minute_ms})
    add_gauges(connection, "1h", {key: gauge for key, gauge in gauges.items() if key[2] < rolled.hour_ms})


def add_gauges(connection: Connection, width: TileWidth, gauges: IdGauges) -> None:
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


def gauges_of(
    connection: Connection, target: str, width: TileWidth, begin_ms: int, end_ms: int
) -> dict[tuple[int, str, int], GaugeSums]:
    """All readings of a target in [begin_ms, end_ms)."""
    rows = connection.rows(
        'SELECT g.id, g.name, g.time_ms, g.count, g."min", g."max", g."sum", g.last '  # noqa: S608 - our own names
        f"FROM {gauge_table(width)} g JOIN series s ON s.id = g.id "
        "WHERE s.target = ? AND g.time_ms >= ? AND g.time_ms < ?",
        (target, begin_ms, end_ms),
    )
    return {(row[0], row[1], row[2]): GaugeSums(*row[3:]) for row in rows}
