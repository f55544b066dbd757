"""The live state of a source task (docs/contracts.md section 4), made on the loop each second, read by any thread."""

from collections import Counter, defaultdict, deque
from dataclasses import asdict
from typing import Any

from replication.domain.errors import Cause
from replication.domain.histogram import Histogram
from replication.domain.partition_state import PartitionState
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_metrics import SourceMetrics

EVERY_S = 1.0
RATE_SECONDS = 5
TOPICS_SHOWN = 200
_BAD_STATES: tuple[PartitionState, ...] = ("failed", "gap", "stalled")

_Totals = tuple[float, dict[str, tuple[int, int, int]]]  # time and, by topic, records, bytes, wire bytes


class SourceLive:
    """Rates over the last seconds, lag, latency and states."""

    def __init__(self, context: SlotContext, metrics: SourceMetrics) -> None:
        self._context = context
        self._metrics = metrics
        self._samples: deque[_Totals] = deque(maxlen=RATE_SECONDS + 1)
        self.document: dict[str, Any] = {"state": "starting", "cause": None}

    async def run(self) -> None:
        while not self._context.stopping:
            self.refresh()
            await self._context.loop.sleep(EVERY_S)
            self._metrics.recent_latency.append(Histogram())

    def refresh(self) -> None:
        """Make the document anew; replaced as a whole, so that readers need no lock."""
        context = self._context
        copies = list(context.copies.values())
        topics = self._topic_totals(copies)
        self._samples.append((context.loop.monotonic_s(), topics))
        rates = self._rates()
        latency = Histogram()
        for second in self._metrics.recent_latency:
            latency.merge(second)
        totals = [sum(column) for column in zip(*topics.values(), strict=True)] or [0, 0, 0]
        context.lag = None if context.unstarted else _sum_of_known(copies)
        cause = context.cause or _worst(copies) or context.warning
        self.document = {
            "state": self._state(),
            "cause": asdict(cause) if cause is not None else None,
            "plan_version": context.spec.plan_version,
            "topics": len(topics),
            "partitions": len(copies) + len(context.unstarted),
            "states": self._states(copies),
            "records_per_second": sum(rate[0] for rate in rates.values()),
            "bytes_per_second": sum(rate[1] for rate in rates.values()),
            "wire_bytes_per_second": sum(rate[2] for rate in rates.values()),
            "lag_offsets": context.lag,
            "catch_up_ms": context.outlook.catch_up_ms,
            "time_to_loss_ms": context.outlook.time_to_loss_ms,
            "limit": asdict(context.limit) if context.limit is not None else None,
            "done_resets": self._done_resets(),
            "records_total": totals[0],
            "bytes_total": totals[1],
            "latency": latency.to_list(),
            "open_gaps": sum(1 for copy in copies if copy.special_state == "gap"),
            "gaps_total": context.gaps_total,
            "looped_total": sum(copy.looped_total for copy in copies),
            "filtered_total": sum(copy.filtered_total for copy in copies),
            "resent_total": sum(copy.resent_total for copy in copies),
            "refused_total": context.refused_total,
            "refused": [asdict(refused) for refused in context.refused],
            "transactions_aborted": context.transactions_aborted,
            "committed_ms": context.committed_ms,
            "topic_rates": _busiest(copies, rates),
        }

    def _states(self, copies: list[PartitionCopy]) -> dict[str, int]:
        states: Counter[str] = Counter(copy.state for copy in copies)
        if self._context.unstarted:
            states["stalled"] += len(self._context.unstarted)
        return dict(states)

    def _done_resets(self) -> list[str]:
        """Those whose new position is committed, so that no restart forgets them."""
        context = self._context
        done: list[str] = []
        for reset in context.spec.resets:
            copy = context.copies.get(reset.upstream)
            if copy is not None and copy.committed is not None and reset.id in copy.committed.reset_ids:
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
                records + copy.records_total,
                size + copy.bytes_total,
                wire + copy.wire_bytes_total,
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
    """The lag of all partitions, None as long as one of them is unknown."""
    lags = [copy.lag for copy in copies]
    known = [lag for lag in lags if lag is not None]
    return sum(known) if len(known) == len(lags) else None


def _worst(copies: list[PartitionCopy]) -> Cause | None:
    """What the worst partition suffers from; nobody suffers from what a person ordered."""
    obstructed = [copy for copy in copies if copy.is_obstructed]
    bad = [copy for copy in obstructed if copy.state in _BAD_STATES and copy.reason is not None]
    worst = min(bad, key=lambda copy: _BAD_STATES.index(copy.state), default=None)
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
