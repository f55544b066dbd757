"""Measures a running slot: round trips, what holds it back, and whether retention is catching up with it."""

from collections import deque

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.flow_status import RETENTION_NEAR
from replication.domain.headroom import SAMPLE_EVERY_MS, LogHistory, LogSample, Outlook
from replication.domain.identifiers import TopicPartition
from replication.domain.limits import TARGET_ACKS, SlotMeasures, limit_of
from replication.domain.tuning import tune
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

IDLE_EVERY_S = 1.0
BUSY_EVERY_S = 0.2
MEMORY_S = 5.0  # of the shares: about so far back do they look
PROBE_EVERY_S = 30.0
FIRST_PROBES_EVERY_S = 1.0
PROBES_KEPT = 5
PROBES_TO_BELIEVE = 3  # one alone may have met a broker that was collecting its garbage


class SourceGauge:
    """One coroutine per slot; its findings are in the context: `tuning`, `limit`, `outlook`, `warning` and more."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._shares = dict.fromkeys(("lagging", "blocked", "throttled", "quota", "memory_full", "target_full"), 0.0)
        self._loop_busy = 0.0
        self._without_memory_s = 0.0
        self._last_s = context.loop.monotonic_s()
        self._last_cpu_s = context.loop.cpu_s()
        self._next_probe_s = 0.0
        self._next_sample_ms = 0
        self._source_ms: deque[float] = deque(maxlen=PROBES_KEPT)
        self._target_ms: deque[float] = deque(maxlen=PROBES_KEPT)
        self._histories: dict[TopicPartition, LogHistory] = {}

    async def run(self) -> None:
        context = self._context
        while not context.stopping:
            if context.loop.monotonic_s() >= self._next_probe_s:
                await self._probe()
            self._measure()
            now_ms = context.loop.now_ms()
            if now_ms >= self._next_sample_ms:
                self._next_sample_ms = now_ms + SAMPLE_EVERY_MS
                self._look_ahead(now_ms)
            await context.loop.sleep(IDLE_EVERY_S if context.lag == 0 else BUSY_EVERY_S)

    async def _probe(self) -> None:
        """The smallest of the last round trips counts: a busy moment must not look like a long link."""
        ports, loop = self._context.ports, self._context.loop
        is_settled = len(self._target_ms) >= PROBES_KEPT
        self._next_probe_s = loop.monotonic_s() + (PROBE_EVERY_S if is_settled else FIRST_PROBES_EVERY_S)
        try:
            self._source_ms.append(await ports.reader.round_trip_ms())
            self._target_ms.append(await ports.history.round_trip_ms())
        except ReplicationError:
            return  # the parts that need the cluster tell about it
        context = self._context
        source_ms, target_ms = min(self._source_ms), min(self._target_ms)
        if len(self._target_ms) >= PROBES_TO_BELIEVE:
            context.round_trip_ms = target_ms
        waits = context.limit is not None and context.limit.code == TARGET_ACKS
        context.tuning = tune(source_ms, target_ms, connections=context.connections, waits=waits)
        if is_settled and context.tuning.connections > context.connections:
            await self._widen()

    async def _widen(self) -> None:
        context = self._context
        try:
            context.connections = await context.ports.writer.widen(context.tuning.connections)
        except ReplicationError:
            return  # at the next probe
        log.info("more connections", flow=str(context.spec.flow), slot=context.spec.slot, each=context.connections)

    def _measure(self) -> None:
        context, loop = self._context, self._context.loop
        now_s, cpu_s = loop.monotonic_s(), loop.cpu_s()
        elapsed_s = max(1e-6, now_s - self._last_s)
        weight = min(1.0, elapsed_s / MEMORY_S)
        self._loop_busy += weight * (min(1.0, (cpu_s - self._last_cpu_s) / elapsed_s) - self._loop_busy)
        waited_s = context.without_memory_s - self._without_memory_s
        self._last_s, self._last_cpu_s, self._without_memory_s = now_s, cpu_s, context.without_memory_s
        code = context.pace.cause.code if context.pace.cause is not None else None
        behind = [copy for copy in context.copies.values() if copy.lag] if context.lag else []
        moving = [copy for copy in behind if not copy.is_obstructed]
        is_lagging = bool(moving)
        seen = {
            "lagging": is_lagging,
            "blocked": bool(behind) and not is_lagging,
            "throttled": is_lagging and code == "throttle",
            "quota": is_lagging and code == "quota",
            "memory_full": is_lagging and waited_s > elapsed_s / 2,
            "target_full": any(copy.queue for copy in moving),
        }
        for name, value in seen.items():
            self._shares[name] += weight * (float(value) - self._shares[name])
        context.limit = limit_of(
            SlotMeasures(
                **self._shares,
                loop_busy=self._loop_busy,
                source_round_trip_ms=min(self._source_ms, default=None),
                target_round_trip_ms=min(self._target_ms, default=None),
            )
        )

    def _look_ahead(self, now_ms: int) -> None:
        """The slot's outlook is that of its worst partitions."""
        context = self._context
        behind = [copy for copy in context.copies.values() if copy.lag and copy.has_position]
        self._histories = {copy.upstream: self._histories.get(copy.upstream) or LogHistory() for copy in behind}
        ahead = [(self._outlook_of(copy, now_ms), copy) for copy in behind]
        levels = [outlook.catch_up_ms for outlook, _copy in ahead]
        known = [level for level in levels if level is not None]
        losses = [
            (outlook.time_to_loss_ms, outlook.is_at_risk, copy)
            for outlook, copy in ahead
            if outlook.time_to_loss_ms is not None
        ]
        context.outlook = Outlook(
            catch_up_ms=max(known, default=0) if len(known) == len(levels) else None,
            time_to_loss_ms=min((loss_ms for loss_ms, _risk, _copy in losses), default=None),
        )
        risks = sorted((loss_ms, copy.upstream) for loss_ms, is_at_risk, copy in losses if is_at_risk)
        context.warning = self._risk(risks[0][1], risks[0][0], now_ms) if risks else None

    def _outlook_of(self, copy: PartitionCopy, now_ms: int) -> Outlook:
        history = self._histories[copy.upstream]
        if copy.log_start is not None and copy.log_end is not None:
            history.add(LogSample(now_ms, copy.done_next, copy.log_start, copy.log_end))
        return history.outlook()

    def _risk(self, upstream: TopicPartition, loss_ms: int, now_ms: int) -> Cause:
        known = self._context.warning
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


def _duration(ms: int) -> str:
    minutes = ms // 60_000
    if minutes < 2:
        return f"{ms // 1000} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
