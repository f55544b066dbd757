"""Answers a question about one flow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from replication.connectors.group_questions.answers import GROUP_QUESTIONS, answer_about_groups
from replication.connectors.questions.draft_plan import draft_plan
from replication.connectors.questions.drift_report import report_drift, set_again
from replication.connectors.questions.flow_inspection import FlowInspection
from replication.connectors.questions.flow_request import FlowRequest
from replication.connectors.questions.group_list import preview_groups
from replication.connectors.questions.topic_lists import list_states, preview_patterns
from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow, NamePatterns
from replication.domain.errors import ConfigurationError, ReplicationError
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.questions.flow_changes import FlowChanges, Unlooked, bounded
from replication.domain.questions.question import Question
from replication.domain.questions.topic_changes import ended_flow
from replication.worker.questions.flow_ports import FlowPorts, OpenFlowPorts
from replication.worker.questions.slot_restarts import SlotInputs, task_change
from replication.worker.state.desired_cache import AppliedDesired

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The state in force for a target; nothing for one that no document has named yet."""

    applied: AppliedDesired | None
    plans: Mapping[str, PlanDocument]  # by source
    reverse: Mapping[str, DesiredFlow] = field(default_factory=dict)  # flows the other way, by our source

    def flow(self, source: str) -> DesiredFlow | None:
        return None if self.applied is None else self.applied.document.flow(source)

    def client(self, alias: str) -> ClusterClient | None:
        return None if self.applied is None else self.applied.clients.get(alias)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A question with the document that it brought and its opened clients, and what is in force."""

    question: Question
    document: DesiredDocument
    clients: Mapping[str, ClusterClient]
    problems: Mapping[str, str]  # why a flow or a cluster of the document cannot be used, by source or alias
    present: Present
    now_ms: int


def flow_answer(inquiry: Inquiry, source: str, open_ports: OpenFlowPorts) -> object:
    """Return the shape of the question's kind. Blocking. Raises ReplicationError where nothing can be answered."""
    flow = inquiry.document.flow(source)
    if source in inquiry.problems:
        raise ConfigurationError(inquiry.problems[source])
    if inquiry.question.kind == "change_plan":
        return _change_plan(inquiry, source, flow, open_ports)
    if flow is None:
        raise ConfigurationError(f"there is no flow {source}->{inquiry.question.target} in the document")
    return _with_ports(inquiry, source, flow, open_ports, lambda request: _listing(inquiry.question, request))


def _listing(question: Question, request: FlowRequest) -> object:
    if question.kind == "preview":
        return preview_patterns(request, NamePatterns(allow=question.allow, deny=question.deny))
    if question.kind == "group_preview":
        return preview_groups(request, NamePatterns(allow=question.allow, deny=question.deny))
    if question.kind == "topic_states":
        return list_states(
            request,
            state=question.state,
            search=question.search,
            after=question.after,
            ordering=question.ordering,
        )
    if question.kind == "drift":
        return report_drift(request, question.topics, with_equal=question.with_equal)
    if question.kind in GROUP_QUESTIONS:
        return answer_about_groups(question, request)
    return set_again(request, question.topics, frozenset(question.keys))


def _change_plan(inquiry: Inquiry, source: str, flow: DesiredFlow | None, open_ports: OpenFlowPorts) -> FlowChanges:
    flow_id = FlowId(source, inquiry.question.target)
    present, plan = inquiry.present.flow(source), inquiry.present.plans.get(source)
    if flow is None or not flow.enabled:
        is_copied = present is not None and present.enabled
        change, drafted = ended_flow(flow_id, plan if is_copied else None), None
    else:
        change, drafted = _with_ports(inquiry, source, flow, open_ports, _inspected)
    drafted = drafted or (None if flow is None or plan is None else _same_topics(flow_id, flow, plan))
    return bounded(_with_tasks(change, inquiry, source, drafted), inquiry.question.most_names)


def _inspected(request: FlowRequest) -> tuple[FlowChanges, PlanDocument | None]:
    inspection = FlowInspection(request)
    return inspection.run(), inspection.draft_plan


def _same_topics(flow_id: FlowId, flow: DesiredFlow, plan: PlanDocument) -> PlanDocument:
    """The clusters were not inspected: the plan over the topics of the present one."""
    topics = [
        WantedTopic(upstream=each.upstream, remote=each.remote, partitions=each.partitions) for each in plan.topics
    ]
    return draft_plan(flow_id, flow, plan, topics)


def _with_tasks(change: FlowChanges, inquiry: Inquiry, source: str, drafted: PlanDocument | None) -> FlowChanges:
    present, target = inquiry.present, inquiry.question.target
    before = SlotInputs(
        flow=_copying(present.flow(source), inquiry.now_ms),
        plan=present.plans.get(source),
        source=present.client(source),
        target=present.client(target),
    )
    after = SlotInputs(
        flow=_copying(inquiry.document.flow(source), inquiry.now_ms),
        plan=drafted,
        source=inquiry.clients.get(source),
        target=inquiry.clients.get(target),
    )
    if after.flow is not None and drafted is None:
        unlooked = Unlooked(part="tasks", reason="the topics of the flow are not known")
        return replace(change, unlooked=(*change.unlooked, unlooked))
    try:
        return replace(change, tasks=task_change(before, after))
    except ValueError as error:  # a setting that cannot be used; it is among the findings
        return replace(change, unlooked=(*change.unlooked, Unlooked(part="tasks", reason=str(error))))


def _copying(flow: DesiredFlow | None, now_ms: int) -> DesiredFlow | None:
    return flow if flow is not None and flow.copies(now_ms) else None


def _with_ports(
    inquiry: Inquiry,
    source: str,
    flow: DesiredFlow,
    open_ports: OpenFlowPorts,
    work: Callable[[FlowRequest], Found],
) -> Found:
    target = inquiry.question.target
    for alias in (source, target):
        if alias not in inquiry.clients:
            problem = inquiry.problems.get(alias, "the document does not define it")
            raise ConfigurationError(f"cluster {alias} cannot be used: {problem}", cluster=alias)
    ports = open_ports(inquiry.clients[source], inquiry.clients[target])
    try:
        return work(_request(inquiry, source, flow, ports))
    finally:
        ports.close()


def _request(inquiry: Inquiry, source: str, flow: DesiredFlow, ports: FlowPorts) -> FlowRequest:
    present = inquiry.present.flow(source)
    enabled = {each.source for each in inquiry.document.flows if each.enabled and each.source != source}
    return FlowRequest(
        id=FlowId(source, inquiry.question.target),
        flow=flow,
        plan=inquiry.present.plans.get(source),
        is_copied=present is not None and present.enabled,
        source=ports.source,
        target=ports.target,
        others=tuple(plan for name, plan in sorted(inquiry.present.plans.items()) if name in enabled),
        reverse=inquiry.present.reverse.get(source),
        ledger=ports.ledger,
        open_sizes=ports.open_sizes,
        open_groups=ports.open_groups,
        open_group_admins=ports.open_group_admins,
        now_ms=inquiry.now_ms,
        most_names=inquiry.question.most_names,
    )


def problem_of(error: Exception) -> str:
    """Return the text of an answer that could not be given."""
    return error.text if isinstance(error, ReplicationError) else f"internal error {type(error).__name__}: {error}"
