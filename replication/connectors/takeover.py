"""Takes a flow over from a stopped MirrorMaker 2 (or original replication manager), and gives it back.

Both programs keep positions, offset syncs and checkpoints in the same topics and formats; what is here proves that the
other side has stopped, brings positions up to what the target really holds, and leaves no slot and no transaction of
ours in the way of MirrorMaker, which reads positions uncommitted.
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
from replication.domain.naming import ReplicationPolicy, checkpoints_topic, metrics_topic, offset_syncs_topic
from replication.domain.naming import offsets_topic as positions_topic
from replication.domain.takeover import AdoptedPartition, PartitionEvidence, adopt, candidate
from replication.ports.admin import ClusterAdmin
from replication.ports.producer import RecordProducer
from replication.ports.record_log import LogRecord, RecordLog
from replication.ports.slot_fence import SlotFence

QUIET_S = 2.0
OURS_SPEAK_EVERY_MS = 5_000
OURS_SILENT_MS = 4 * OURS_SPEAK_EVERY_MS
_DOWNSTREAM_NEXT = "srm.downstream_next"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowToTake:
    """Which flow, and how it names things."""

    flow: FlowId
    policy: ReplicationPolicy
    separator: str = "."
    syncs_on_target: bool = False
    tasks_max: int = 1  # how many slots of ours it may have had, by its settings of now

    @property
    def syncs_topic(self) -> str:
        """Named after the cluster that does not hold it."""
        return offset_syncs_topic(self.flow.source if self.syncs_on_target else self.flow.target, self.separator)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One cluster through its ports."""

    admin: ClusterAdmin
    log: RecordLog
    producer: RecordProducer


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a flow left behind."""

    partitions: tuple[AdoptedPartition, ...]
    checkpoints: tuple[Checkpoint, ...]
    missing_topics: tuple[str, ...]  # positions of topics that the source does not have any more


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenBack:
    """How many positions and offset syncs were written for MirrorMaker, and how many slots of ours were fenced."""

    positions: int
    syncs: int
    slots: int


class Takeover:
    """Of one flow. Blocking; raises what the ports raise."""

    def __init__(
        self, order: FlowToTake, source: Side, target: Side, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._order = order
        self._source = source
        self._target = target
        self._sleep = sleep

    def prove_stopped(self) -> None:
        """Raise OriginalDriverActiveError while MirrorMaker has members or what it writes still grows.

        Others may write to remote topics that keep their names: for these the flow's own positions and offset syncs are
        looked at, which nobody but its drivers writes.
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
            told = ", ".join(f"{partition} on cluster {alias}" for alias, partition in sorted(grown)[:3])
            raise OriginalDriverActiveError(
                f"{flow}: somebody still writes to {told}; stop every program that copies this flow first",
                cluster=flow.target,
            )

    def look(self) -> Found:
        """Positions, the newest syncs and checkpoints; changes nothing."""
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
        return Found(partitions=tuple(adopted), checkpoints=self._checkpoints(), missing_topics=tuple(sorted(gone)))

    def write_refined(self, found: Found) -> int:
        """Write the positions that are further than the stored ones; returns how many."""
        refined = [partition for partition in found.partitions if partition.differs_from_stored]
        topic = positions_topic(self._order.flow.source)
        for partition in refined:
            key = encode_key(SourceOffsetKey(cluster=self._order.flow.source, upstream=partition.upstream))
            value = encode_position(partition.next_offset or 0)
            self._target.producer.send(topic, key=key, value=value)
        self._target.producer.flush()
        return len(refined)

    def prove_ours_stopped(self, now_ms: int) -> None:
        """Raise OriginalDriverActiveError while a slot of ours has written raw metrics lately.

        Of a driver that is frozen or cut off this tells nothing: `give_back` fences its slots.
        """
        flow = self._order.flow
        topic = metrics_topic(flow.source)
        count = self._target.admin.list_topics().get(topic, 0)
        newest = [self._target.log.newest(topic, partition) for partition in range(count)]
        last_ms = max((record.timestamp_ms for record in newest if record is not None), default=0)
        silent_ms = now_ms - last_ms
        if silent_ms < OURS_SILENT_MS:
            raise OriginalDriverActiveError(
                f"{flow}: our own drivers wrote metrics {silent_ms / 1000:.0f} s ago; stop them (`srm stop`, or "
                f"disable the flow) and try again after {OURS_SILENT_MS // 1000} s",
                cluster=flow.target,
            )

    def give_back(self, fence: SlotFence) -> GivenBack:
        """Fence our slots, then write positions outside of any transaction and a sync for each last copied record."""
        order = self._order
        slots = fence_slots(
            order.flow, self._target.log, fence, self._written_by_slots(), least=max(1, order.tasks_max)
        )
        topic = positions_topic(order.flow.source)
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
        return GivenBack(positions=positions, syncs=syncs, slots=slots)

    def _written_by_slots(self) -> list[TopicPartition]:
        """Remote partitions of topics with a position, and those of the positions themselves."""
        order = self._order
        upstream = {partition.topic for partition in self._stored()}
        remote = {order.policy.format_remote_topic(order.flow.source, name) for name in upstream}
        return _partitions(self._target.admin, {positions_topic(order.flow.source), *remote})

    def _ends_of_copying(self) -> Mapping[tuple[str, TopicPartition], int]:
        """By cluster: of remote topics that only this flow writes, and of what its drivers note while they copy."""
        order = self._order
        upstream = {partition.topic for partition in self._stored()}
        remote = {name: order.policy.format_remote_topic(order.flow.source, name) for name in upstream}
        renamed = {copy for name, copy in remote.items() if copy != name}
        syncs_holder = self._target if order.syncs_on_target else self._source
        wanted = ((self._target, {positions_topic(order.flow.source), *renamed}), (syncs_holder, {order.syncs_topic}))
        return {
            (side.admin.alias, partition): end
            for side, names in wanted
            for partition, end in _ends(side.admin, names).items()
        }

    def _stored(self) -> dict[TopicPartition, int | None]:
        found: dict[TopicPartition, int | None] = {}
        for record in self._target.log.read_to_end(positions_topic(self._order.flow.source)):
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
        topic = checkpoints_topic(self._order.flow.source, self._order.separator)
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
