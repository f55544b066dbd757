"""Sums up what a query did in a minute. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median_low

from replication.domain.reporting.query_figures import FIGURE_NAMES

Figures = Mapping[str, int | float | None]  # by name in QUERY_FIGURES; None is unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """One micro-batch as Spark reports it."""

    number: int
    duration_ms: int
    raw_records: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTime:
    """The time of all tasks added up, and the time in which at least one task ran."""

    executor_ms: int = 0
    busy_ms: int = 0

    def __add__(self, other: "TaskTime") -> "TaskTime":
        return TaskTime(executor_ms=self.executor_ms + other.executor_ms, busy_ms=self.busy_ms + other.busy_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Reports and bad records that a query has counted since its start."""

    reports: int = 0
    bad_records: int = 0


@dataclass(slots=True)
class QueryMinute:
    """The work of a query since the last figures."""

    before: Counted = field(default_factory=Counted)
    batches: list[BatchProgress] = field(default_factory=list)
    tasks: TaskTime | None = field(default_factory=TaskTime)  # None: Spark did not tell

    def add(self, batches: list[BatchProgress], tasks: TaskTime | None) -> None:
        self.batches += batches
        self.tasks = None if self.tasks is None or tasks is None else self.tasks + tasks

    def figures(self, counted: Counted, raw_lag_offsets: int | None, lasted_s: float) -> Figures:
        """Return the figures of a minute that lasted this long."""
        durations = [batch.duration_ms for batch in self.batches]
        executor_ms = driver_ms = None
        if self.tasks is not None:
            executor_ms = self.tasks.executor_ms
            driver_ms = max(0, sum(durations) - self.tasks.busy_ms)
        values = (
            len(durations),
            median_low(durations) if durations else None,
            max(durations, default=None),
            _per_second(sum(batch.raw_records for batch in self.batches), lasted_s),
            _per_second(counted.reports - self.before.reports, lasted_s),
            raw_lag_offsets,
            _per_second(executor_ms, lasted_s),
            _per_second(driver_ms, lasted_s),
            counted.bad_records - self.before.bad_records,
        )
        return dict(zip(FIGURE_NAMES, values, strict=True))


def _per_second(amount: int | None, lasted_s: float) -> float | None:
    return None if amount is None else round(amount / lasted_s, 3)  # one record a minute shows
