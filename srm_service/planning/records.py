"""One record and its copy, read by the control worker of the target."""

from django.conf import settings

from replication.domain.identifiers import FlowId
from replication.domain.questions.groups import PlaceToTranslate
from replication.domain.questions.question import RECORD_WAIT_MS
from replication.domain.questions.records import RecordPair
from srm_service.planning.selectors import asked_of, flow_question
from srm_service.trail.contracts import flow_subject
from srm_service.trail.services import record


class ValuesHiddenError(Exception):
    """This service does not show values of records; the text has the remedy."""


def record_pair(
    flow: FlowId, place: PlaceToTranslate, *, by: str, with_value: bool = False, wait_ms: int = RECORD_WAIT_MS
) -> RecordPair:
    """Return the record at a place with the one on the other cluster. Reading values leaves an entry in the trail.

    Raises NotAnsweredError, ValuesHiddenError.
    """
    if with_value:
        if not settings.SRM_SHOW_RECORD_VALUES:
            raise ValuesHiddenError("this service does not show values of records: set SRM_SHOW_RECORD_VALUES=true")
        read = {
            "topic": place.topic,
            "partition": place.partition,
            "offset": place.offset,
            "cluster": flow.source if place.direction == "to_target" else flow.target,
        }
        subject = flow_subject(flow.source, flow.target)
        record(by=by, action="flow.read_record_value", subject=subject, after=read)
    question = flow_question("record", flow, places=(place,), with_value=with_value, wait_ms=wait_ms)
    return asked_of(RecordPair, question, flow)
