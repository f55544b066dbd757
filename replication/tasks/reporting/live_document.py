"""Makes the live state of a source task (docs/contracts/live-state.md) each second, read by any thread."""

from collections import Counter, defaultdict, deque
from dataclasses import asdict
from typing import Any

from replication.domain.errors import Cause
from replication.domain.health.partition_state import BAD_STATES
from replication.tasks.control.restarts import PartitionRestarts
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.transactions import Transactions
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.reporting.progress_watch import ProgressWatch
from replication.tasks.reporting.slot_metrics import SlotMetrics
from replication.tasks.slot_context import SlotContext

EVERY_S = 1.0
RATE_SECONDS = 5
TOPICS_SHOWN = 200

_Totals = tuple[float, dict[str, tuple[int, int, int]]]  # time and, by topic, records, bytes, wire bytes


class LiveDocument:
    """Rates over the last seconds, lag, latency and states."""

    def __init__(
        self,
        context: SlotContext,
        *,
        progress: ProgressWatch,
        metrics: SlotMetrics,
        gauge: SlotGauge,
        committer: PositionCommitter,
        transactions: Transactions | None,
        gap_log: GapLog,
        rejected_log: RejectedLog,
        restarts: PartitionRestarts,
    ) -> None:
        self._context = context
        self._progress = progress
        self._metrics = metrics
        self._gauge = gauge
        self._committer = committer
        self._transactions = transactions
        self._gap_log = gap_log
        self._rejected_log = rejected_log
        self._restarts = restarts
        self._samples: deque[_Totals] = deque(maxlen=RATE_SECONDS + 1)
        self.document: dict[str, Any] = {"state": "starting", "cause": None}

    def note_delayed_start(self, cause: Cause) -> None:
        """The start failed and is tried again."""
        self.document = {**self.document, "cause": cause.as_reported()}

    async def run(self) -> None:
        while not self._context.stopping:
            self._progress.check()
            self.refresh()
            await self._context.ports.loop.sleep(EVERY_S)
            self._metrics.start_second()

    def refresh(self) -> None:
        """Make the document again; it is replaced as a whole, so that readers need no lock."""
        context, gauge = self._context, self._gauge
        copies = list(context.roster.copies.values())
        topics = self._topic_totals(copies)
        self._samples.append((context.ports.loop.monotonic_s(), topics))
        rates = self._rates()
        lag = None if context.roster.unstarted else _sum_of_known(copies)
        gauge.note_lag(lag)
        cause = context.cause or _worst(copies) or next(iter(context.waiting.values()), None) or gauge.warning
        self.document = {
            "state": self._state(),
            "measured_ms": context.ports.loop.now_ms(),
            "cause": cause.as_reported() if cause is not None else None,
            "plan_version": context.spec.plan_version,
            "topics": len(topics),
            "partitions": len(copies) + len(context.roster.unstarted),
            "states": self._states(copies),
            "records_per_second": sum(rate[0] for rate in rates.values()),
            "bytes_per_second": sum(rate[1] for rate in rates.values()),
            "wire_bytes_per_second": sum(rate[2] for rate in rates.values()),
            "lag_offsets": lag,
            "catch_up_ms": gauge.estimate.catch_up_ms,
            "time_to_loss_ms": gauge.estimate.time_to_loss_ms,
            "limit": asdict(gauge.limit) if gauge.limit is not None else None,
            "done_resets": self._done_resets(),
            "done_restarts": self._restarts.done,
            **self._totals(copies, topics),
            "topic_rates": _busiest(copies, rates),
        }

    def _totals(self, copies: list[PartitionCopy], topics: dict[str, tuple[int, int, int]]) -> dict[str, Any]:
        totals = [sum(column) for column in zip(*topics.values(), strict=True)] or [0, 0, 0]
        return {
            "records_total": totals[0],
            "bytes_total": totals[1],
            "latency": self._metrics.recent_latency().to_list(),
            "open_gaps": sum(1 for copy in copies if copy.obstructions.special == "gap"),
            "gaps_total": self._gap_log.total,
            "looped_total": sum(copy.counters.looped_total for copy in copies),
            "filtered_total": sum(copy.counters.filtered_total for copy in copies),
            "resent_total": sum(copy.counters.resent_total for copy in copies),
            "refused_total": self._rejected_log.total,
            "refused": [asdict(rejected) for rejected in self._rejected_log.newest],
            "transactions_aborted": 0 if self._transactions is None else self._transactions.aborted,
            "committed_ms": self._committer.committed_ms,
        }

    def _states(self, copies: list[PartitionCopy]) -> dict[str, int]:
        states: Counter[str] = Counter(copy.state for copy in copies)
        if self._context.roster.unstarted:
            states["stalled"] += len(self._context.roster.unstarted)
        return dict(states)

    def _done_resets(self) -> list[str]:
        """Return resets whose new position is committed, so that no restart forgets them."""
        context = self._context
        done: list[str] = []
        for reset in context.spec.resets:
            copy = context.roster.copies.get(reset.upstream)
            committed = None if copy is None else copy.progress.committed
            if committed is not None and reset.id in committed.reset_ids:
                done.append(reset.id)
        return done

    def _state(self) -> str:
        if self._context.failure is not None:
            return "failed"
        return "stopping" if self._context.stopping else "running"

    def _topic_totals(self, copies: list[PartitionCopy]) -> dict[str, tuple[int, int, int]]:
        totals: dict[str, tuple[int, int, int]] = {}
        for copy in copies:
            records, size, wire = totals.get(copy.upstream.topic, (0, 0, 0))
            totals[copy.upstream.topic] = (
                records + copy.counters.records_total,
                size + copy.counters.bytes_total,
                wire + copy.counters.wire_bytes_total,
            )
        return totals

    def _rates(self) -> dict[str, tuple[float, float, float]]:
        (first_s, first), (last_s, last) = self._samples[0], self._samples[-1]
        elapsed_s = last_s - first_s
        if elapsed_s <= 0:
            return dict.fromkeys(last, (0.0, 0.0, 0.0))
        rates: dict[str, tuple[float, float, float]] = {}
        for topic, now in last.items():
            before = first.get(topic, (0, 0, 0))
            records, size, wire = (round(max(0, b - a) / elapsed_s, 3) for a, b in zip(before, now, strict=True))
            rates[topic] = (records, size, wire)
        return rates


def _sum_of_known(copies: list[PartitionCopy]) -> int | None:
    """Return the lag of all partitions, None as long as one of them is unknown."""
    lags = [copy.lag for copy in copies]
    known = [lag for lag in lags if lag is not None]
    return sum(known) if len(known) == len(lags) else None


def _worst(copies: list[PartitionCopy]) -> Cause | None:
    """Return the cause of the worst partition; what a person ordered is not one."""
    bad = [copy for copy in copies if copy.obstructions.state in BAD_STATES and copy.reason is not None]
    worst = min(bad, key=lambda copy: BAD_STATES.index(copy.state), default=None)
    return None if worst is None else worst.reason


def _busiest(copies: list[PartitionCopy], rates: dict[str, tuple[float, float, float]]) -> list[list[Any]]:
    by_topic: dict[str, list[PartitionCopy]] = defaultdict(list)
    for copy in copies:
        by_topic[copy.upstream.topic].append(copy)
    busiest = sorted(by_topic, key=lambda topic: (-rates[topic][0], topic))[:TOPICS_SHOWN]
    return [
        [topic, rates[topic][0], rates[topic][1], _sum_of_known(by_topic[topic]), len(by_topic[topic])]
        for topic in busiest
    ]
