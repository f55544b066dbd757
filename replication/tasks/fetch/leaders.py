"""Keeps leaders and topic ids current on both sides, and notices topics that are gone or re-created."""

from collections.abc import Mapping

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.produce.target_trouble import LEADER, STORAGE
from replication.ports.fetch.metadata import TopicLeaders
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.target_logs import TargetLogs
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

REFRESH_EVERY_S = 30.0
AFTER_TROUBLE_S = 0.2
WHILE_TROUBLED_S = 2.0
HURRY_WINDOW_S = 5.0
NEAR_ENDS_EVERY_S = 5.0
CLIENT_RACK = "client.rack"
NEAR_REPLICA_S = 300.0  # as Java's consumer, which asks the leader again after `metadata.max.age.ms`


class Leaders:
    """One coroutine per slot; others set `refresh_signal` when an answer shows stale metadata."""

    def __init__(self, context: SlotContext, events: SlotEvents, gaps: GapHandler, target_logs: TargetLogs) -> None:
        self._context = context
        self._events = events
        self._gaps = gaps
        self._target_logs = target_logs
        self._refreshed_s = self._all_seen_s = float("-inf")
        self._hurry = 0
        self._near_since_s: dict[TopicPartition, float] = {}  # since when a follower is read

    async def run(self) -> None:
        context = self._context
        pause_s = self._pause_s()
        while not context.stopping:
            is_asked = await context.refresh_signal.wait(pause_s)
            if is_asked:
                await context.pause(self._calm_s())
            if context.stopping:
                return
            try:
                if not is_asked and pause_s == NEAR_ENDS_EVERY_S and not self._is_due():
                    await self._note_ends(self._near())
                    continue
                await self.refresh()
                if context.roster.unstarted:
                    await self._events.start_others()
            except ReplicationError as error:
                context.note_trouble("metadata", error)
                log.warning("leaders unknown", flow=str(context.spec.flow), error=str(error))
                pause_s = WHILE_TROUBLED_S
            else:
                context.clear_trouble("metadata")
                pause_s = self._pause_s()

    def _pause_s(self) -> float:
        roster = self._context.roster
        if roster.unstarted or any(copy.obstructions.special == "stalled" for copy in roster.copies.values()):
            return WHILE_TROUBLED_S
        return NEAR_ENDS_EVERY_S if self._context.spec.source.client.get(CLIENT_RACK) else REFRESH_EVERY_S

    def _is_due(self) -> bool:
        return self._context.ports.loop.monotonic_s() - self._all_seen_s >= REFRESH_EVERY_S

    def _near(self) -> list[PartitionCopy]:
        """Return the partitions that a follower serves: only their leaders know where their logs end."""
        return [copy for copy in self._context.roster.copies.values() if copy.cursor.near_replica >= 0]

    async def refresh(self) -> None:
        """Ask both clusters once. Raises what the clusters raise."""
        now_s = self._context.ports.loop.monotonic_s()
        alive = [copy for copy in self._context.roster.copies.values() if not copy.obstructions.is_dead]
        suspects = [copy for copy in alive if _is_suspect(copy)]
        is_due = not suspects or self._is_due()
        self._return_to_leaders(alive, now_s)
        try:
            await self._check(alive if is_due else suspects)
        except ReplicationError:
            await self._note_ends(suspects)  # the source keeps growing while the target does not answer
            raise
        if is_due:
            self._all_seen_s = now_s
            await self._note_ends([copy for copy in self._context.roster.copies.values() if _lacks_ends(copy)])
        else:
            await self._note_ends([copy for copy in suspects if _is_suspect(copy)])

    def _return_to_leaders(self, copies: list[PartitionCopy], now_s: float) -> None:
        """Read the leader again after a while: only it knows that the follower has fallen behind (KIP-392)."""
        before, self._near_since_s = self._near_since_s, {}
        for copy in copies:
            if copy.cursor.near_replica < 0:
                continue
            since_s = before.get(copy.upstream, now_s)
            if now_s - since_s < NEAR_REPLICA_S:
                self._near_since_s[copy.upstream] = since_s
            else:
                copy.cursor.read_from_replica(-1)
                self._events.ready(copy)

    async def _check(self, copies: list[PartitionCopy]) -> None:
        """Ask about these only: one partition in trouble must not cost a question about ten thousand others."""
        context = self._context
        upstream = sorted({copy.upstream.topic for copy in copies})
        remote = sorted({copy.planned.remote_topic for copy in copies})
        sources = await context.ports.source.describe(upstream)
        targets = await context.ports.target.describe(remote)
        led = [
            copy for copy in copies if await self._source_is_fine(copy, sources) and self._target_is_fine(copy, targets)
        ]
        fine = set(await self._target_logs.compare(led, targets))
        for copy in copies:
            if copy.obstructions.is_dead or context.roster.copies.get(copy.upstream) is not copy:
                continue  # stopped or gone while we asked
            if copy in fine:
                copy.obstructions.recover()
                self._events.ready(copy)
            else:
                self._events.stop_reading(copy)

    async def _note_ends(self, unfetched: list[PartitionCopy]) -> None:
        """Note the ends of partitions that are not fetched: they fall behind, and retention deletes records."""
        wanted = {copy.upstream: copy for copy in unfetched}
        if wanted:
            source = self._context.ports.source
            try:
                ends = await source.offsets(dict.fromkeys(wanted, "latest"))
            except ReplicationError:
                for copy in unfetched:
                    copy.cursor.lose_end()
                raise
            for upstream, end in ends.items():
                wanted[upstream].cursor.note_listed_end(end)
            for upstream, start in (await source.offsets(dict.fromkeys(wanted, "earliest"))).items():
                wanted[upstream].cursor.note_listed_start(start)

    def _calm_s(self) -> float:
        """Return a pause, longer the sooner the signal comes again: a lasting error must not become a busy loop."""
        now_s = self._context.ports.loop.monotonic_s()
        self._hurry = self._hurry + 1 if now_s - self._refreshed_s < HURRY_WINDOW_S else 0
        self._refreshed_s = now_s
        return min(WHILE_TROUBLED_S, AFTER_TROUBLE_S * float(2 ** min(self._hurry, 6)))

    async def _source_is_fine(self, copy: PartitionCopy, described: Mapping[str, TopicLeaders]) -> bool:
        topic = described.get(copy.upstream.topic)
        if topic is None or topic.error is not None:
            reason = topic.error if topic is not None else "not described"
            if reason == KafkaErrorCode.TOPIC_AUTHORIZATION_FAILED.name:
                text = f"reading source topic {copy.upstream.topic} is not allowed ({reason}); grant READ and DESCRIBE"
                self._stall(copy, "authorization_failed", text)
            else:
                self._stall(copy, "topic_missing", f"source topic {copy.upstream.topic} is not there ({reason})")
            return False
        leader = topic.leaders.get(copy.upstream.partition, -1)
        if leader < 0:
            text = f"source partition {copy.upstream} has no leader"
            if (broker := topic.disks_lost.get(copy.upstream.partition)) is not None:
                text += f": {_disk_lost(broker)}; is its disk full or broken?"
            self._stall(copy, "leader_not_available", text)
            return False
        copy.cursor.set_leader(leader)
        topic_id = copy.cursor.topic_id
        if NO_TOPIC_ID not in (topic.topic_id, topic_id) and topic.topic_id != topic_id:
            return await self._move_to_recreated(copy, topic.topic_id)
        return True

    async def _move_to_recreated(self, copy: PartitionCopy, topic_id: bytes) -> bool:
        offsets = await self._context.ports.source.offsets({copy.upstream: "earliest"})
        log_start = offsets.get(copy.upstream)
        if log_start is None:
            self._stall(copy, "leader_not_available", f"source partition {copy.upstream} gives no offsets yet")
            return False
        self._gaps.note_recreated(copy, topic_id, log_start)
        return not copy.obstructions.is_dead

    def _target_is_fine(self, copy: PartitionCopy, described: Mapping[str, TopicLeaders]) -> bool:
        topic = described.get(copy.planned.remote_topic)
        if topic is None or topic.error is not None:
            reason = topic.error if topic is not None else "not described"
            if reason == KafkaErrorCode.TOPIC_AUTHORIZATION_FAILED.name:
                text = f"writing to {copy.planned.remote_topic} is not allowed ({reason}); grant WRITE and DESCRIBE"
                self._stall(copy, "authorization_failed", text)
            else:
                text = f"remote topic {copy.planned.remote_topic} is not there ({reason}); the planner creates it again"
                self._stall(copy, "remote_topic_missing", text)
            return False
        leader = topic.leaders.get(copy.upstream.partition, -1)
        if leader < 0:
            self._stall_without_leader(copy, topic.disks_lost.get(copy.upstream.partition))
            return False
        if leader != copy.queue.leader:
            copy.progress.compare_again()  # an election may have cost the end of the log
        copy.queue.set_leader(leader)
        return True

    def _stall_without_leader(self, copy: PartitionCopy, broker: int | None) -> None:
        """The remote partition has no leader, because the disk of this broker is lost, or for an unknown reason."""
        if broker is None:
            self._stall(copy, LEADER.code, f"remote partition {copy.remote} has no leader")
        else:
            self._stall(copy, STORAGE.code, f"remote partition {copy.remote} {STORAGE.text} ({_disk_lost(broker)})")

    def _stall(self, copy: PartitionCopy, code: str, text: str) -> None:
        copy.obstructions.stop_for("stalled", copy.cause(code, text, self._context.ports.loop.now_ms()))


def _disk_lost(broker: int) -> str:
    return f"a log directory of broker {broker} is offline"


def _lacks_ends(copy: PartitionCopy) -> bool:
    """True when no answer of its leader says where the log ends."""
    return not copy.cursor.is_fetching or copy.cursor.near_replica >= 0


def _is_suspect(copy: PartitionCopy) -> bool:
    """True when its leaders may have changed."""
    unknown = copy.cursor.source_leader < 0 or copy.queue.leader < 0
    return unknown or copy.obstructions.special == "stalled" or copy.retries.attempts > 0
