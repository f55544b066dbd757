"""Tile tables: one per level (partition, topic, flow) and width (10 s, 1 min, 1 h), all with the same columns."""

from django.db import models


class Tile(models.Model):
    """What happened in one series in the time from `time_ms`; histograms are JSON `{bucket: count}`."""

    pk = models.CompositePrimaryKey("id", "time_ms")
    id = models.BigIntegerField()
    time_ms = models.BigIntegerField()
    records = models.BigIntegerField()
    bytes = models.BigIntegerField()
    wire_bytes = models.BigIntegerField()
    lag_max = models.BigIntegerField(null=True)
    lag_last = models.BigIntegerField(null=True)
    hole_offsets = models.BigIntegerField()
    overlap_offsets = models.BigIntegerField()
    covered_offsets = models.BigIntegerField()
    throttled_ms = models.BigIntegerField()
    latency_count = models.BigIntegerField()
    latency_min_ms = models.BigIntegerField(null=True)
    latency_max_ms = models.BigIntegerField(null=True)
    latency_sum_ms = models.BigIntegerField()
    latency_negative_count = models.BigIntegerField()
    latency_hist = models.TextField()
    age_count = models.BigIntegerField()
    age_min_ms = models.BigIntegerField(null=True)
    age_max_ms = models.BigIntegerField(null=True)
    age_sum_ms = models.BigIntegerField()
    age_negative_count = models.BigIntegerField()
    age_hist = models.TextField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.db_table} {self.id}@{self.time_ms}"


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


GAUGE_WIDTHS: dict[str, type[Gauge]] = {"10s": Gauge10s, "1m": Gauge1m, "1h": Gauge1h}

LEVEL_WIDTHS: dict[tuple[str, str], type[Tile]] = {
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
