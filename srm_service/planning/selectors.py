"""Questions about the topics of one flow as it is desired now. Each call waits for the answer until a deadline."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from replication.domain.desired.desired_document import desired_to_json
from replication.domain.desired.json_reader import FieldError
from replication.domain.identifiers import FlowId
from replication.domain.questions.config_drift import ConfigDrift
from replication.domain.questions.group_preview import GroupPreview
from replication.domain.questions.json_shape import from_plain
from replication.domain.questions.question import DEFAULT_WAIT_MS, MOST_NAMES, Question, QuestionKind
from replication.domain.questions.topic_preview import TopicPreview
from replication.domain.questions.topic_state import TopicStates
from srm_service.core.clock import now_ms
from srm_service.flows.changes import FlowSettingsChange, drafted_changes
from srm_service.flows.documents.desired import desired_document
from srm_service.flows.selectors import flow_find
from srm_service.planning.control_worker import ask
from srm_service.planning.drafts import flows_of, rehearsed

Shape = TypeVar("Shape")


class NotAnsweredError(Exception):
    """The control worker could not answer; the text says why, and what to do."""


def topic_preview(
    flow: FlowId,
    *,
    allow: Sequence[str],
    deny: Sequence[str],
    policy: Mapping[str, Any] | None = None,
    limit: int = MOST_NAMES,
    wait_ms: int = DEFAULT_WAIT_MS,
) -> TopicPreview:
    """Return what patterns would select on the flow's source, also before the flow exists.

    Raises NotAnsweredError, UnknownClusterError, IncompletePolicyError, InvalidChangeError.
    """
    question = flow_question("preview", flow, allow=tuple(allow), deny=tuple(deny), most_names=limit, wait_ms=wait_ms)
    if policy or flow_find(flow.source, flow.target) is None:
        question = replace(question, document=_drafted_document(flow, policy=policy or {}))
    return asked_of(TopicPreview, question, flow)


def group_preview(
    flow: FlowId,
    *,
    allow: Sequence[str],
    deny: Sequence[str],
    topics_allow: Sequence[str] | None = None,
    topics_deny: Sequence[str] | None = None,
    policy: Mapping[str, Any] | None = None,
    limit: int = MOST_NAMES,
    wait_ms: int = DEFAULT_WAIT_MS,
) -> GroupPreview:
    """Return the groups that patterns would select on the flow's source, also before the flow exists.

    Without patterns of topics the flow's own count. Raises what `topic_preview` raises.
    """
    question = flow_question(
        "group_preview", flow, allow=tuple(allow), deny=tuple(deny), most_names=limit, wait_ms=wait_ms
    )
    patterns = {"topics_allow": topics_allow, "topics_deny": topics_deny}
    topics = {name: tuple(each) for name, each in patterns.items() if each is not None}
    if topics or policy or flow_find(flow.source, flow.target) is None:
        question = replace(question, document=_drafted_document(flow, policy=policy or {}, fields=topics))
    return asked_of(GroupPreview, question, flow)


def _drafted_document(flow: FlowId, *, policy: Mapping[str, Any], fields: Mapping[str, Any] | None = None) -> str:
    """Return the target's document with the flow under this naming and with these fields."""
    change = FlowSettingsChange(fields={"enabled": True, **(fields or {})}, policy=policy)
    draft = rehearsed(drafted_changes(flow.source, flow.target, change))
    if FlowId(flow.source, flow.target) not in flows_of(draft.after.documents):
        problems = (draft.after.problems.get(name, "") for name in (str(flow), flow.source, flow.target))
        reason = "; ".join(filter(None, problems)) or "one of its clusters cannot be used"
        raise NotAnsweredError(f"drivers would not get {flow}: {reason}")
    return desired_to_json(draft.after.documents[flow.target])


def topic_states(
    flow: FlowId,
    *,
    state: str = "",
    search: str = "",
    after: str = "",
    ordering: str = "",
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
        ordering=ordering,
        most_names=limit,
        wait_ms=wait_ms,
    )


def config_drift(
    flow: FlowId,
    *,
    topics: Sequence[str] = (),
    with_equal: bool = False,
    limit: int = MOST_NAMES,
    wait_ms: int = DEFAULT_WAIT_MS,
) -> ConfigDrift:
    """Return configs of remote topics that differ from those of their upstream topics. Raises NotAnsweredError."""
    return _asked(
        ConfigDrift, "drift", flow, topics=tuple(topics), with_equal=with_equal, most_names=limit, wait_ms=wait_ms
    )


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
