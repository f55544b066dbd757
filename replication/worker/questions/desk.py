"""Accepts the questions that this control worker answers, and answers each flow in a separate thread.

A cluster that does not answer holds up its own flows only.
"""

import threading
from collections.abc import Callable, Sequence

import structlog

from replication.config.security.signed_document import is_signed
from replication.domain.desired.desired_document import (
    DesiredDocument,
    DesiredDocumentError,
    Rejected,
    desired_from_json,
)
from replication.domain.errors import ConfigurationError
from replication.domain.plan.slot import ClusterClient
from replication.domain.questions.question import (
    MOST_AGE_MS,
    RECEIPT,
    Question,
    QuestionError,
    Receipt,
    answer_to_json,
    question_from_json,
    receipt_to_json,
)
from replication.worker.clock import Clock
from replication.worker.questions.flow_answers import Inquiry, Present, flow_answer, problem_of
from replication.worker.questions.flow_ports import OpenFlowPorts
from replication.worker.questions.question_box import QuestionBox
from replication.worker.state.desired_cache import open_client

log = structlog.get_logger(__name__)
MOST_THREADS = 128


class QuestionDesk:
    """The coordinator thread calls `accept_waiting`; threads of the desk answer."""

    def __init__(
        self, box: QuestionBox, open_ports: OpenFlowPorts, transport_keys: Sequence[str], clock: Clock, *, driver: str
    ) -> None:
        self._box = box
        self._open_ports = open_ports
        self._keys = transport_keys
        self._clock = clock
        self._driver = driver
        self._free = threading.BoundedSemaphore(MOST_THREADS)

    def accept_waiting(self, is_ours: Callable[[str], bool], present_of: Callable[[str], Present]) -> None:
        """Accept the questions about targets that are ours. Raises CoordinatorLostError."""
        for question_id, raw in self._box.waiting().items():
            question = self._read(question_id, raw)
            if question is not None and is_ours(question.target) and self._box.accept(question_id):
                self._begin(question, present_of(question.target))

    def close(self) -> None:
        self._box.close()

    def _read(self, question_id: str, raw: bytes) -> Question | None:
        """None for a question that is not genuine, cannot be read, or is over."""
        try:
            question = genuine_question(self._keys, raw)
        except QuestionError as error:
            if self._box.accept(question_id):
                log.warning("question dropped", question=question_id, error=str(error))
            return None
        is_old = abs(self._clock.wall_ms() - question.asked_ms) > MOST_AGE_MS
        return None if is_old or question.id != question_id else question

    def _begin(self, question: Question, present: Present) -> None:
        self._box.answer(question.id, RECEIPT, receipt_to_json(Receipt(driver=self._driver)))
        try:
            inquiry = self._inquiry(question, present)
        except DesiredDocumentError as error:
            for source in question.sources:
                self._box.answer(question.id, source, answer_to_json(problem=str(error)))
            return
        for source in question.sources:
            if not self._free.acquire(blocking=False):
                text = f"the control worker {self._driver} inspects {MOST_THREADS} flows already; repeat it later"
                self._box.answer(question.id, source, answer_to_json(problem=text))
                continue
            thread = threading.Thread(
                target=self._answer, args=(inquiry, source), name=f"srm-question-{source}", daemon=True
            )
            thread.start()

    def _inquiry(self, question: Question, present: Present) -> Inquiry:
        document, rejected = desired_from_json(question.document)
        if document.target != question.target:
            raise DesiredDocumentError(f"the document is of target {document.target}, not {question.target}")
        clients, problems = self._clients(document)
        return Inquiry(
            question=question,
            document=document,
            clients=clients,
            problems=problems | _rejected_flows(document, question, rejected),
            present=present,
            now_ms=self._clock.wall_ms(),
        )

    def _clients(self, document: DesiredDocument) -> tuple[dict[str, ClusterClient], dict[str, str]]:
        clients: dict[str, ClusterClient] = {}
        problems: dict[str, str] = {}
        for alias, cluster in document.clusters.items():
            try:
                clients[alias] = open_client(self._keys, alias, cluster)
            except ConfigurationError as error:
                problems[alias] = error.text
        return clients, problems

    def _answer(self, inquiry: Inquiry, source: str) -> None:
        question = inquiry.question
        try:
            text = answer_to_json(flow_answer(inquiry, source, self._open_ports))
        except Exception as error:  # one flow never stops another
            if not isinstance(error, ConfigurationError):
                log.warning("question not answered", flow=f"{source}->{question.target}", error=str(error))
            text = answer_to_json(problem=problem_of(error))
        finally:
            self._free.release()
        self._box.answer(question.id, source, text)


def genuine_question(keys: Sequence[str], raw: bytes) -> Question:
    """Raises QuestionError for a question that the service did not sign, and for one that cannot be read."""
    if not is_signed(keys, raw, "question"):
        raise QuestionError("its signature is missing or wrong: give service and drivers equal transport keys")
    return question_from_json(raw)


def _rejected_flows(document: DesiredDocument, question: Question, rejected: Sequence[Rejected]) -> dict[str, str]:
    """The reasons for which flows of the question are missing in the document that it brought."""
    missing = [source for source in question.sources if document.flow(source) is None]
    reasons = "; ".join(f"{each.path}: {each.error}" for each in rejected if each.path.startswith("flows"))
    return dict.fromkeys(missing, f"the document cannot be used: {reasons}") if reasons else {}
