"""The contract of every transform, built in or a plug-in: call `check_transform` with yours in a test."""

from collections.abc import Sequence

from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.domain.transforms.contract import Transform, TransformError

UPSTREAM = TopicPartition("orders", 3)
AWKWARD = (
    Record(0, 1_700_000_000_000, None, None, []),
    Record(1, -1, b"", b"", []),
    Record(2, 1_700_000_000_000, b"\xff\xfe", b"\x00\x80", [("h", None), ("h", b"")]),
    Record(3, 1_700_000_000_000, b"key", b'{"a":{"b":[1,null]}}', [("h", b"1"), ("h", b"2")]),
    Record(4, 1_700_000_000_000, b"key", b"[1,2]", []),
)


def check_transform(transform: Transform, records: Sequence[Record] = AWKWARD) -> None:
    """AssertionError names the record that shows what is wrong."""
    for record in records:
        before = record._replace(headers=list(record.headers))
        first, again = _outcome(transform, record), _outcome(transform, record)
        assert record == before, f"the record at offset {record.offset} was changed in place"
        assert first == again, f"the record at offset {record.offset} comes out different the second time"
        if isinstance(first, Record):
            assert first.offset == record.offset, f"the offset of the record at {record.offset} was changed"
            _check_types(first)


def _outcome(transform: Transform, record: Record) -> Record | str | None:
    """Return the outcome; a rejection is an outcome, any other exception is an error of the transform."""
    try:
        made = transform.apply(UPSTREAM, record)
    except TransformError as error:
        return error.text
    return None if made is None else made._replace(headers=list(made.headers))


def _check_types(record: Record) -> None:
    assert record.key is None or type(record.key) is bytes, f"key at {record.offset}: {type(record.key)}"
    assert record.value is None or type(record.value) is bytes, f"value at {record.offset}: {type(record.value)}"
    for name, value in record.headers:
        assert type(name) is str, f"header name at {record.offset}: {type(name)}"
        assert value is None or type(value) is bytes, f"header value at {record.offset}: {type(value)}"
