"""The plan of a flow: which topics are copied where, and which slot copies which partition.

A partition keeps its slot for the life of a generation, so a plan change never moves running work.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from replication.domain.groups.group_summary import SkippedGroup
from replication.domain.identifiers import TopicPartition
from replication.domain.json_documents import read_json
from replication.domain.plan.slot import PlannedPartition, TimestampType
from replication.domain.plan.topic_join import TopicJoin

PLAN_VERSION = 1
MOST_DEPARTED = 20_000


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
    """Something an operator should know although the flow runs."""

    code: str
    text: str


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
        return tuple(_planned(self.topics[index], partition) for index, partition in self.slots[slot])

    def same_work(self, other: "PlanDocument") -> bool:
        """Return True when both mean the same for the slots; times, skipped topics and warnings may differ."""
        return (self.generation, self.tasks_max, self.topics, self.slots) == (
            other.generation,
            other.tasks_max,
            other.topics,
            other.slots,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAssignment:
    """The partitions of each slot, and the generation they belong to."""

    generation: int
    older_slots: int
    slots: tuple[tuple[TopicPartition, ...], ...]
    departed: tuple[tuple[str, int, int], ...] = ()


def assign_slots(
    previous: PlanDocument | None, partitions: Iterable[TopicPartition], tasks_max: int, *, generation: int = 1
) -> SlotAssignment:
    """Give every partition one slot: the one it has or had last, else the least loaded of `tasks_max`.

    A slot may still finish what it has of a partition that left: back in another slot it would be copied by both.

    `generation` is the lowest number the result may have; a higher one than the previous plan's, another
    `tasks_max`, or no previous plan starts a new generation, in which all partitions are assigned again.
    """
    wanted = sorted(set(partitions))
    if previous is not None and previous.tasks_max == tasks_max and generation <= previous.generation:
        kept = _kept_slots(previous, frozenset(wanted), tasks_max)
        return SlotAssignment(
            generation=previous.generation,
            older_slots=previous.older_slots,
            slots=_deal(kept, wanted),
            departed=_departed(previous, frozenset(wanted)),
        )
    number = generation if previous is None else max(generation, previous.generation + 1)
    older = 0 if previous is None else max(len(previous.slots), previous.older_slots)
    fresh: list[list[TopicPartition]] = [[] for _ in range(tasks_max)]
    return SlotAssignment(generation=number, older_slots=older, slots=_deal(fresh, wanted))


def _kept_slots(
    previous: PlanDocument, wanted: frozenset[TopicPartition], tasks_max: int
) -> list[list[TopicPartition]]:
    slots: list[list[TopicPartition]] = [[] for _ in range(tasks_max)]
    for number, slot in enumerate(previous.slots[:tasks_max]):
        held = (TopicPartition(previous.topics[index].upstream, partition) for index, partition in slot)
        slots[number] = [partition for partition in held if partition in wanted]
    for topic, number, slot_number in previous.departed:
        partition = TopicPartition(topic, number)
        if partition in wanted and slot_number < tasks_max:
            slots[slot_number].append(partition)
    return slots


def _departed(previous: PlanDocument, wanted: frozenset[TopicPartition]) -> tuple[tuple[str, int, int], ...]:
    """Those that left in this generation; the oldest are forgotten when there are too many to write down."""
    before = [each for each in previous.departed if TopicPartition(each[0], each[1]) not in wanted]
    left = [
        (previous.topics[index].upstream, partition, number)
        for number, slot in enumerate(previous.slots)
        for index, partition in slot
        if TopicPartition(previous.topics[index].upstream, partition) not in wanted
    ]
    return tuple([*before, *left][-MOST_DEPARTED:])


def _deal(
    slots: list[list[TopicPartition]], wanted: Sequence[TopicPartition]
) -> tuple[tuple[TopicPartition, ...], ...]:
    """Add what has no slot yet to the least loaded one; slots left empty at the end are not part of the plan."""
    placed = {partition for slot in slots for partition in slot}
    for partition in wanted:
        if partition not in placed:
            min(slots, key=len).append(partition)
    while slots and not slots[-1]:
        slots.pop()
    return tuple(tuple(sorted(slot)) for slot in slots)


def _planned(topic: PlanTopic, partition: int) -> PlannedPartition:
    return PlannedPartition(
        upstream=TopicPartition(topic.upstream, partition),
        remote_topic=topic.remote,
        topic_id=topic.topic_id,
        max_message_bytes=topic.max_message_bytes,
        timestamp_type=topic.timestamp_type,
        joined=topic.joined,
    )


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
        "departed": plan.departed,
        "left": [[topic, *(joined or (None, None))] for topic, joined in plan.left],
        "skipped": [{"topic": skipped.topic, "reason": skipped.reason} for skipped in plan.skipped],
        "warnings": [{"code": warning.code, "text": warning.text} for warning in plan.warnings],
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
        departed=tuple((topic, int(part), int(slot)) for topic, part, slot in raw.get("departed", ())),
        left=tuple((topic, _join(parts, since)) for topic, parts, since in raw.get("left", ())),
        skipped=tuple(SkippedTopic(topic=item["topic"], reason=item["reason"]) for item in raw.get("skipped", ())),
        warnings=tuple(PlanWarning(code=item["code"], text=item["text"]) for item in raw.get("warnings", ())),
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
