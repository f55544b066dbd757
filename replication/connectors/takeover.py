"""Takes a flow over from a stopped MirrorMaker 2 (or original replication manager), and hands it back.

Both programs keep positions, offset syncs and checkpoints in the same topics and formats. This module checks that the
other program has stopped, advances positions to the records that the target holds, and leaves no slot and no open
transaction in the way of MirrorMaker, which reads positions uncommitted.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from replication.codecs.connect_offsets import SourceOffsetKey, decode_position, decode_source_key, encode_position
from replication.codecs.connect_offsets import encode_source_key as encode_key
from replication.codecs.mm2_records import Checkpoint, OffsetSync, decode_checkpoint, decode_offset_sync
from replication.codecs.mm2_records import encode_offset_sync as encode_sync
from replication.connectors.slot_fencing import fence_slots
from replication.domain.errors import MalformedRecordError, OriginalDriverActiveError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.internal_topics import CHECKPOINTS, POSITIONS, RAW_METRICS, offset_syncs_topic
from replication.domain.names.replication_policy import ReplicationPolicy
from replication.domain.plan.takeover import AdoptedPartition, PartitionEvidence, adopt, candidate
from replication.ports.admin import ClusterAdmin
from replication.ports.produce.slot_fence import SlotFence
from replication.ports.producer import RecordProducer
from replication.ports.record_log import LogRecord, RecordLog

QUIET_S = 2.0
OURS_SPEAK_EVERY_MS = 5_000
OURS_SILENT_MS = 4 * OURS_SPEAK_EVERY_MS
_DOWNSTREAM_NEXT = "srm.downstream_next"
_GENERATION = "srm.generation"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeoverRequest:
    """The flow to take over, and its naming settings."""

    flow: FlowId
    policy: ReplicationPolicy
    separator: str = DEFAULT_SEPARATOR
    syncs_on_target: bool = False
    tasks_max: int = 1  # the most slots it may have had, by its current settings

    @property
    def syncs_topic(self) -> str:
        return offset_syncs_topic(self.flow, separator=self.separator, on_target=self.syncs_on_target)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPorts:
    """The ports of one cluster."""

    admin: ClusterAdmin
    log: RecordLog
    producer: RecordProducer


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingFlow:
    """The positions and checkpoints that a flow left behind."""

    partitions: tuple[AdoptedPartition, ...]
    checkpoints: tuple[Checkpoint, ...]
    missing_topics: tuple[str, ...]  # positions of topics that the source does not have any more


@dataclass(frozen=True, slots=True, kw_only=True)
class HandbackResult:
    """The numbers of positions and offset syncs written for MirrorMaker, and of fenced slots."""

    positions: int
    syncs: int
    slots: int


class Takeover:
    """The takeover of one flow. Blocking; raises the errors of the ports."""

    def __init__(
        self,
        order: TakeoverRequest,
        source: ClusterPorts,
        target: ClusterPorts,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._order = order
        self._source = source
        self._target = target
        self._sleep = sleep

    def require_stopped(self) -> None:
        """Raise OriginalDriverActiveError while MirrorMaker has group members or the topics it writes still grow.

        Other producers may write to remote topics that keep their names. For these, the check reads the flow's
        positions and offset syncs, which only its drivers write.
        """
        flow = self._order.flow
        group = f"{flow.source}-mm2"
        members = self._target.admin.group_members(group)
        if members:
            raise OriginalDriverActiveError(
                f"{flow}: MirrorMaker still runs: the group {group} on cluster {flow.target} has {members} member(s); "
                "stop it first",
                cluster=flow.target,
            )
        before = self._ends_of_copying()
        self._sleep(QUIET_S)
        now = self._ends_of_copying()
        grown = [where for where, end in now.items() if end > before.get(where, 0)]
        if grown:
            named = ", ".join(f"{partition} on cluster {alias}" for alias, partition in sorted(grown)[:3])
            raise OriginalDriverActiveError(
                f"{flow}: another program still writes to {named}; stop every program that copies this flow first",
                cluster=flow.target,
            )

    def inspect(self) -> ExistingFlow:
        """Read positions, the newest syncs and checkpoints; changes nothing."""
        stored = self._stored()
        existing = self._source.admin.list_topics()
        present = [partition for partition in stored if partition.partition < existing.get(partition.topic, 0)]
        starts = self._source.admin.list_offsets(present, "earliest")
        ends = self._source.admin.list_offsets(present, "latest")
        syncs = self._syncs()
        adopted = [
            self._adopted(
                PartitionEvidence(
                    upstream=partition,
                    stored=stored[partition],
                    log_start=starts[partition],
                    log_end=ends[partition],
                    last_remote=None,
                    sync=syncs.get(partition),
                )
            )
            for partition in sorted(present)
            if partition in starts and partition in ends
        ]
        gone = {partition.topic for partition in stored if partition not in set(present)}
        return ExistingFlow(
            partitions=tuple(adopted), checkpoints=self._checkpoints(), missing_topics=tuple(sorted(gone))
        )

    def write_refined(self, found: ExistingFlow) -> int:
        """Write the positions that are ahead of the stored ones; returns their number."""
        refined = [partition for partition in found.partitions if partition.differs_from_stored]
        topic = POSITIONS.name(self._order.flow.source)
        for partition in refined:
            key = encode_key(SourceOffsetKey(cluster=self._order.flow.source, upstream=partition.upstream))
            value = encode_position(partition.next_offset or 0)
            self._target.producer.send(topic, key=key, value=value)
        self._target.producer.flush()
        return len(refined)

    def require_drivers_stopped(self, now_ms: int) -> None:
        """Raise OriginalDriverActiveError while a driver of this product has written raw metrics recently.

        This does not detect a frozen or disconnected driver: `hand_back` fences its slots.
        """
        flow = self._order.flow
        topic = RAW_METRICS.name(flow.source)
        count = self._target.admin.list_topics().get(topic, 0)
        newest = [self._target.log.newest(topic, partition) for partition in range(count)]
        last_ms = max((record.timestamp_ms for record in newest if record is not None), default=0)
        silent_ms = now_ms - last_ms
        if silent_ms < OURS_SILENT_MS:
            raise OriginalDriverActiveError(
                f"{flow}: drivers wrote metrics {silent_ms / 1000:.0f} s ago; stop them (`srm stop`, or "
                f"disable the flow) and retry after {OURS_SILENT_MS // 1000} s",
                cluster=flow.target,
            )

    def hand_back(self, fence: SlotFence) -> HandbackResult:
        """Fence the slots, then write positions outside transactions and a sync for each last copied record."""
        order = self._order
        slots = fence_slots(
            order.flow,
            self._target.log,
            fence,
            self._written_by_slots(),
            least=max(1, order.tasks_max),
            generations=self._generations(),
        )
        topic = POSITIONS.name(order.flow.source)
        newest: dict[bytes, LogRecord] = {}
        for record in self._target.log.read_to_end(topic, isolation="read_committed"):
            if record.key is not None:
                newest[record.key] = record
        holder = self._target if order.syncs_on_target else self._source
        positions = syncs = 0
        for record in newest.values():
            upstream, position = _position_of(record, order.flow.source)
            if upstream is None:
                continue
            headers = [(name, value) for name, value in record.headers if value is not None]
            self._target.producer.send(topic, key=record.key, value=record.value, headers=headers)
            positions += 1
            downstream = dict(record.headers).get(_DOWNSTREAM_NEXT)
            if position and downstream:
                last = OffsetSync(
                    upstream=upstream,
                    upstream_offset=position - 1,
                    downstream_offset=int.from_bytes(downstream, "big", signed=True) - 1,
                )
                key, value = encode_sync(last)
                holder.producer.send(order.syncs_topic, key=key, value=value, partition=0)
                syncs += 1
        self._target.producer.flush()
        holder.producer.flush()
        return HandbackResult(positions=positions, syncs=syncs, slots=slots)

    def _generations(self) -> set[int]:
        """The generations that positions name; those of other programs name none."""
        records = self._target.log.read_to_end(POSITIONS.name(self._order.flow.source))
        headers = (dict(record.headers).get(_GENERATION) for record in records)
        return {int.from_bytes(value, "big", signed=True) for value in headers if value}

    def _written_by_slots(self) -> list[TopicPartition]:
        """The remote partitions of topics with a position, and those of the positions topic."""
        order = self._order
        upstream = {partition.topic for partition in self._stored()}
        remote = {order.policy.format_remote_topic(order.flow.source, name) for name in upstream}
        return _partitions(self._target.admin, {POSITIONS.name(order.flow.source), *remote})

    def _ends_of_copying(self) -> Mapping[tuple[str, TopicPartition], int]:
        """End offsets by cluster: of remote topics that only this flow writes, of its positions and offset syncs."""
        order = self._order
        upstream = {partition.topic for partition in self._stored()}
        remote = {name: order.policy.format_remote_topic(order.flow.source, name) for name in upstream}
        renamed = {copy for name, copy in remote.items() if copy != name}
        syncs_holder = self._target if order.syncs_on_target else self._source
        wanted = ((self._target, {POSITIONS.name(order.flow.source), *renamed}), (syncs_holder, {order.syncs_topic}))
        return {
            (side.admin.alias, partition): end
            for side, names in wanted
            for partition, end in _ends(side.admin, names).items()
        }

    def _stored(self) -> dict[TopicPartition, int | None]:
        found: dict[TopicPartition, int | None] = {}
        for record in self._target.log.read_to_end(POSITIONS.name(self._order.flow.source)):
            upstream, position = _position_of(record, self._order.flow.source)
            if upstream is not None:
                found[upstream] = position
        return found

    def _syncs(self) -> dict[TopicPartition, tuple[int, int]]:
        holder = self._target if self._order.syncs_on_target else self._source
        found: dict[TopicPartition, tuple[int, int]] = {}
        for record in holder.log.read_to_end(self._order.syncs_topic):
            try:
                sync = decode_offset_sync(record.key, record.value)
            except MalformedRecordError:
                continue
            found[sync.upstream] = (sync.upstream_offset, sync.downstream_offset)
        return found

    def _checkpoints(self) -> tuple[Checkpoint, ...]:
        newest: dict[tuple[str, TopicPartition], Checkpoint] = {}
        topic = CHECKPOINTS.name(self._order.flow.source, self._order.separator)
        for record in self._target.log.read_to_end(topic):
            try:
                checkpoint = decode_checkpoint(record.key, record.value)
            except MalformedRecordError:
                continue
            newest[(checkpoint.group, checkpoint.remote)] = checkpoint
        return tuple(newest[key] for key in sorted(newest))

    def _adopted(self, evidence: PartitionEvidence) -> AdoptedPartition:
        upstream = evidence.upstream
        remote = self._order.policy.format_remote_topic(self._order.flow.source, upstream.topic)
        last = self._target.log.newest(remote, upstream.partition)
        if last is None:
            return adopt(evidence, proved_last=None)
        known = PartitionEvidence(
            upstream=upstream,
            stored=evidence.stored,
            log_start=evidence.log_start,
            log_end=evidence.log_end,
            last_remote=last.offset,
            sync=evidence.sync,
        )
        suspected = candidate(known)
        if suspected is None:
            return adopt(known, proved_last=None)
        copied = self._source.log.at(upstream.topic, upstream.partition, suspected)
        is_same = copied is not None and _content(copied) == _content(last)
        return adopt(known, proved_last=suspected if is_same else None)


def _ends(admin: ClusterAdmin, names: Collection[str]) -> Mapping[TopicPartition, int]:
    return admin.list_offsets(_partitions(admin, names), "latest")


def _partitions(admin: ClusterAdmin, names: Collection[str]) -> list[TopicPartition]:
    topics = admin.list_topics()
    return [TopicPartition(name, number) for name in names for number in range(topics.get(name, 0))]


def _position_of(record: LogRecord, source: str) -> tuple[TopicPartition | None, int | None]:
    try:
        key = decode_source_key(record.key)
        position = decode_position(record.value)
    except MalformedRecordError:
        return None, None
    return (key.upstream, position) if key is not None and key.cluster == source else (None, None)


def _content(record: LogRecord) -> tuple[object, ...]:
    return record.key, record.value, record.timestamp_ms, record.headers
