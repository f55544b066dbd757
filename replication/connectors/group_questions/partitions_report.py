"""Answers `group_partitions`: the partitions of groups with both sides, and the groups' readiness now."""

from collections.abc import Collection
from dataclasses import replace

from replication.connectors.group_questions.group_inspection import GroupInspection, GroupsSeen, SeenGroup
from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.groups.consumer_group import GroupDescription, GroupProblem
from replication.domain.groups.copy_account import BEHIND
from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.judgement.group_partition import ClusterNames, GroupPartitionFacts
from replication.domain.groups.judgement.group_readiness import GroupFacts, group_readiness
from replication.domain.groups.readiness import cause
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.groups import GroupPartitions, GroupPlaces, PartitionPlace
from replication.tasks.groups.group_findings import GroupFindings
from replication.tasks.groups.taken_groups import causes_of_taken

_NO_COMMIT = "the group has committed no offset of this partition"


def report_partitions(
    request: FlowRequest, plan: PlanDocument, ports: GroupPorts, names: Collection[str], now_ms: int
) -> GroupPartitions:
    """Return the groups of these names. Raises the target's errors, and those of invalid settings."""
    settings = CheckpointSettings.of(request.flow)
    inspection = GroupInspection(request, plan, ports, now_ms)
    seen = inspection.at_groups(tuple(dict.fromkeys(names)))
    findings = GroupFindings(request.source, request.target)
    findings.refresh(now_ms)
    return GroupPartitions(
        source=request.id.source,
        target=request.id.target,
        groups=tuple(
            _group(group, seen, request, settings, _findings(findings, group, inspection, plan), now_ms)
            for group in seen.groups.values()
        ),
        unlooked=seen.unlooked,
    )


def _findings(
    findings: GroupFindings, group: SeenGroup, inspection: GroupInspection, plan: PlanDocument
) -> tuple[GroupCause, ...]:
    remote_of = {name: topic.remote for name, topic in inspection.places.topics.items()}
    read = {each.upstream.topic for each in group.facts if each.commit is not None}
    found = findings.of(group.name, group.described, sorted(read), remote_of)
    taken = causes_of_taken(plan).get(group.name)
    return found if taken is None else (taken, *found)


def _group(
    group: SeenGroup,
    seen: GroupsSeen,
    request: FlowRequest,
    settings: CheckpointSettings,
    findings: tuple[GroupCause, ...],
    now_ms: int,
) -> GroupPlaces:
    described = group.described if isinstance(group.described, GroupDescription) else None
    on_target = group.target.description
    kind = "unknown" if described is None else described.type
    state = "unknown" if described is None else described.state
    judged = group_readiness(
        GroupFacts(
            name=group.name,
            type=kind,
            partitions=group.known_facts,
            target=None if isinstance(on_target, GroupProblem) else on_target,
            translated_ms=now_ms if group.is_read else group.checkpoint_ms,
            interval_ms=settings.emit_interval_ms,
            is_source_reachable=seen.is_source_reachable,
            is_deleted_at_source=state == "dead",
            findings=(*findings, *_refusals(group, request)),
            syncs_offsets=settings.syncs_groups,
            is_target_read=not isinstance(group.target.commits, GroupProblem),
        ),
        ClusterNames(source=request.id.source, target=request.id.target),
        now_ms,
    )
    return GroupPlaces(
        group=group.name,
        type=kind,
        state=state,
        readiness=judged.readiness,
        causes=judged.causes,
        partitions=_places(group, seen, request.id, now_ms),
    )


def _refusals(group: SeenGroup, request: FlowRequest) -> list[GroupCause]:
    """Return the causes for which a coordinator does not show the group."""
    sides = (
        (group.commits, request.id.source),
        (group.target.description, request.id.target),
        (group.target.commits, request.id.target),
    )
    refused = {alias: problem for problem, alias in sides if isinstance(problem, GroupProblem)}
    return [
        cause(
            "missing_rights",
            detail=problem.text,
            grant=f"grant this flow's principal DESCRIBE on group {group.name} and its topics on {alias}",
        )
        for alias, problem in refused.items()
    ]


def _places(group: SeenGroup, seen: GroupsSeen, flow: FlowId, now_ms: int) -> tuple[PartitionPlace, ...]:
    places = (_place(each, group, seen, flow) for each in group.facts)
    return tuple(each if group.is_read else _last_known(each, group, flow.source, now_ms) for each in places)


def _place(facts: GroupPartitionFacts, group: SeenGroup, seen: GroupsSeen, flow: FlowId) -> PartitionPlace:
    commit, place, checkpoint = facts.commit, facts.translation, None
    if facts.remote is not None:
        checkpoint = group.checkpoints.get(facts.remote)
    mm2 = None if commit is None else seen.view.account.mm2_downstream(facts.upstream, commit.offset)
    return PartitionPlace(
        topic=facts.upstream.topic,
        partition=facts.upstream.partition,
        remote=None if facts.remote is None else facts.remote.topic,
        committed=None if commit is None else commit.offset,
        metadata="" if commit is None else commit.metadata,
        log_start=None if facts.source is None else facts.source.start,
        log_end=None if facts.source is None else facts.source.end,
        kind=None if place is None else place.kind,
        reason=None if place is None else place.reason,
        evidence=_evidence(facts, seen, flow),
        downstream=None if place is None else place.downstream,
        latest=None if place is None else place.latest,
        rereads=None if place is None else place.rereads,
        remote_start=None if facts.remote_log is None else facts.remote_log.start,
        remote_end=None if facts.remote_log is None else facts.remote_log.end,
        mm2_downstream=None if mm2 == BEHIND else mm2,
        checkpoint=None if checkpoint is None else checkpoint.downstream,
        checkpoint_upstream=None if checkpoint is None else checkpoint.upstream,
        checkpoint_ms=None if checkpoint is None else checkpoint.written_ms,
        target_committed=facts.target_offset,
    )


def _last_known(place: PartitionPlace, group: SeenGroup, source: str, now_ms: int) -> PartitionPlace:
    """Return the place of a group that the source did not tell: its checkpoint, and no translation."""
    why = group.commits.text if isinstance(group.commits, GroupProblem) else f"{source} does not answer"
    known = "there is no checkpoint"
    if place.checkpoint_ms is not None:
        age_s = max(0, now_ms - place.checkpoint_ms) // 1_000
        known = f"the checkpoint of {age_s} s ago has {source} {place.checkpoint_upstream} at {place.checkpoint}"
    return replace(
        place,
        is_read=False,
        committed=None,
        metadata="",
        kind=None,
        reason=None,
        evidence=f"the group's offset is not known: {why}; {known}",
        downstream=None,
        latest=None,
        rereads=None,
        mm2_downstream=None,
    )


def _evidence(facts: GroupPartitionFacts, seen: GroupsSeen, flow: FlowId) -> str:
    """Return the translation in words: its reason, and what is known around the offset; or why there is none."""
    upstream, place = facts.upstream, facts.translation
    if facts.remote is None:
        return facts.absence
    if facts.commit is None:
        return _NO_COMMIT
    topic = seen.view.places.topics.get(upstream.topic)
    if place is None or topic is None:
        return "" if place is None else place.text
    known = seen.view.account.known_around(upstream, topic.topic_id, facts.commit.offset)
    return "; ".join(part for part in (place.text, known.text(flow.source, flow.target)) if part)
