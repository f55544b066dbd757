"""Documents that anyone with a right on an internal topic, or on Redis, can write: what cannot be read has one error.

Any other exception would end the slot, the plan or the round that reads the document, and again at each attempt.
"""

import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest

from replication.codecs.applied_records import decode_applied
from replication.codecs.connect_offsets import decode_position, decode_source_key
from replication.codecs.control_records import decode_author
from replication.codecs.gap_records import decode_gap
from replication.codecs.position_records import read_position
from replication.codecs.producer_registry import decode_producer
from replication.codecs.service_advertisements import decode_advertisement
from replication.domain.batches.record import Record
from replication.domain.desired.desired_document import DesiredDocumentError, desired_from_json
from replication.domain.desired.desired_drivers import DriverOrdersError, desired_drivers_from_json
from replication.domain.errors import MalformedRecordError
from replication.domain.groups.group_summary import SummaryError, summary_from_bytes
from replication.domain.json_documents import read_object
from replication.domain.plan.plan_document import plan_from_json
from replication.domain.questions.question import (
    QuestionError,
    answer_from_json,
    question_from_json,
    receipt_from_json,
)
from replication.worker.assignment.exchange import _loop_lag_ms
from replication.worker.assignment.namesake import Namesake
from replication.worker.assignment.roster import _parsed
from replication.worker.reporting.documents import DriverProcess
from replication.worker.state.redis_store import MemberRecord

PROCESS = DriverProcess(driver="d1", role="data", boot="b1", host="h", pid=1, version="0", started_ms=0)
Reader = tuple[Callable[[bytes], object], tuple[type[Exception], ...]]
READERS: dict[str, Reader] = {
    "applied settings": (lambda text: decode_applied(b"west.orders", text), (MalformedRecordError,)),
    "position": (decode_position, (MalformedRecordError,)),
    "key of a position": (decode_source_key, (MalformedRecordError,)),
    "record of a position": (lambda text: read_position(Record(0, 1, text, text, ()), "east"), ()),
    "control topic": (decode_author, ()),
    "gap": (decode_gap, (ValueError,)),
    "registered producer": (lambda text: decode_producer(b"7", text), (MalformedRecordError,)),
    "advertisement": (lambda text: decode_advertisement(b"id", text), (MalformedRecordError,)),
    "desired document": (desired_from_json, (DesiredDocumentError,)),
    "orders for drivers": (desired_drivers_from_json, (DriverOrdersError,)),
    "plan": (plan_from_json, (ValueError,)),
    "question": (question_from_json, (QuestionError,)),
    "answer": (answer_from_json, (QuestionError,)),
    "receipt": (receipt_from_json, (QuestionError,)),
    "summary of groups": (lambda text: summary_from_bytes(zlib.compress(text)), (SummaryError,)),
    "membership": (lambda text: _parsed(MemberRecord(document=text, remaining_ms=1)), ()),
    "membership of an owner": (read_object, ()),
    "lag of a member": (lambda text: _loop_lag_ms(text, "local"), ()),
    "membership in our place": (lambda text: Namesake().check(PROCESS, text), ()),
}
DOCUMENTS = {
    "nested": b"[" * 100_000,
    "nested and closed": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "cut": b'{"v":',
    "latin": b'"\xff"',
    "digits": b"9" * 5_000,
    "other shape": b"[1]",
    "word": b"null",
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS.keys())
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_a_document_that_cannot_be_read_has_the_error_of_its_reader(reader: Reader, document: bytes) -> None:
    read, errors = reader
    with suppress(*errors):
        read(document)


@pytest.mark.parametrize("offset", [2**63 - 1, 2**63, 10**30])
def test_a_position_that_no_log_can_have_is_no_position(offset: int) -> None:
    record = Record(0, 1, b'["MirrorSourceConnector",{"cluster":"east","partition":0,"topic":"orders"}]', b"", ())
    stored = record._replace(value=b'{"offset":%d}' % offset)

    assert read_position(stored._replace(value=b'{"offset":7}'), "east") is not None
    assert read_position(stored, "east") is None
