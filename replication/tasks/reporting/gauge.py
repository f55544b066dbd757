"""Measures a running slot: round trips, what holds it back, and whether retention is catching up with it."""

from collections import deque

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.fetch.tuning import Tuning, tune
from replication.domain.health.catch_up import SAMPLE_EVERY_MS, CatchUpEstimate, LogHistory, LogSample
from replication.domain.health.flow_facts import RETENTION_NEAR
from replication.domain.health.limit import TARGET_ACKS, Limit, SlotMeasures, limit_of
from replication.domain.identifiers import TopicPartition
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

IDLE_EVERY_S = 1.0
BUSY_EVERY_S = 0.2
MEMORY_S = 5.0  # the time that the shares cover
PROBE_EVERY_S = 30.0
FIRST_PROBES_EVERY_S = 1.0
PROBES_KEPT = 5
PROBES_TO_BELIEVE = 3  # one alone may have met a broker that was collecting its garbage


class SlotGauge:
    """One coroutine per slot; the slot's other parts read its findings."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self.tuning = Tuning()
        self.connections = 1  # to each target broker, as many as are open
        self.round_trip_ms = 0.0  # to the target, the shortest of late; 0 until it is known well
        self.limit: Limit | None = None
        self.estimate = CatchUpEstimate(None, None)
        self.warning: Cause | None = None  # something that will go wrong
        self._lag: int | None = None  # as the last live document says
        self._shares = dict.fromkeys(("lagging", "blocked", "throttled", "quota", "memory_full", "target_full"), 0.0)
        self._loop_busy = 0.0
        self._memory_wait_s = 0.0
        self._last_s = context.ports.loop.monotonic_s()
        self._last_cpu_s = context.ports.loop.cpu_s()
        self._next_probe_s = 0.0
        self._next_sample_s = 0.0
        self._source_ms: deque[float] = deque(maxlen=PROBES_KEPT)
        self._target_ms: deque[float] = deque(maxlen=PROBES_KEPT)
        self._histories: dict[TopicPartition, LogHistory] = {}

    def note_memory_wait(self, seconds: float) -> None:
        """A fetch waited so long for memory."""
        self._memory_wait_s += seconds

    def note_lag(self, lag: int | None) -> None:
        """The lag of all partitions, None as long as one of them is unknown."""
        self._lag = lag

    async def run(self) -> None:
        context = self._context
        while not context.stopping:
            if context.ports.loop.monotonic_s() >= self._next_probe_s:
                await self._probe()
            self._measure()
            now_s = context.ports.loop.monotonic_s()
            if now_s >= self._next_sample_s:
                self._next_sample_s = now_s + SAMPLE_EVERY_MS / 1000
                self._update_estimate(context.ports.loop.now_ms())
            await context.ports.loop.sleep(IDLE_EVERY_S if self._lag == 0 else BUSY_EVERY_S)

    async def _probe(self) -> None:
        """Measure the round trips; the smallest of late counts: a busy moment must not pass for a long link."""
        ports, loop = self._context.ports, self._context.ports.loop
        is_settled = len(self._target_ms) >= PROBES_KEPT
        self._next_probe_s = loop.monotonic_s() + (PROBE_EVERY_S if is_settled else FIRST_PROBES_EVERY_S)
        try:
            self._source_ms.append(await ports.source.round_trip_ms())
            self._target_ms.append(await ports.target.round_trip_ms())
        except ReplicationError:
            return  # the parts that need the cluster report it
        source_ms, target_ms = min(self._source_ms), min(self._target_ms)
        if len(self._target_ms) >= PROBES_TO_BELIEVE:
            self.round_trip_ms = target_ms
        waits = self.limit is not None and self.limit.code == TARGET_ACKS
        self.tuning = tune(source_ms, target_ms, connections=self.connections, waits=waits)
        if is_settled and self.tuning.connections > self.connections:
            await self._widen()

    async def _widen(self) -> None:
        context = self._context
        try:
            self.connections = await context.ports.producer.widen(self.tuning.connections)
        except ReplicationError:
            return  # at the next probe
        log.info("more connections", flow=str(context.spec.flow), slot=context.spec.slot, each=self.connections)

    def _measure(self) -> None:
        context, loop = self._context, self._context.ports.loop
        now_s, cpu_s = loop.monotonic_s(), loop.cpu_s()
        elapsed_s = max(1e-6, now_s - self._last_s)
        weight = min(1.0, elapsed_s / MEMORY_S)
        self._loop_busy += weight * (min(1.0, (cpu_s - self._last_cpu_s) / elapsed_s) - self._loop_busy)
        waited_s, self._memory_wait_s = self._memory_wait_s, 0.0
        self._last_s, self._last_cpu_s = now_s, cpu_s
        behind = [] if self._lag == 0 else [copy for copy in context.roster.copies.values() if _may_lag(copy)]
        moving = [copy for copy in behind if copy.obstructions.state is None]
        is_lagging = bool(moving)
        codes = {copy.slowed_by.code if copy.slowed_by is not None else None for copy in moving}
        seen = {
            "lagging": is_lagging,
            "blocked": bool(behind) and not is_lagging,
            "throttled": codes == {"throttle"},
            "quota": "quota" in codes,
            "memory_full": is_lagging and waited_s > elapsed_s / 2,
            "target_full": any(copy.queue.waiting for copy in moving),
        }
        for name, value in seen.items():
            self._shares[name] += weight * (float(value) - self._shares[name])
        self.limit = limit_of(
            SlotMeasures(
                **self._shares,
                loop_busy=self._loop_busy,
                source_round_trip_ms=min(self._source_ms, default=None),
                target_round_trip_ms=min(self._target_ms, default=None),
            )
        )

    def _update_estimate(self, now_ms: int) -> None:
        """Derive the slot's catch-up estimate from its worst partitions."""
        context = self._context
        behind = [copy for copy in context.roster.copies.values() if copy.least_lag and copy.progress.is_known]
        self._histories = {copy.upstream: self._histories.get(copy.upstream) or LogHistory() for copy in behind}
        ahead = [(self._estimate_of(copy, now_ms), copy) for copy in behind]
        levels = [estimate.catch_up_ms for estimate, _copy in ahead]
        known = [level for level in levels if level is not None]
        losses = [
            (estimate.time_to_loss_ms, estimate.is_at_risk, copy)
            for estimate, copy in ahead
            if estimate.time_to_loss_ms is not None
        ]
        self.estimate = CatchUpEstimate(
            catch_up_ms=max(known, default=0) if len(known) == len(levels) else None,
            time_to_loss_ms=min((loss_ms for loss_ms, _risk, _copy in losses), default=None),
        )
        risks = sorted((loss_ms, copy.upstream) for loss_ms, is_at_risk, copy in losses if is_at_risk)
        self.warning = self._risk(risks[0][1], risks[0][0], now_ms) if risks else None

    def _estimate_of(self, copy: PartitionCopy, now_ms: int) -> CatchUpEstimate:
        history = self._histories[copy.upstream]
        cursor = copy.cursor
        if cursor.log_start is not None and cursor.log_end is not None:
            history.add(LogSample(now_ms, copy.progress.next_offset, cursor.log_start, cursor.log_end))
        return history.estimate()

    def _risk(self, upstream: TopicPartition, loss_ms: int, now_ms: int) -> Cause:
        known = self.warning
        return Cause(
            code=RETENTION_NEAR,
            text=(
                f"retention overtakes {upstream} in about {_duration(loss_ms)}: its oldest records are deleted at the "
                f"source faster than they are copied; raise retention.ms of {upstream.topic} or copy faster"
            ),
            topic=upstream.topic,
            partition=upstream.partition,
            since_ms=now_ms if known is None else known.since_ms,
        )


def _may_lag(copy: PartitionCopy) -> bool:
    """True when something is left to copy, or may be while the source does not say where it ends."""
    return bool(copy.least_lag) or (copy.least_lag is not None and copy.lag is None)


def _duration(ms: int) -> str:
    minutes = ms // 60_000
    if minutes < 2:
        return f"{ms // 1000} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
