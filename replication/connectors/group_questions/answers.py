"""Answers a question about consumer groups of one flow, or about a record at a place."""

from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.group_questions.partitions_report import report_partitions
from replication.connectors.group_questions.place_translation import translate_places
from replication.connectors.group_questions.record_pair import record_pair
from replication.connectors.group_questions.sync_now import sync_now
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.errors import ConfigurationError
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.groups import GroupPartitions, SyncReceipts, Translations
from replication.domain.questions.question import Question, QuestionKind
from replication.domain.questions.records import RecordPair
from replication.tasks.groups.checkpoint_order import CheckpointOrder

GroupAnswer = GroupPartitions | SyncReceipts | Translations | RecordPair
GROUP_QUESTIONS: frozenset[QuestionKind] = frozenset({"group_partitions", "sync_groups", "translate", "record"})


def answer_about_groups(question: Question, request: FlowRequest) -> GroupAnswer:
    """Return the shape of the question's kind. Blocking.

    Raises the target's errors, and ConfigurationError for settings that cannot be used.
    """
    if request.plan is None:
        raise ConfigurationError(f"{request.id} has no plan yet: repeat it when the flow has started")
    if request.open_groups is None:
        raise ConfigurationError("this driver cannot ask for consumer groups")
    order = CheckpointOrder(flow=request.flow, target=request.id.target, slot=0, plan=request.plan)
    ports = request.open_groups(order.copy_topics, order.reverse_topics)
    try:
        if question.kind == "group_partitions":
            return report_partitions(request, request.plan, ports, question.groups, request.now_ms)
        if question.kind == "sync_groups":
            return sync_now(request, request.plan, ports, question.groups, request.now_ms, dry_run=question.dry_run)
        if question.kind == "record":
            return _record(question, request, request.plan, ports)
        return translate_places(request, request.plan, ports, question.places, request.now_ms)
    finally:
        ports.close()


def _record(question: Question, request: FlowRequest, plan: PlanDocument, ports: GroupPorts) -> RecordPair:
    if len(question.places) != 1:
        raise ConfigurationError("a question about a record has one place")
    place = question.places[0]
    return record_pair(request, plan, ports, place, request.now_ms, with_value=question.with_value)
