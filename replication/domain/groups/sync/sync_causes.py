"""Causes of readiness that group offset sync finds: offsets that the target refuses to take."""

from collections.abc import Iterator

from replication.domain.groups.consumer_group import GroupProblem
from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.readiness import cause
from replication.domain.groups.sync.group_sync import GroupSyncDecision, PartitionSync, TargetGroup

GROUP_DENIED, TOPIC_DENIED = "GROUP_AUTHORIZATION_FAILED", "TOPIC_AUTHORIZATION_FAILED"


def sync_causes(decision: GroupSyncDecision, target: TargetGroup, alias: str) -> tuple[GroupCause, ...]:
    """Return a cause for each refusal; one for the group if it as a whole was refused."""
    whole = causes_of_group(decision.group, target, alias)
    if whole:
        return whole
    refused = [(part, part.problem) for part in decision.partitions if part.problem is not None]
    denied = next((problem for _, problem in refused if problem.code == GROUP_DENIED), None)
    if denied is not None:
        return (_of_group(denied, decision.group, alias),)
    return tuple(_of_partitions(refused, alias))


def causes_of_group(group: str, target: TargetGroup, alias: str) -> tuple[GroupCause, ...]:
    """Return the cause why the target did not describe the group or tell its offsets; none if it did."""
    problem = next((each for each in (target.description, target.commits) if isinstance(each, GroupProblem)), None)
    return () if problem is None else (_of_group(problem, group, alias),)


def _of_group(problem: GroupProblem, group: str, alias: str) -> GroupCause:
    if problem.code == GROUP_DENIED:
        grant = f"grant this flow's principal READ and DESCRIBE on group {group} on {alias}"
        return cause("missing_rights", detail=problem.text, grant=grant)
    return cause("sync_refused", at=(f"group {group}", None), target=alias, problem=problem.text)


def _of_partitions(refused: "list[tuple[PartitionSync, GroupProblem]]", alias: str) -> Iterator[GroupCause]:
    for part, problem in refused:
        at = (part.place.upstream.topic, part.place.upstream.partition)
        if problem.code == TOPIC_DENIED:
            grant = f"grant this flow's principal READ on topic {part.remote.topic} on {alias}"
            yield cause("missing_rights", at=at, detail=problem.text, grant=grant)
        else:
            yield cause("sync_refused", at=at, target=alias, problem=problem.text)
