"""Changes of remote topics that control workers make at once, because a person asks for them."""

from collections.abc import Sequence

from replication.domain.identifiers import FlowId
from replication.domain.questions.config_drift import SetAgain
from replication.domain.questions.question import DEFAULT_WAIT_MS
from srm_service.planning.selectors import asked_of, flow_question
from srm_service.trail.contracts import flow_subject
from srm_service.trail.services import record


def configs_set_again(
    flow: FlowId, *, topics: Sequence[str], keys: Sequence[str], by: str, wait_ms: int = DEFAULT_WAIT_MS
) -> SetAgain:
    """Set chosen configs of remote topics to the values that the flow sets; all keys without a choice.

    Raises NotAnsweredError; then a part of the configs may have been set.
    """
    question = flow_question("set_again", flow, topics=tuple(topics), keys=tuple(keys), wait_ms=wait_ms)
    after = {"topics": list(topics), "keys": list(keys)}
    record(by=by, action="flow.set_configs", subject=flow_subject(flow.source, flow.target), after=after)
    return asked_of(SetAgain, question, flow)
