"""The effect of a draft, before anything is applied. Waits for control workers until a deadline."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from replication.domain.desired.desired_document import desired_to_json
from replication.domain.identifiers import FlowId
from replication.domain.questions.cycles_of_drafts import draft_cycles
from replication.domain.questions.flow_changes import FlowChanges
from replication.domain.questions.question import DEFAULT_WAIT_MS, FlowAnswer, Question
from replication.domain.sentences import sentence
from srm_service.configuration.contracts import PropertyChange
from srm_service.core.clock import now_ms
from srm_service.flows.selectors import desired_revisions
from srm_service.planning.contracts import ChangePlan, FlowPlan, PlanFinding
from srm_service.planning.control_worker import ask
from srm_service.planning.drafts import PlannedFlow, RehearsedDraft, flows_of, planned_flows, rehearsed
from srm_service.planning.flow_plans import (
    changed_values,
    flow_changes_of,
    shared_names,
    taken_findings,
    with_findings,
)

_SHOWN = 5


class ClustersNotAllowedError(Exception):
    """The draft changes clusters, which only admins may do: drivers would send credentials to new addresses."""


def change_plan(
    changes: Sequence[PropertyChange], *, may_change_clusters: bool, wait_ms: int = DEFAULT_WAIT_MS
) -> ChangePlan:
    """Return what the changes would do. Raises InvalidChangeError, ClustersNotAllowedError."""
    draft = rehearsed(changes)
    if draft.effect.clusters and not may_change_clusters:
        names = ", ".join(draft.effect.clusters[:_SHOWN])
        raise ClustersNotAllowedError(f"changes of clusters and their credentials need the admin role: {names}")
    flows = planned_flows(draft)
    found = _changes_by_flow(flows, draft, wait_ms)
    revisions = desired_revisions()
    return ChangePlan(
        version=draft.effect.version,
        changes_configuration=draft.effect.is_new,
        clusters=draft.effect.clusters,
        findings=tuple(
            PlanFinding(severity=each.severity, key=each.key, message=sentence(each.message))
            for each in draft.effect.findings
        ),
        flows=tuple(
            FlowPlan(
                source=flow.id.source,
                target=flow.id.target,
                outcome=flow.outcome,
                revision=revisions.get(flow.id.target),
                values=changed_values(draft.before.values.get(flow.id), draft.after.values.get(flow.id)),
                changes=found[flow.id],
            )
            for flow in flows
        ),
    )


def _changes_by_flow(flows: Sequence[PlannedFlow], draft: RehearsedDraft, wait_ms: int) -> Mapping[FlowId, FlowChanges]:
    """Ask all targets at once; every flow has an entry, also without any answer."""
    answers = {each.question.target: each for each in ask(_questions(flows, draft, wait_ms))}
    found = {
        flow.id: flow_changes_of(
            flow.id,
            answers[flow.id.target].of(flow.id.source) if flow.problem is None else FlowAnswer(problem=flow.problem),
        )
        for flow in flows
    }
    cycles, shared = draft_cycles(flows_of(draft.after.documents)), shared_names(found.values())
    return {
        flow_id: with_findings(change, (*cycles.get(flow_id, ()), *taken_findings(change), *shared.get(flow_id, ())))
        for flow_id, change in found.items()
    }


def _questions(flows: Sequence[PlannedFlow], draft: RehearsedDraft, wait_ms: int) -> list[Question]:
    at_ms = now_ms()
    before, after = draft.before.documents, draft.after.documents
    sources: dict[str, list[str]] = {}
    for flow in flows:
        if flow.problem is None:
            sources.setdefault(flow.id.target, []).append(flow.id.source)
    return [
        Question(
            id=uuid.uuid4().hex,
            kind="change_plan",
            target=target,
            sources=tuple(names),
            document=desired_to_json(after.get(target) or replace(before[target], flows=())),
            asked_ms=at_ms,
            wait_ms=wait_ms,
        )
        for target, names in sources.items()
    ]
