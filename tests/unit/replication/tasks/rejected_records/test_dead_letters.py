"""Dead letters are written even where their topic does not take the whole record, and hold nothing that is hidden."""

from collections.abc import Sequence
from typing import Any, cast

import pytest

from replication.domain.batches.record import Record
from replication.domain.errors import FatalError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.domain.settings.record_settings import RecordSettings
from replication.domain.transforms.settings import TransformSettings
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.rejected_records.dead_letters import CONTENT_OMITTED, dead_letter, write_dead_letters
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.rejected_records.rejected_records import RejectedRecords
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.slot_in_memory import REMOTE_TOPIC, SlotInMemory
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents


class SmallTopic:
    """Refuses records whose content is larger than it takes."""

    def __init__(self, most_bytes: int = 1_000_000) -> None:
        self.most_bytes = most_bytes
        self.written: list[OutgoingRecord] = []

    async def append(self, _topic: str, records: Sequence[OutgoingRecord]) -> int:
        for record in records:
            own = sum(len(value or b"") for name, value in record.headers if not name.startswith("__"))
            if len(record.key or b"") + len(record.value or b"") + own > self.most_bytes:
                raise FatalError("MESSAGE_TOO_LARGE")
            self.written.append(record)
        return 0


@pytest.mark.parametrize(
    ("most_bytes", "key", "value", "omitted"),
    [
        (100, b"kk", b"v" * 50, None),
        (10, b"kk", None, b"value"),
        (1, None, None, CONTENT_OMITTED[1]),
    ],
)
def test_what_the_topic_does_not_take_is_skipped_and_said(
    most_bytes: int, key: bytes | None, value: bytes | None, omitted: bytes | None
) -> None:
    topic, loop = SmallTopic(most_bytes), VirtualLoop()
    letter = dead_letter(OutgoingRecord(b"kk", b"v" * 50, [("h", b"h")]), TopicPartition("t", 0), 7, "too large")

    task = loop.spawn(write_dead_letters(cast("Any", topic), "letters", [letter]))
    loop.run_until(lambda: task.done)

    assert task.error is None
    (written,) = topic.written
    headers = dict(written.headers)
    assert (written.key, written.value, headers.get("__srm.errors.left.out")) == (key, value, omitted)
    assert headers["__connect.errors.offset"] == b"7"


def test_a_letter_keeps_headers_without_a_value() -> None:
    slot = SlotInMemory(errors=ErrorHandling(policy="dead_letter", dead_letter_topic="letters"))
    slot.target.create("letters")
    slot.target.topics[REMOTE_TOPIC].configs["max.message.bytes"] = "200"
    headers = [("null", None), ("empty", b"")]
    slot.store(build_batch([Record(0, 1_000, b"k", bytes(300), headers)]))

    slot.run_until_committed(1)
    slot.run_until(lambda: bool(slot.values("letters")))

    (letter,) = slot.target.log("letters").records(committed=True)
    assert list(letter.headers)[:2] == headers
    slot.close()


def test_what_may_pass_by_itself_costs_a_letter_nothing() -> None:
    class Away:
        async def append(self, _topic: str, _records: Sequence[OutgoingRecord]) -> int:
            raise RetriableError("no leader")

    loop = VirtualLoop()
    task = loop.spawn(write_dead_letters(cast("Any", Away()), "letters", [OutgoingRecord(b"k", b"v")]))
    loop.run_until(lambda: task.done)

    assert isinstance(task.error, RetriableError)


@pytest.mark.parametrize(
    ("kind", "unmasked", "is_whole"),
    [
        ("mask_field", False, False),
        ("drop_field", False, False),
        ("acme_plug_in", False, False),
        ("filter", False, True),
        ("mask_field", True, True),
    ],
)
def test_a_letter_holds_nothing_that_transforms_hide(kind: str, unmasked: bool, is_whole: bool) -> None:
    loop, topic = VirtualLoop(), SmallTopic()
    transform = TransformSettings(name="m", type=kind, topics=None, options=())
    context = a_context(
        loop,
        {"records": topic},
        errors=ErrorHandling(policy="dead_letter", dead_letter_topic="letters", unmasked_letters=unmasked),
        records=RecordSettings(transforms=(transform,)),
    )
    record = Record(7, 0, b"key", b"card 4711", [("h", b"secret")])

    rejected = RejectedRecords(context, NotedEvents(), RejectedLog())
    rejected.handle(a_copy(context, "t"), [cast("Any", (record, "no json"))], "dead_letter")
    loop.run_for(1)

    (letter,) = topic.written
    assert (letter.key, letter.value) == ((b"key", b"card 4711") if is_whole else (None, None))
    assert ("h" in dict(letter.headers)) is is_whole
    assert dict(letter.headers)["__connect.errors.exception.message"] == b"no json"
