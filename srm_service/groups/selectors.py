"""Consumer groups of a flow: from the summaries of its checkpoint tasks, or asked of the target's control worker."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from replication.domain.groups.group_summary import GroupsSummary, GroupSummary, group_counts
from replication.domain.identifiers import FlowId
from replication.domain.questions.groups import GroupPartitions, PlaceToTranslate, Translations
from replication.domain.questions.question import DEFAULT_WAIT_MS
from srm_service.core.clock import now_ms
from srm_service.core.contracts import Partial
from srm_service.groups.contracts import ConsumerGroupNow, FlowGroups, GroupPlacesNow
from srm_service.groups.summaries import NoSummariesError, flow_summaries
from srm_service.monitoring.flows.live_state import REDIS_PEER, live_snapshot
from srm_service.planning.selectors import asked_of, flow_question

GROUPS_PEER = "groups"
_SILENT_ROUNDS = 3
_LEAST_SILENT_MS = 60_000  # a summary is rewritten each 30 s
_COLUMNS = tuple(column.name for column in fields(GroupSummary))


class UnknownGroupError(Exception):
    """The flow has no such consumer group."""


def flow_groups(flow: FlowId) -> FlowGroups:
    """Return the groups of a flow after the last rounds; `partial` says what is missing. Never raises."""
    try:
        summaries = flow_summaries(flow)
    except NoSummariesError as error:
        return FlowGroups(partial=(Partial(peer=REDIS_PEER, error=str(error)),))
    at_ms = now_ms()
    groups = {each.group: _now(each, summary) for summary in summaries.values() for each in summary.groups}
    skipped = {each.group: each for summary in summaries.values() for each in summary.skipped}
    newest = max(summaries.values(), key=lambda summary: summary.sent_ms, default=None)
    return FlowGroups(
        groups=tuple(groups[name] for name in sorted(groups)),
        skipped=tuple(skipped[name] for name in sorted(skipped) if name not in groups),
        counts=group_counts(each.readiness for each in groups.values()) if summaries else None,
        sync=None if newest is None else newest.sync,
        partial=_silent(flow, summaries, at_ms),
    )


def group_find(flow: FlowId, group: str) -> ConsumerGroupNow:
    """Return one group of a flow. Raises UnknownGroupError, which says what is known."""
    found = flow_groups(flow)
    for each in found.groups:
        if each.group == group:
            return each
    reason = next((each.reason for each in found.skipped if each.group == group), None)
    if reason is not None:
        raise UnknownGroupError(f"{flow} does not translate the group {group}: {reason}")
    missing = "; ".join(part.error for part in found.partial)
    raise UnknownGroupError(
        f"{flow} has no consumer group {group}" + (f", as far as is known: {missing}" if missing else "")
    )


def group_places(flow: FlowId, group: str, *, wait_ms: int = DEFAULT_WAIT_MS) -> GroupPlacesNow:
    """Return the partitions of a group as the clusters have them now. Raises NotAnsweredError, UnknownGroupError."""
    answer = asked_of(GroupPartitions, flow_question("group_partitions", flow, groups=(group,), wait_ms=wait_ms), flow)
    for each in answer.groups:
        if each.group == group and (each.partitions or each.state != "dead" or answer.unlooked):
            known = {column.name: getattr(each, column.name) for column in fields(each)}
            return GroupPlacesNow(**known, source=flow.source, target=flow.target, unlooked=answer.unlooked)
    missing = "; ".join(each.reason for each in answer.unlooked)
    raise UnknownGroupError(f"{flow} has no consumer group {group}" + (f": {missing}" if missing else ""))


def translations(flow: FlowId, places: Sequence[PlaceToTranslate], *, wait_ms: int = DEFAULT_WAIT_MS) -> Translations:
    """Return the places on the other cluster, with the evidence. Raises NotAnsweredError."""
    return asked_of(Translations, flow_question("translate", flow, places=tuple(places), wait_ms=wait_ms), flow)


def _now(group: GroupSummary, summary: GroupsSummary) -> ConsumerGroupNow:
    known = {name: getattr(group, name) for name in _COLUMNS}
    return ConsumerGroupNow(**known, checked_ms=summary.round_ms, interval_ms=summary.interval_ms)


def _silent(flow: FlowId, summaries: Mapping[int, GroupsSummary], at_ms: int) -> tuple[Partial, ...]:
    """Return the checkpoint tasks that the plan has and that do not report, and those that report old numbers."""
    planned = live_snapshot().plans.get(flow, {}).get("groups")
    slots = planned if isinstance(planned, list) else []
    missing = [
        f"{flow.source}/checkpoint/{slot}" for slot, names in enumerate(slots) if names and slot not in summaries
    ]
    found = [
        Partial(peer=GROUPS_PEER, error=f"the checkpoint task {task} has not reported; the flow's driver runs it")
        for task in missing
    ]
    for summary in summaries.values():
        age_ms = at_ms - summary.sent_ms
        if age_ms > max(_LEAST_SILENT_MS, _SILENT_ROUNDS * summary.interval_ms):
            text = f"the checkpoint task {summary.task} has not reported for {age_ms // 1_000} s"
            found.append(Partial(peer=GROUPS_PEER, error=text, age_ms=age_ms))
    return tuple(found)
