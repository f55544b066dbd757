"""Builds the plan document of a flow and assigns its version from the previous plan."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.plan.plan_document import (
    NO_GROUPS,
    PlanDocument,
    PlanTopic,
    PlanWarning,
    SkippedTopic,
    plan_warning,
)
from replication.domain.plan.slot_assignment import MOST_DEPARTED, SlotAssignment, assign_slots
from replication.domain.plan.topic_join import TopicJoin

_SHOWN_PER_CODE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningResult:
    """The result of one planning run, before it becomes a plan document."""

    topics: tuple[PlanTopic, ...]
    skipped: tuple[SkippedTopic, ...]
    warnings: tuple[PlanWarning, ...]
    desired_revision: int
    now_ms: int


def build_plan(
    flow: DesiredFlow,
    flow_id: FlowId,
    previous: PlanDocument | None,
    result: PlanningResult,
    *,
    least_generation: int,
) -> PlanDocument:
    """Build the plan; returns `previous` itself when nothing has changed."""
    known = _known_joins(previous)
    topics = tuple(replace(topic, joined=known.get(topic.upstream, topic.joined)) for topic in result.topics)
    planned = replace(result, topics=topics, warnings=few_per_code(result.warnings))
    if previous is not None and _is_same_work(previous, flow, planned, least_generation):
        return _with_remarks(previous, planned)
    partitions = [
        TopicPartition(topic.upstream, number) for topic in planned.topics for number in range(topic.partitions)
    ]
    assignment = assign_slots(previous, partitions, flow.tasks_max, generation=least_generation)
    document = PlanDocument(
        target=flow_id.target,
        source=flow_id.source,
        generation=assignment.generation,
        version=1,
        desired_revision=planned.desired_revision,
        planned_ms=planned.now_ms,
        tasks_max=flow.tasks_max,
        topics=tuple(
            topic if topic.upstream in known else _joining(topic, assignment.generation) for topic in planned.topics
        ),
        slots=_indexed(assignment, planned.topics),
        layout=assignment.layout,
        moved=_moved(assignment, planned.topics),
        older_slots=assignment.older_slots,
        departed=assignment.departed,
        left=_left(previous, planned.topics),
        skipped=planned.skipped,
        warnings=planned.warnings,
        groups=NO_GROUPS if previous is None else previous.groups,
    )
    return _succeeding(previous, document)


def _with_remarks(previous: PlanDocument, planned: PlanningResult) -> PlanDocument:
    """The same work with the skipped topics and warnings of this planning."""
    document = replace(
        previous, desired_revision=planned.desired_revision, skipped=planned.skipped, warnings=planned.warnings
    )
    return previous if document == previous else replace(document, planned_ms=planned.now_ms)


def few_per_code(warnings: Iterable[PlanWarning]) -> tuple[PlanWarning, ...]:
    """The first warnings of each code and the number of others; keeps a plan readable with 10,000 topics."""
    by_code: dict[str, list[PlanWarning]] = {}
    for warning in warnings:
        by_code.setdefault(warning.code, []).append(warning)
    shown: list[PlanWarning] = []
    for code, group in by_code.items():
        shown += group[:_SHOWN_PER_CODE]
        rest = len(group) - _SHOWN_PER_CODE
        if rest > 0:
            shown.append(plan_warning(code, f"{rest} more topics are alike"))
    return tuple(shown)


def narrow_warnings(target: str, planned: Mapping[str, tuple[str, int, int]]) -> tuple[PlanWarning, ...]:
    """Warnings about remote topics (name -> upstream, its partitions, present partitions) that are too narrow."""
    return tuple(
        plan_warning(
            "remote_topic_narrow",
            f"topic {remote} has {present} of the {wanted} partitions of {upstream}; the others are not copied",
            cluster=target,
        )
        for remote, (upstream, wanted, present) in planned.items()
        if 0 < present < wanted
    )


def _known_joins(previous: PlanDocument | None) -> Mapping[str, TopicJoin | None]:
    """When each topic of the flow joined it, with those that left and may return."""
    if previous is None:
        return {}
    return {**dict(previous.left), **{topic.upstream: topic.joined for topic in previous.topics}}


def _joining(topic: PlanTopic, generation: int) -> PlanTopic:
    joined = topic.joined or TopicJoin(topic.partitions, generation)
    return replace(topic, joined=joined._replace(generation=generation))


def _left(previous: PlanDocument | None, topics: Iterable[PlanTopic]) -> tuple[tuple[str, TopicJoin | None], ...]:
    """The topics that left; the oldest are forgotten when there are too many to write down."""
    if previous is None:
        return ()
    present = {topic.upstream for topic in topics}
    leaving = ((topic.upstream, topic.joined) for topic in previous.topics)
    left = [(name, joined) for name, joined in (*previous.left, *leaving) if name not in present]
    return tuple(left[-MOST_DEPARTED:])


def _is_same_work(previous: PlanDocument, flow: DesiredFlow, planned: PlanningResult, generation: int) -> bool:
    is_same_generation = previous.tasks_max == flow.tasks_max and generation <= previous.generation
    return is_same_generation and previous.topics == planned.topics


def _indexed(assignment: SlotAssignment, topics: tuple[PlanTopic, ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    index = {topic.upstream: number for number, topic in enumerate(topics)}
    return tuple(tuple((index[each.topic], each.partition) for each in slot) for slot in assignment.slots)


def _moved(assignment: SlotAssignment, topics: tuple[PlanTopic, ...]) -> tuple[tuple[int, int, int, int], ...]:
    index = {topic.upstream: number for number, topic in enumerate(topics)}
    return tuple((index[each.topic], each.partition, since, former) for each, since, former in assignment.moved)


def _succeeding(previous: PlanDocument | None, document: PlanDocument) -> PlanDocument:
    """Number the plan: a new version for different work, the previous plan itself when nothing has changed."""
    if previous is None or previous.generation != document.generation:
        return document
    version = previous.version if previous.same_work(document) else previous.version + 1
    numbered = replace(document, version=version)
    is_unchanged = replace(numbered, planned_ms=previous.planned_ms) == previous
    return previous if is_unchanged else numbered
