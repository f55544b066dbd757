"""Figures of the query that counts a target's raw metrics, each over its last minute and declared once.

The fields of the log line, the columns of the table `query_status` and the names on the service's Prometheus page
follow from `QUERY_FIGURES`.
"""

from typing import Literal, NamedTuple

FigureKind = Literal["bigint", "double"]

PROMETHEUS_PREFIX = "srm_metrics_"


class QueryFigure(NamedTuple):
    """One figure; its name ends in the unit, and `text` is its help on the Prometheus page."""

    name: str
    kind: FigureKind
    text: str


QUERY_FIGURES = (
    QueryFigure("batches", "bigint", "Micro-batches of the last minute"),
    QueryFigure("batch_p50_ms", "bigint", "Median duration of a micro-batch in the last minute, ms"),
    QueryFigure("batch_max_ms", "bigint", "Duration of the longest micro-batch of the last minute, ms"),
    QueryFigure("raw_records_per_second", "double", "Raw metric records read per second"),
    QueryFigure("reports_per_second", "double", "Reports of partitions counted per second"),
    QueryFigure("raw_lag_offsets", "bigint", "Offsets of raw metrics that are not counted yet"),
    QueryFigure("executor_ms_per_second", "double", "Time of all Spark tasks of the query, ms per second"),
    QueryFigure("driver_ms_per_second", "double", "Time of batches in which no task ran, ms per second"),
    QueryFigure("bad_records", "bigint", "Raw records of the last minute that could not be read"),
)
FIGURE_NAMES = tuple(figure.name for figure in QUERY_FIGURES)
