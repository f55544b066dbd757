"""Answers a question about consumer groups of one flow."""

from replication.connectors.group_questions.partitions_report import report_partitions
from replication.connectors.group_questions.place_translation import translate_places
from replication.connectors.group_questions.sync_now import sync_now
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.errors import ConfigurationError
from replication.domain.questions.groups import GroupPartitions, SyncReceipts, Translations
from replication.domain.questions.question import Question, QuestionKind
from replication.tasks.groups.checkpoint_order import CheckpointOrder

GROUP_QUESTIONS: frozenset[QuestionKind] = frozenset({"group_partitions", "sync_groups", "translate"})


def answer_about_groups(question: Question, request: FlowRequest) -> GroupPartitions | SyncReceipts | Translations:
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
        return translate_places(request, request.plan, ports, question.places, request.now_ms)
    finally:
        ports.close()
