"""Holds both logs of a topic still for an audit: how far they go, where they can be cut, what cannot be compared."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from metrics.audit.cuts import Cut, begun_at, merged, run_cuts, still_valid
from metrics.audit.job.audit_store import Proven
from metrics.audit.ranges import FrozenPartition, NotCompared
from metrics.audit.spec import AuditedTopic, AuditSpec
from metrics.errors import JobError
from metrics.jobs.context import JobContext
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import OffsetRun
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.choices import IsolationLevel
from replication.kafka.admin import open_admin
from replication.kafka.flow_logs import CopyHistory, FlowLogs
from replication.kafka.frozen_ends import log_ends
from replication.ports.admin import TopicDescription

_WAIT_S = 60.0
_WAIT_AGAIN_S = 5.0  # for each topic after one that lagged: a thousand of those must not take a day
_LOOK_EVERY_S = 0.5
_CLEANUP, _TIMESTAMPS = "cleanup.policy", "message.timestamp.type"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenTopic:
    """A topic on both sides at one moment."""

    pair: AuditedTopic
    topic_id: str  # of the source topic, hex
    remote_topic_id: str
    frozen_ms: int
    partitions: tuple[FrozenPartition, ...]
    not_compared: tuple[NotCompared, ...]
    compacted: bool
    with_timestamp: bool  # False: the target stamps records itself


class Freezer:
    """Follows the flow's own logs; one for all topics of an audit. Raises JobError and what ClusterAdmin raises."""

    def __init__(self, context: JobContext, spec: AuditSpec, source: ClusterClient, target: ClusterClient) -> None:
        self._context = context
        self._spec = spec
        self._clusters = {"source": source, "target": target}
        self._patience_s = _WAIT_S
        self._admins = {"source": open_admin(source), "target": open_admin(target)}
        self._logs = FlowLogs(target, spec.source, {pair.upstream for pair in spec.topics})
        remote = {pair.remote for pair in spec.topics} if spec.shared else set()
        self._reverse = FlowLogs(source, spec.target, remote) if remote else None

    def close(self) -> None:
        self._logs.close()
        if self._reverse is not None:
            self._reverse.close()
        for admin in self._admins.values():
            admin.close()

    def freeze(self, pair: AuditedTopic, proven: Mapping[int, Proven]) -> FrozenTopic:
        """Take the source's ends, wait until the copy has passed them, then take the target's."""
        ours, theirs = self._described("source", pair.upstream), self._described("target", pair.remote)
        upstream = [TopicPartition(pair.upstream, number) for number in range(ours.partitions)]
        remote = [TopicPartition(pair.remote, number) for number in range(theirs.partitions)]
        frozen_ms = self._context.now_ms()
        ends = log_ends(self._clusters["source"], upstream, self._spec.isolation)
        self._wait(ends, ours.topic_id)
        self._logs.read_runs()
        if self._reverse is not None:
            self._reverse.read_runs()
        stable = log_ends(self._clusters["target"], remote, "read_committed")
        seen = _Seen(
            topic_id=ours.topic_id,
            starts=self.log_starts(pair),
            stable={at.partition: end for at, end in stable.items()},
            foreign=self._foreign(pair, theirs.topic_id),
            proven={
                number: each.proof.cut
                for number, each in proven.items()
                if each.holds_for(ours.topic_id.hex(), theirs.topic_id.hex())
            },
        )
        partitions = tuple(self._partition(at, seen) for at in upstream)
        return FrozenTopic(
            pair=pair,
            topic_id=ours.topic_id.hex(),
            remote_topic_id=theirs.topic_id.hex(),
            frozen_ms=frozen_ms,
            partitions=partitions,
            not_compared=_not_copied(partitions, {at.partition: end for at, end in ends.items()}),
            compacted=any(
                "compact" in self._config(side, topic, _CLEANUP)
                for side, topic in (("source", pair.upstream), ("target", pair.remote))
            ),
            with_timestamp=self._config("target", pair.remote, _TIMESTAMPS) != "LogAppendTime",
        )

    def log_starts(self, pair: AuditedTopic) -> dict[tuple[str, int], int]:
        """Log start offsets by side and partition, as they are now."""
        found: dict[tuple[str, int], int] = {}
        for side, topic in (("source", pair.upstream), ("target", pair.remote)):
            described = self._described(side, topic)
            wanted = [TopicPartition(topic, number) for number in range(described.partitions)]
            starts = self._admins[side].list_offsets(wanted, "earliest")
            found |= {(side, each.partition): offset for each, offset in starts.items()}
        return found

    def ends_now(self, pair: AuditedTopic) -> dict[tuple[str, int], int]:
        """Log ends by side and partition, as they are now."""
        found: dict[tuple[str, int], int] = {}
        sides: tuple[tuple[str, str, IsolationLevel], ...] = (
            ("source", pair.upstream, self._spec.isolation),
            ("target", pair.remote, "read_committed"),
        )
        for side, topic, isolation in sides:
            described = self._described(side, topic)
            wanted = [TopicPartition(topic, number) for number in range(described.partitions)]
            ends = log_ends(self._clusters[side], wanted, isolation)
            found |= {(side, at.partition): end for at, end in ends.items()}
        return found

    def _described(self, side: str, topic: str) -> TopicDescription:
        found = self._admins[side].describe_topics([topic]).get(topic)
        if found is None:
            raise JobError(f"topic {topic} does not exist on cluster {self._clusters[side].alias}")
        return found

    def _wait(self, ends: Mapping[TopicPartition, int], topic_id: bytes) -> None:
        """Until the committed positions have passed these ends, or the copy is known to lag."""
        began_s = time.monotonic()
        while True:
            self._context.check_cancelled()
            self._logs.read_positions()
            if all(self._reached(at, topic_id) >= end for at, end in ends.items()):
                return
            if time.monotonic() - began_s > self._patience_s:
                self._patience_s = _WAIT_AGAIN_S
                return
            time.sleep(_LOOK_EVERY_S)

    def _reached(self, at: TopicPartition, topic_id: bytes) -> int:
        position = self._logs.histories[at].position
        if position is None or position.topic_id not in (topic_id, NO_TOPIC_ID):
            return 0
        return position.next_offset

    def _partition(self, at: TopicPartition, seen: "_Seen") -> FrozenPartition:
        history = self._logs.histories[at]
        runs = tuple(history.runs.get(seen.topic_id, ()))
        positions = _position_cuts(history, seen.topic_id)
        end = _end(history, positions, at.partition, seen)
        written = list(run_cuts(runs))
        cuts = begun_at((*written, *positions), merged(still_valid(written), still_valid(positions), end))
        return FrozenPartition(
            partition=at.partition,
            source_start=seen.starts.get(("source", at.partition), 0),
            target_start=seen.starts.get(("target", at.partition), 0),
            end=end,
            cuts=tuple(cuts),
            runs=runs,
            foreign=seen.foreign.get(at.partition, ()),
            proven=seen.proven.get(at.partition),
            recreated=any(other != seen.topic_id for other in history.runs),
        )

    def _foreign(self, pair: AuditedTopic, remote_id: bytes) -> dict[int, tuple[OffsetRun, ...]]:
        """The runs that the flow the other way wrote into our source topic."""
        if self._reverse is None:
            return {}
        return {
            at.partition: tuple(history.runs.get(remote_id, ()))
            for at, history in self._reverse.histories.items()
            if at.topic == pair.remote
        }

    def _config(self, side: str, topic: str, name: str) -> str:
        found = self._admins[side].topic_configs([topic]).get(topic, {}).get(name)
        return (found.value if found is not None else None) or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """The facts of a topic on both clusters."""

    topic_id: bytes
    starts: Mapping[tuple[str, int], int]
    stable: Mapping[int, int]  # ends of the remote partitions
    foreign: Mapping[int, tuple[OffsetRun, ...]]
    proven: Mapping[int, Cut]  # of these incarnations


def _end(history: CopyHistory, positions: Sequence[Cut], partition: int, seen: _Seen) -> Cut:
    """The newest committed position that readers of the target see as a whole."""
    stable_end = seen.stable.get(partition, 0)
    whole = [cut for cut in still_valid(positions) if cut.downstream <= stable_end]
    if whole:
        return whole[-1]
    position = history.position
    if position is not None and position.topic_id in (seen.topic_id, NO_TOPIC_ID):
        return Cut(position.next_offset, stable_end)  # written by MirrorMaker 2
    return Cut(seen.starts.get(("source", partition), 0), seen.starts.get(("target", partition), 0))


def _position_cuts(history: CopyHistory, topic_id: bytes) -> list[Cut]:
    return [
        Cut(position.next_offset, position.downstream_next)
        for position in history.positions
        if position.topic_id == topic_id and position.downstream_next is not None
    ]


def _not_copied(partitions: Collection[FrozenPartition], ends: Mapping[int, int]) -> tuple[NotCompared, ...]:
    return tuple(
        NotCompared(
            partition=each.partition,
            side="source",
            first=each.end.upstream,
            next=ends[each.partition],
            reason="not copied yet when the audit began",
        )
        for each in partitions
        if each.end.upstream < ends.get(each.partition, 0)
    )
