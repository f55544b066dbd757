"""The current state of the metrics store: how fresh it is, and each flow's newest row.

Kept for two seconds per process: the page asks each second, the rows change every few.
"""

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.db.models import OuterRef, Subquery

from replication.domain.identifiers import FlowId
from srm_service.monitoring.contracts import LiveNumbers
from srm_service.monitoring.models import PartitionNow, QueryStatus, Series, Writer

_KEEP_S = 2.0
_WRITER_LIFE_MS = 60_000  # a metrics process that is silent longer warns of nothing
_NUMBERS_ARE_NOW_MS = 90_000  # idle partitions report once a minute


@dataclass(frozen=True, slots=True, kw_only=True)
class _FlowRow:
    state: str
    last_ms: int
    numbers: LiveNumbers


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreState:
    """`problem` is empty when the store answered."""

    problem: str = ""
    last_batch_ms: Mapping[str, int] = field(default_factory=dict)
    heartbeat_ms: Mapping[str, int] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)  # by target
    flows: Mapping[FlowId, _FlowRow] = field(default_factory=dict)

    def age_ms(self, target: str, now_ms: int) -> int | None:
        """Return the age of the newest batch of a target; None when there never was one."""
        last = self.last_batch_ms.get(target)
        return None if last is None else max(0, now_ms - last)

    def warning(self, target: str, now_ms: int) -> str | None:
        """Return what is wrong with the executors of a target's metrics; None when nothing is, or no one says so."""
        is_alive = now_ms - self.heartbeat_ms.get(target, 0) < _WRITER_LIFE_MS
        return self.warnings.get(target) or None if is_alive else None

    def numbers(self, flow: FlowId, now_ms: int) -> LiveNumbers:
        """The flow's newest numbers, or unknown ones when the row is old."""
        row = self.flows.get(flow)
        return row.numbers if row is not None and now_ms - row.last_ms < _NUMBERS_ARE_NOW_MS else LiveNumbers()

    def states(self, flow: FlowId) -> Mapping[str, int]:
        row = self.flows.get(flow)
        return {} if row is None or not row.state else {row.state: 1}


class _Cache:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: StoreState | None = None
        self._flows: frozenset[FlowId] = frozenset()
        self._read_at_s = 0.0

    def get(self, flows: frozenset[FlowId]) -> StoreState:
        with self._lock:
            old = time.monotonic() - self._read_at_s > _KEEP_S
            if self._state is None or old or flows != self._flows:
                self._state, self._flows = _read(flows), flows
                self._read_at_s = time.monotonic()
            return self._state

    def forget(self) -> None:
        with self._lock:
            self._state = None


_cache = _Cache()


def store_state(flows: frozenset[FlowId]) -> StoreState:
    """Three queries at most every two seconds. Raises DatabaseError when the store cannot be read."""
    return _cache.get(flows)


def forget_store_state() -> None:
    _cache.forget()


def _read(flows: frozenset[FlowId]) -> StoreState:
    reported = QueryStatus.objects.filter(target=OuterRef("target")).values("warning")
    writers = list(Writer.objects.annotate(warning=Subquery(reported)))
    series = {identity: flow for flow, identity in flow_series_ids(flows).items()}
    rows = PartitionNow.objects.filter(series_id__in=list(series))
    return StoreState(
        last_batch_ms={row.target: row.last_batch_ms for row in writers if row.last_batch_ms is not None},
        heartbeat_ms={row.target: row.heartbeat_ms for row in writers},
        warnings={row.target: row.warning for row in writers if row.warning},
        flows={series[row.series_id]: _flow_row(row) for row in rows},
    )


def flow_series_ids(flows: Collection[FlowId]) -> dict[FlowId, int]:
    """The series of whole flows. One query, by the unique index."""
    rows = Series.objects.filter(
        source__in={flow.source for flow in flows},
        target__in={flow.target for flow in flows},
        topic="",
        partition=-1,
        consumer_group="",
    )
    found = {FlowId(row.source, row.target): row.id for row in rows}
    return {flow: identity for flow, identity in found.items() if flow in flows}


def _flow_row(row: PartitionNow) -> _FlowRow:
    numbers = LiveNumbers(
        records_per_second=row.records_per_second, bytes_per_second=row.bytes_per_second, lag_offsets=row.lag
    )
    return _FlowRow(state=row.state, last_ms=row.last_ms, numbers=numbers)
