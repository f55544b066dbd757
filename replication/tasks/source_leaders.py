"""Keeps leaders and topic ids current on both sides, and notices topics that vanished or were re-created."""

from collections.abc import Awaitable, Callable, Mapping

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.kafka_error import TOPIC_AUTHORIZATION_FAILED
from replication.domain.positions import NO_TOPIC_ID
from replication.ports.source_reader import TopicLeaders
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_gaps import SourceGaps

log = structlog.get_logger(__name__)

REFRESH_EVERY_S = 30.0
AFTER_TROUBLE_S = 0.2
WHILE_TROUBLED_S = 2.0
HURRY_WINDOW_S = 5.0


class SourceLeaders:
    """One coroutine per slot; others set `refresh_signal` when an answer shows stale metadata."""

    def __init__(
        self,
        context: SlotContext,
        gaps: SourceGaps,
        ready: Callable[[PartitionCopy], None],
        stalled: Callable[[PartitionCopy], None],
        start_others: Callable[[], Awaitable[None]],
    ) -> None:
        """`ready` is called for every partition that may be fetched or produced again, `stalled` for one that may not,
        `start_others` to try those again that had no start offset."""
        self._context = context
        self._gaps = gaps
        self._ready = ready
        self._stalled = stalled
        self._start_others = start_others
        self._looked_s = self._all_seen_s = float("-inf")
        self._hurry = 0

    async def run(self) -> None:
        context = self._context
        pause_s = REFRESH_EVERY_S
        while not context.stopping:
            if await context.refresh_signal.wait(pause_s):
                await context.pause(self._calm_s())
            if context.stopping:
                return
            try:
                await self.refresh()
                if context.unstarted:
                    await self._start_others()
            except ReplicationError as error:
                context.trouble("metadata", error)
                log.warning("leaders unknown", flow=str(context.spec.flow), error=str(error))
                pause_s = WHILE_TROUBLED_S
            else:
                context.settled("metadata")
                stalled = any(copy.special_state == "stalled" for copy in context.copies.values())
                troubled = stalled or bool(context.unstarted)
                pause_s = WHILE_TROUBLED_S if troubled else REFRESH_EVERY_S

    async def refresh(self) -> None:
        """One look at both clusters. Raises what the clusters raise."""
        now_s = self._context.loop.monotonic_s()
        alive = [copy for copy in self._context.copies.values() if not copy.is_dead]
        suspects = [copy for copy in alive if _is_suspect(copy)]
        is_due = not suspects or now_s - self._all_seen_s >= REFRESH_EVERY_S
        try:
            await self._look_at(alive if is_due else suspects)
        except ReplicationError:
            await self._note_ends(suspects)  # the source grows on while the target does not answer
            raise
        if is_due:
            self._all_seen_s = now_s
            await self._note_ends([copy for copy in self._context.copies.values() if not copy.fetching])
        else:
            await self._note_ends([copy for copy in suspects if _is_suspect(copy)])

    async def _look_at(self, copies: list[PartitionCopy]) -> None:
        """One partition in trouble must not make us ask about ten thousand every two seconds."""
        context = self._context
        upstream = sorted({copy.upstream.topic for copy in copies})
        remote = sorted({copy.planned.remote_topic for copy in copies})
        sources = await context.ports.reader.describe(upstream)
        targets = await context.ports.writer.describe(remote)
        for copy in copies:
            fine = await self._source_ok(copy, sources) and self._target_ok(copy, targets)
            if copy.is_dead or context.copies.get(copy.upstream) is not copy:
                continue  # stopped or gone while we asked
            if fine:
                copy.recover()
                self._ready(copy)
            else:
                self._stalled(copy)

    async def _note_ends(self, unfetched: list[PartitionCopy]) -> None:
        """Partitions that are not fetched fall behind all the same: their lag and what retention takes must say so."""
        wanted = {copy.upstream: copy for copy in unfetched}
        if wanted:
            reader = self._context.ports.reader
            for upstream, end in (await reader.offsets(dict.fromkeys(wanted, "latest"))).items():
                copy = wanted[upstream]
                if not copy.fetching or end > (copy.log_end or 0):  # what was fetched meanwhile may be newer
                    copy.log_end = end
            for upstream, start in (await reader.offsets(dict.fromkeys(wanted, "earliest"))).items():
                wanted[upstream].log_start = start

    def _calm_s(self) -> float:
        """Longer the sooner the signal comes again: a lasting error must not become a busy loop."""
        now_s = self._context.loop.monotonic_s()
        self._hurry = self._hurry + 1 if now_s - self._looked_s < HURRY_WINDOW_S else 0
        self._looked_s = now_s
        return min(WHILE_TROUBLED_S, AFTER_TROUBLE_S * float(2 ** min(self._hurry, 6)))

    async def _source_ok(self, copy: PartitionCopy, described: Mapping[str, TopicLeaders]) -> bool:
        topic = described.get(copy.upstream.topic)
        if topic is None or topic.error is not None:
            reason = topic.error if topic is not None else "not described"
            if reason == TOPIC_AUTHORIZATION_FAILED:
                text = f"reading source topic {copy.upstream.topic} is not allowed ({reason}); grant READ and DESCRIBE"
                self._stall(copy, "authorization_failed", text)
            else:
                self._stall(copy, "topic_missing", f"source topic {copy.upstream.topic} is not there ({reason})")
            return False
        leader = topic.leaders.get(copy.upstream.partition, -1)
        if leader < 0:
            self._stall(copy, "leader_not_available", f"source partition {copy.upstream} has no leader")
            return False
        if leader != copy.source_leader:
            copy.source_leader, copy.near_replica = leader, -1
        if NO_TOPIC_ID not in (topic.topic_id, copy.topic_id) and topic.topic_id != copy.topic_id:
            return await self._recreated(copy, topic.topic_id)
        return True

    async def _recreated(self, copy: PartitionCopy, topic_id: bytes) -> bool:
        offsets = await self._context.ports.reader.offsets({copy.upstream: "earliest"})
        log_start = offsets.get(copy.upstream)
        if log_start is None:
            self._stall(copy, "leader_not_available", f"source partition {copy.upstream} gives no offsets yet")
            return False
        self._gaps.recreated(copy, topic_id, log_start)
        return not copy.is_dead

    def _target_ok(self, copy: PartitionCopy, described: Mapping[str, TopicLeaders]) -> bool:
        topic = described.get(copy.planned.remote_topic)
        if topic is None or topic.error is not None:
            reason = topic.error if topic is not None else "not described"
            if reason == TOPIC_AUTHORIZATION_FAILED:
                text = f"writing to {copy.planned.remote_topic} is not allowed ({reason}); grant WRITE and DESCRIBE"
                self._stall(copy, "authorization_failed", text)
            else:
                text = f"remote topic {copy.planned.remote_topic} is not there ({reason}); the planner creates it again"
                self._stall(copy, "remote_topic_missing", text)
            return False
        leader = topic.leaders.get(copy.upstream.partition, -1)
        if leader < 0:
            self._stall(copy, "remote_leader_not_available", f"remote partition {copy.remote} has no leader")
            return False
        copy.target_leader = leader
        return True

    def _stall(self, copy: PartitionCopy, code: str, text: str) -> None:
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        cause = Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)
        copy.stop_for("stalled", cause)


def _is_suspect(copy: PartitionCopy) -> bool:
    """Its leaders may be others than we think."""
    unknown = copy.source_leader < 0 or copy.target_leader < 0
    return unknown or copy.special_state == "stalled" or copy.attempts > 0
