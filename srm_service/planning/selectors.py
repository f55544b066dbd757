"""Change plans, and what control workers see of a flow's topics. Each call waits for answers until a deadline."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from replication.domain.desired.desired_document import desired_to_json
from replication.domain.desired.json_reader import FieldError
from replication.domain.identifiers import FlowId
from replication.domain.questions.config_drift import ConfigDrift
from replication.domain.questions.cycles_of_drafts import draft_cycles
from replication.domain.questions.flow_changes import FlowChanges
from replication.domain.questions.json_shape import from_plain
from replication.domain.questions.question import DEFAULT_WAIT_MS, MOST_NAMES, Question, QuestionKind
from replication.domain.questions.topic_preview import TopicPreview
from replication.domain.questions.topic_state import TopicStates
from srm_service.configuration.contracts import PropertyChange
from srm_service.core.clock import now_ms
from srm_service.flows.desired import desired_document
from srm_service.flows.selectors import published_revisions
from srm_service.planning.contracts import ChangePlan, FlowPlan, PlanFinding
from srm_service.planning.control_worker import ask
from srm_service.planning.drafts import ChangedFlow, Documents, changed_flows, flows_of, rehearsed
from srm_service.planning.flow_plans import (
    changed_values,
    flow_change_of,
    shared_names,
    taken_findings,
    with_findings,
)

Shape = TypeVar("Shape")
_SHOWN = 5


class NotAnsweredError(Exception):
    """The control worker could not answer; the text says why, and what to do."""


class ClustersNotAllowedError(Exception):
    """The draft changes clusters, which only admins may do: drivers would send credentials to new addresses."""


def change_plan(
    changes: Sequence[PropertyChange], *, may_change_clusters: bool, wait_ms: int = DEFAULT_WAIT_MS
) -> ChangePlan:
    """Return what the changes would do. Raises InvalidChangeError, ClustersNotAllowedError."""
    draft = rehearsed(changes)
    if draft.effect.clusters and not may_change_clusters:
        names = ", ".join(draft.effect.clusters[:_SHOWN])
        raise ClustersNotAllowedError(f"{names}: clusters and their credentials need the admin role")
    flows = changed_flows(draft.before.documents, draft.after.documents, draft.effect.clusters)
    found = _looked_at(flows, draft.before.documents, draft.after.documents, wait_ms)
    revisions = published_revisions()
    return ChangePlan(
        version=draft.effect.version,
        changes_configuration=draft.effect.is_new,
        clusters=draft.effect.clusters,
        findings=tuple(
            PlanFinding(severity=each.severity, key=each.key, message=each.message) for each in draft.effect.findings
        ),
        flows=tuple(
            FlowPlan(
                source=flow.id.source,
                target=flow.id.target,
                outcome=flow.outcome,
                revision=revisions.get(flow.id.target),
                values=changed_values(
                    draft.before.values.get(flow.id),
                    draft.after.values.get(flow.id),
                ),
                changes=found[flow.id],
            )
            for flow in flows
        ),
    )


def topic_preview(
    flow: FlowId, *, allow: Sequence[str], deny: Sequence[str], limit: int = MOST_NAMES, wait_ms: int = DEFAULT_WAIT_MS
) -> TopicPreview:
    """Return what patterns would select on the flow's source. Raises NotAnsweredError."""
    return _asked(
        TopicPreview, "preview", flow, allow=tuple(allow), deny=tuple(deny), most_names=limit, wait_ms=wait_ms
    )


def topic_states(
    flow: FlowId,
    *,
    state: str = "",
    search: str = "",
    after: str = "",
    limit: int = MOST_NAMES,
    wait_ms: int = DEFAULT_WAIT_MS,
) -> TopicStates:
    """Return a page of the flow's topics with their states. Raises NotAnsweredError."""
    return _asked(
        TopicStates,
        "topic_states",
        flow,
        state=state,
        search=search,
        after=after,
        most_names=limit,
        wait_ms=wait_ms,
    )


def config_drift(
    flow: FlowId, *, topics: Sequence[str] = (), limit: int = MOST_NAMES, wait_ms: int = DEFAULT_WAIT_MS
) -> ConfigDrift:
    """Return configs of remote topics that differ from those of their upstream topics. Raises NotAnsweredError."""
    return _asked(ConfigDrift, "drift", flow, topics=tuple(topics), most_names=limit, wait_ms=wait_ms)


def asked_of(shape: type[Shape], question: Question, flow: FlowId) -> Shape:
    """Return the answer about one flow. Raises NotAnsweredError."""
    answer = ask([question])[0].of(flow.source)
    if answer.content is None:
        raise NotAnsweredError(answer.problem or "the control worker gave no answer")
    try:
        return from_plain(shape, answer.content)
    except FieldError as error:
        text = f"the answer of the control worker cannot be read ({error}): update service and drivers to one release"
        raise NotAnsweredError(text) from error


def flow_question(kind: QuestionKind, flow: FlowId, **options: object) -> Question:
    """Return a question about one flow as it is desired now."""
    at_ms = now_ms()
    document, _ = desired_document(flow.target, published_ms=at_ms)
    return Question(
        id=uuid.uuid4().hex,
        kind=kind,
        target=flow.target,
        sources=(flow.source,),
        document=desired_to_json(document),
        asked_ms=at_ms,
        **options,  # type: ignore[arg-type]  # the fields of a question
    )


def _asked(shape: type[Shape], kind: QuestionKind, flow: FlowId, **options: object) -> Shape:
    return asked_of(shape, flow_question(kind, flow, **options), flow)


def _looked_at(
    flows: Sequence[ChangedFlow], before: Documents, after: Documents, wait_ms: int
) -> Mapping[FlowId, FlowChanges]:
    """Ask all targets at once; every flow has an entry, also without any answer."""
    questions = _questions(flows, before, after, wait_ms)
    answers = {each.question.target: each for each in ask(questions)}
    found = {flow.id: flow_change_of(flow.id, answers[flow.id.target].of(flow.id.source)) for flow in flows}
    cycles, shared = draft_cycles(flows_of(after)), shared_names(found.values())
    return {
        flow_id: with_findings(change, (*cycles.get(flow_id, ()), *taken_findings(change), *shared.get(flow_id, ())))
        for flow_id, change in found.items()
    }


def _questions(flows: Sequence[ChangedFlow], before: Documents, after: Documents, wait_ms: int) -> list[Question]:
    at_ms = now_ms()
    sources: dict[str, list[str]] = {}
    for flow in flows:
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
