"""The plan of a flow: which topics are copied where, and which slot copies which partition.

A partition keeps its slot while the number of slots stays. Another number is a new layout, which moves few partitions.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from replication.domain.groups.group_summary import SkippedGroup
from replication.domain.identifiers import TopicPartition
from replication.domain.json_documents import read_json
from replication.domain.plan.slot import PlannedPartition, TimestampType
from replication.domain.plan.topic_join import TopicJoin
from replication.domain.sentences import sentence

PLAN_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTopic:
    """A topic that is copied; size limit and timestamp type are the remote topic's."""

    upstream: str
    remote: str
    topic_id: bytes  # 16 bytes, of the source topic
    partitions: int
    max_message_bytes: int
    timestamp_type: TimestampType
    joined: TopicJoin | None = None  # None in plans that older releases began


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedTopic:
    """A topic the filters allow but that cannot be copied, and why."""

    topic: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWarning:
    """Something an operator should know although the flow runs: a sentence, and the cluster on which to act."""

    code: str
    text: str
    cluster: str | None = None  # None: it is about the flow or its settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanGroups:
    """The consumer groups that a flow translates, by checkpoint slot. A change of them concerns no source slot."""

    slots: tuple[tuple[str, ...], ...] = ()
    most_slots: int = 0  # ever; the transactional ids of the others are fenced
    gone: tuple[tuple[str, int], ...] = ()  # groups of the slots that disappeared from the source, and when
    skipped: tuple[SkippedGroup, ...] = ()
    taken: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # group, source and remote topics of the flow that has it
    originals: tuple[str, ...] = ()  # topics of the target to which progress on their copies is led back


NO_GROUPS = PlanGroups()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDocument:
    """docs/contracts/plan-document.md. A slot holds (index into `topics`, partition) pairs."""

    target: str
    source: str
    generation: int
    version: int
    desired_revision: int
    planned_ms: int
    tasks_max: int
    topics: tuple[PlanTopic, ...]
    slots: tuple[tuple[tuple[int, int], ...], ...]
    layout: int = 0  # how often partitions have moved between slots in this generation
    moved: tuple[tuple[int, int, int, int], ...] = ()  # topic index, partition, since which layout, from which slot
    departed: tuple[tuple[str, int, int], ...] = ()  # topic, partition and last slot of those that left, oldest first
    left: tuple[tuple[str, TopicJoin | None], ...] = ()  # topics that left, oldest first; they may return
    older_slots: int = 0  # slots the generation before had; they commit and are fenced before ours start
    skipped: tuple[SkippedTopic, ...] = ()
    warnings: tuple[PlanWarning, ...] = ()
    groups: PlanGroups = NO_GROUPS

    def slot_partitions(self, slot: int) -> tuple[PlannedPartition, ...]:
        """Return the partitions that the slot copies; none for a slot the plan does not have."""
        if slot >= len(self.slots):
            return ()
        since = {(index, partition): layout for index, partition, layout, _ in self.moved}
        return tuple(
            _planned(self.topics[index], partition, since.get((index, partition), 0))
            for index, partition in self.slots[slot]
        )

    def moved_from(self, slot: int) -> Mapping[TopicPartition, int]:
        """Return the present slots of the partitions that came from this one."""
        left = {(index, partition) for index, partition, _, former in self.moved if former == slot}
        if not left:
            return {}
        return {
            TopicPartition(self.topics[index].upstream, partition): number
            for number, partitions in enumerate(self.slots)
            for index, partition in partitions
            if (index, partition) in left and number != slot
        }

    def same_work(self, other: "PlanDocument") -> bool:
        """Return True when both mean the same for the slots; times, skipped topics and warnings may differ."""
        return (self.generation, self.tasks_max, self.topics, self.slots, self.layout, self.moved) == (
            other.generation,
            other.tasks_max,
            other.topics,
            other.slots,
            other.layout,
            other.moved,
        )


def _planned(topic: PlanTopic, partition: int, since_layout: int) -> PlannedPartition:
    return PlannedPartition(
        upstream=TopicPartition(topic.upstream, partition),
        remote_topic=topic.remote,
        topic_id=topic.topic_id,
        max_message_bytes=topic.max_message_bytes,
        timestamp_type=topic.timestamp_type,
        joined=topic.joined,
        since_layout=since_layout,
    )


def plan_warning(code: str, clause: str, *, cluster: str | None = None, topic: str | None = None) -> PlanWarning:
    """Return the warning with its clause as a sentence; a `topic` at its start keeps its spelling."""
    return PlanWarning(code=code, text=sentence(clause, topic), cluster=cluster)


def plan_to_json(plan: PlanDocument) -> str:
    """The document as drivers and the service exchange it."""
    document = {
        "v": PLAN_VERSION,
        "target": plan.target,
        "source": plan.source,
        "generation": plan.generation,
        "version": plan.version,
        "desired_revision": plan.desired_revision,
        "planned_ms": plan.planned_ms,
        "tasks_max": plan.tasks_max,
        "older_slots": plan.older_slots,
        "topics": [_topic_to_json(topic) for topic in plan.topics],
        "slots": plan.slots,
        "layout": plan.layout,
        "moved": plan.moved,
        "departed": plan.departed,
        "left": [[topic, *(joined or (None, None))] for topic, joined in plan.left],
        "skipped": [{"topic": skipped.topic, "reason": skipped.reason} for skipped in plan.skipped],
        "warnings": [asdict(warning) for warning in plan.warnings],
        "groups": plan.groups.slots,
        "group_slots_most": plan.groups.most_slots,
        "gone_groups": plan.groups.gone,
        "taken_groups": plan.groups.taken,
        "original_topics": plan.groups.originals,
        "skipped_groups": [{"group": skipped.group, "reason": skipped.reason} for skipped in plan.groups.skipped],
    }
    return json.dumps(document, separators=(",", ":"))


def plan_from_json(text: str | bytes) -> PlanDocument:
    """Read a plan; ValueError says what is wrong. Unknown fields are ignored."""
    try:
        raw = read_json(text)
        return _plan_from_raw(raw)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a plan document: {error!r}") from error


def _plan_from_raw(raw: dict[str, Any]) -> PlanDocument:
    return PlanDocument(
        target=raw["target"],
        source=raw["source"],
        generation=int(raw["generation"]),
        version=int(raw["version"]),
        desired_revision=int(raw["desired_revision"]),
        planned_ms=int(raw["planned_ms"]),
        tasks_max=int(raw["tasks_max"]),
        older_slots=int(raw.get("older_slots", 0)),
        topics=tuple(_topic_from_json(topic) for topic in raw["topics"]),
        slots=tuple(tuple((int(index), int(part)) for index, part in slot) for slot in raw["slots"]),
        layout=int(raw.get("layout", 0)),
        moved=tuple(
            (int(index), int(part), int(layout), int(former)) for index, part, layout, former in raw.get("moved", ())
        ),
        departed=tuple((topic, int(part), int(slot)) for topic, part, slot in raw.get("departed", ())),
        left=tuple((topic, _join(parts, since)) for topic, parts, since in raw.get("left", ())),
        skipped=tuple(SkippedTopic(topic=item["topic"], reason=item["reason"]) for item in raw.get("skipped", ())),
        warnings=tuple(
            PlanWarning(code=item["code"], text=item["text"], cluster=item.get("cluster"))
            for item in raw.get("warnings", ())
        ),
        groups=_groups_from_raw(raw),
    )


def _groups_from_raw(raw: dict[str, Any]) -> PlanGroups:
    slots = tuple(tuple(str(name) for name in slot) for slot in raw.get("groups", ()))
    return PlanGroups(
        slots=slots,
        most_slots=max(len(slots), int(raw.get("group_slots_most", 0))),
        gone=tuple((str(name), int(since_ms)) for name, since_ms in raw.get("gone_groups", ())),
        taken=tuple(
            (str(name), str(source), tuple(str(topic) for topic in topics))
            for name, source, topics in raw.get("taken_groups", ())
        ),
        originals=tuple(str(topic) for topic in raw.get("original_topics", ())),
        skipped=tuple(
            SkippedGroup(group=item["group"], reason=item["reason"]) for item in raw.get("skipped_groups", ())
        ),
    )


def _join(partitions: Any, generation: Any) -> TopicJoin | None:
    return None if partitions is None else TopicJoin(int(partitions), int(generation))


def _topic_to_json(topic: PlanTopic) -> dict[str, Any]:
    return {
        "upstream": topic.upstream,
        "remote": topic.remote,
        "topic_id": topic.topic_id.hex(),
        "partitions": topic.partitions,
        "max_message_bytes": topic.max_message_bytes,
        "timestamp_type": topic.timestamp_type,
        "joined": topic.joined,
    }


def _topic_from_json(raw: dict[str, Any]) -> PlanTopic:
    timestamp_type: TimestampType = next(kind for kind in get_args(TimestampType) if kind == raw["timestamp_type"])
    joined = raw.get("joined")
    return PlanTopic(
        upstream=raw["upstream"],
        remote=raw["remote"],
        topic_id=bytes.fromhex(raw["topic_id"]),
        partitions=int(raw["partitions"]),
        max_message_bytes=int(raw["max_message_bytes"]),
        timestamp_type=timestamp_type,
        joined=None if joined is None else _join(joined[0], joined[1]),
    )
