"""The metrics: what a tile stores and what is read from it, each declared once.

Tile columns and their merge rule, the columns of the tile models, rates and statistics, the closed list of names in
OpenAPI, the page's units and the tables of docs/metrics.md all follow from the two tuples below.

A metric over columns that exist is one entry in `METRICS`. A metric that needs a new column touches four files:

1. this one: an entry in `TILE_VALUES` (`is_later`) and one in `METRICS`;
2. `metrics/counting/sums/tile_sums.py`: the attribute's type;
3. `metrics/counting/parts.py`: where a report gives the value;
4. a migration of `srm_service.monitoring`, written by `manage.py makemigrations`.

`frontend/openapi.json` (`make schema`) and `frontend/src/api/schema-values.ts` (`npm run gen`) are generated from
here; a test prints the rows that docs/metrics.md lacks.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

TileLevel = Literal["partition", "topic", "flow", "group"]
TileWidth = Literal["10s", "1m", "1h"]
WIDTHS_MS: dict[TileWidth, int] = {"10s": 10_000, "1m": 60_000, "1h": 3_600_000}

ValueKind = Literal["sum", "reading", "histogram"]
MetricKind = Literal["rate", "sum", "ratio", "reading", "max", "histogram", "quantile", "gauge", "events"]
MetricSource = Literal["tiles", "group_tiles", "gauges", "gaps"]


class TileColumn(NamedTuple):
    """One column of the tile tables: a whole number, or the buckets of a histogram as JSON text."""

    name: str
    is_text: bool = False
    null: bool = False
    has_default: bool = False  # existing rows get 0, or no buckets


_HISTOGRAM_COLUMNS = (
    TileColumn("count"),
    TileColumn("min_ms", null=True),
    TileColumn("max_ms", null=True),
    TileColumn("sum_ms"),
    TileColumn("negative_count"),
    TileColumn("hist", is_text=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TileValue:
    """A value that every tile holds.

    The kind is the merge rule: a sum adds up; a reading keeps the highest value and the last one, null while unknown;
    a histogram adds up by bucket.
    """

    name: str
    unit: str
    kind: ValueKind = "sum"
    description: str
    is_later: bool = False  # added when tiles existed already: its columns have a default

    @property
    def columns(self) -> tuple[TileColumn, ...]:
        """Its columns, in the order of the tile tables."""
        if self.kind == "histogram":
            columns = tuple(column._replace(name=f"{self.name}_{column.name}") for column in _HISTOGRAM_COLUMNS)
        elif self.kind == "reading":
            columns = (TileColumn(f"{self.name}_max", null=True), TileColumn(f"{self.name}_last", null=True))
        else:
            columns = (TileColumn(self.name),)
        return tuple(column._replace(has_default=self.is_later and not column.null) for column in columns)


TILE_VALUES: tuple[TileValue, ...] = (
    TileValue(name="records", unit="records", description="copied"),
    TileValue(name="bytes", unit="bytes", description="copied, as stored in the source"),
    TileValue(name="wire_bytes", unit="bytes", description="copied, as sent to the target"),
    TileValue(
        name="lag",
        unit="offsets",
        kind="reading",
        description="log end minus position: the highest reading, and the one at the end of the tile; null = unknown",
    ),
    TileValue(
        name="hole_offsets",
        unit="offsets",
        description="never reported: the report was lost with its driver, or the copy skipped a gap "
        "(table `gap` then has it)",
    ),
    TileValue(
        name="overlap_offsets",
        unit="offsets",
        description="reported again: records that were copied twice, after a kill for example",
    ),
    TileValue(
        name="covered_offsets",
        unit="offsets",
        description="source offsets reported as copied, repeats included",
    ),
    TileValue(name="throttled_ms", unit="ms", description="time spent held back"),
    TileValue(
        name="latency",
        unit="ms",
        kind="histogram",
        description="from the batch's newest timestamp to the acknowledgement by the target",
    ),
    TileValue(
        name="age",
        unit="ms",
        kind="histogram",
        description="from the batch's newest timestamp to its arrival at the driver",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric of the read side.

    `columns` are the tile columns that it is read from, `histogram` the tile histogram. `live` is the field of a
    flow's live numbers (`LiveNumbers`) that holds its value of this second; None = there is none. `quantile` is the
    quantile of all flows together.
    """

    name: str
    unit: str
    kind: MetricKind
    source: MetricSource = "tiles"
    columns: tuple[str, ...] = ()
    histogram: str | None = None
    live: str | None = None
    quantile: float | None = None
    description: str

    @property
    def sum_unit(self) -> str:
        """The unit of its sum over a time: a rate adds up to what was counted, a ratio to the time it was measured."""
        return {"rate": self.unit.removesuffix("/s"), "ratio": "ms"}.get(self.kind, self.unit)


_METRICS = (
    Metric(
        name="records_per_second",
        unit="records/s",
        kind="rate",
        columns=("records",),
        live="records_per_second",
        description="records copied per covered second",
    ),
    Metric(
        name="bytes_per_second",
        unit="bytes/s",
        kind="rate",
        columns=("bytes",),
        live="bytes_per_second",
        description="bytes copied per covered second, as stored in the source",
    ),
    Metric(
        name="wire_bytes_per_second",
        unit="bytes/s",
        kind="rate",
        columns=("wire_bytes",),
        live="wire_bytes_per_second",
        description="bytes copied per covered second, as sent to the target",
    ),
    Metric(
        name="lag_offsets",
        unit="offsets",
        kind="reading",
        columns=("lag_last", "lag_max"),
        live="lag_offsets",
        description="source offsets that are not copied yet; unknown while the source is not read",
    ),
    Metric(
        name="lag_ms",
        unit="ms",
        kind="max",
        columns=("lag_last", "age_max_ms"),
        description="age of the oldest record that arrived; 0 when up to date",
    ),
    Metric(
        name="replication_latency_ms",
        unit="ms",
        kind="histogram",
        histogram="latency",
        live="latency_p50_ms",
        quantile=0.50,
        description="from a batch's newest timestamp to the acknowledgement by the target",
    ),
    Metric(
        name="record_age_ms",
        unit="ms",
        kind="histogram",
        histogram="age",
        description="from a batch's newest timestamp to its arrival at the driver",
    ),
    Metric(
        name="checkpoint_latency_ms",
        unit="ms",
        kind="histogram",
        source="group_tiles",
        histogram="latency",
        description="from the commit of a consumer group to its checkpoint",
    ),
    Metric(
        name="heartbeat_age_ms",
        unit="ms",
        kind="gauge",
        source="gauges",
        live="heartbeat_age_ms",
        description="age of the newest heartbeat that came through the flow",
    ),
    Metric(
        name="throttled_ratio",
        unit="ratio",
        kind="ratio",
        columns=("throttled_ms",),
        description="share of the time that partitions were held back",
    ),
    Metric(
        name="gaps",
        unit="gaps",
        kind="events",
        source="gaps",
        live="open_gaps",
        description="ranges of source offsets that were not copied",
    ),
    Metric(
        name="duplicates",
        unit="records",
        kind="sum",
        columns=("overlap_offsets",),
        description="source offsets that were copied more than once",
    ),
)
METRICS: dict[str, Metric] = {metric.name: metric for metric in _METRICS}
GAPS, HEARTBEAT_AGE = METRICS["gaps"], METRICS["heartbeat_age_ms"]

# All flows together: the number tiles of the page.
FLEET_METRICS: tuple[Metric, ...] = (
    METRICS["records_per_second"],
    METRICS["bytes_per_second"],
    METRICS["lag_offsets"],
    METRICS["replication_latency_ms"],
    Metric(
        name="replication_latency_p95_ms",
        unit="ms",
        kind="quantile",
        histogram="latency",
        live="latency_p95_ms",
        quantile=0.95,
        description="95 of 100 records took no longer",
    ),
)
