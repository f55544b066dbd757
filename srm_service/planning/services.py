"""Changes of remote topics that control workers make at once, because a person asks for them."""

from collections.abc import Sequence

import structlog

from replication.domain.identifiers import FlowId
from replication.domain.questions.config_drift import SetAgain
from replication.domain.questions.question import DEFAULT_WAIT_MS
from srm_service.planning.selectors import asked_of, flow_question

_log = structlog.get_logger("audit")


def configs_set_again(
    flow: FlowId, *, topics: Sequence[str], keys: Sequence[str], by: str, wait_ms: int = DEFAULT_WAIT_MS
) -> SetAgain:
    """Set chosen configs of remote topics to the values that the flow sets; all keys without a choice.

    Raises NotAnsweredError; then a part of the configs may have been set.
    """
    question = flow_question("set_again", flow, topics=tuple(topics), keys=tuple(keys), wait_ms=wait_ms)
    _log.info("configs set again", flow=str(flow), topics=list(topics), keys=list(keys), by=by)
    return asked_of(SetAgain, question, flow)
