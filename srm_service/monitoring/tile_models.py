"""Tile tables: one per level and width (10 s, 1 min, 1 h), all with the same columns."""

from typing import Any

from django.db import models

from replication.domain.reporting.metric_defs import TILE_VALUES, TileColumn, TileLevel, TileWidth


class Tile(models.Model):
    """The values of one series in the time from `time_ms`; `TILE_VALUES` names its other columns.

    Histograms are JSON `{bucket: count}`.
    """

    pk = models.CompositePrimaryKey("id", "time_ms")
    id = models.BigIntegerField()
    time_ms = models.BigIntegerField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.db_table} {self.id}@{self.time_ms}"


def _field(column: TileColumn) -> "models.Field[object, object]":
    options: dict[str, Any] = {"null": column.null}
    if column.has_default:
        options["default"] = options["db_default"] = "{}" if column.is_text else 0
    return models.TextField(**options) if column.is_text else models.BigIntegerField(**options)


for _value in TILE_VALUES:
    for _column in _value.columns:
        Tile.add_to_class(_column.name, _field(_column))  # the models below inherit them


class PartitionTile10s(Tile):
    class Meta:
        db_table = "tile_partition_10s"
        indexes = [models.Index(fields=["time_ms"], name="tile_partition_10s_time")]


class PartitionTile1m(Tile):
    class Meta:
        db_table = "tile_partition_1m"
        indexes = [models.Index(fields=["time_ms"], name="tile_partition_1m_time")]


class PartitionTile1h(Tile):
    class Meta:
        db_table = "tile_partition_1h"
        indexes = [models.Index(fields=["time_ms"], name="tile_partition_1h_time")]


class TopicTile10s(Tile):
    class Meta:
        db_table = "tile_topic_10s"
        indexes = [models.Index(fields=["time_ms"], name="tile_topic_10s_time")]


class TopicTile1m(Tile):
    class Meta:
        db_table = "tile_topic_1m"
        indexes = [models.Index(fields=["time_ms"], name="tile_topic_1m_time")]


class TopicTile1h(Tile):
    class Meta:
        db_table = "tile_topic_1h"
        indexes = [models.Index(fields=["time_ms"], name="tile_topic_1h_time")]


class FlowTile10s(Tile):
    class Meta:
        db_table = "tile_flow_10s"
        indexes = [models.Index(fields=["time_ms"], name="tile_flow_10s_time")]


class FlowTile1m(Tile):
    class Meta:
        db_table = "tile_flow_1m"
        indexes = [models.Index(fields=["time_ms"], name="tile_flow_1m_time")]


class FlowTile1h(Tile):
    class Meta:
        db_table = "tile_flow_1h"
        indexes = [models.Index(fields=["time_ms"], name="tile_flow_1h_time")]


class GroupTile10s(Tile):
    class Meta:
        db_table = "tile_group_10s"
        indexes = [models.Index(fields=["time_ms"], name="tile_group_10s_time")]


class GroupTile1m(Tile):
    class Meta:
        db_table = "tile_group_1m"
        indexes = [models.Index(fields=["time_ms"], name="tile_group_1m_time")]


class GroupTile1h(Tile):
    class Meta:
        db_table = "tile_group_1h"
        indexes = [models.Index(fields=["time_ms"], name="tile_group_1h_time")]


class Gauge(models.Model):
    """Named readings of a flow in the time from `time_ms`; the `sum` of a counter is what was counted."""

    pk = models.CompositePrimaryKey("id", "name", "time_ms")
    id = models.BigIntegerField()
    name = models.TextField()
    time_ms = models.BigIntegerField()
    count = models.BigIntegerField()
    min = models.BigIntegerField()
    max = models.BigIntegerField()
    sum = models.BigIntegerField()
    last = models.BigIntegerField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.db_table} {self.id} {self.name}@{self.time_ms}"


class Gauge10s(Gauge):
    class Meta:
        db_table = "gauge_10s"
        indexes = [models.Index(fields=["time_ms"], name="gauge_10s_time")]


class Gauge1m(Gauge):
    class Meta:
        db_table = "gauge_1m"
        indexes = [models.Index(fields=["time_ms"], name="gauge_1m_time")]


class Gauge1h(Gauge):
    class Meta:
        db_table = "gauge_1h"
        indexes = [models.Index(fields=["time_ms"], name="gauge_1h_time")]


GAUGE_WIDTHS: dict[TileWidth, type[Gauge]] = {"10s": Gauge10s, "1m": Gauge1m, "1h": Gauge1h}

LEVEL_WIDTHS: dict[tuple[TileLevel, TileWidth], type[Tile]] = {
    ("partition", "10s"): PartitionTile10s,
    ("partition", "1m"): PartitionTile1m,
    ("partition", "1h"): PartitionTile1h,
    ("topic", "10s"): TopicTile10s,
    ("topic", "1m"): TopicTile1m,
    ("topic", "1h"): TopicTile1h,
    ("flow", "10s"): FlowTile10s,
    ("flow", "1m"): FlowTile1m,
    ("flow", "1h"): FlowTile1h,
    ("group", "10s"): GroupTile10s,
    ("group", "1m"): GroupTile1m,
    ("group", "1h"): GroupTile1h,
}
