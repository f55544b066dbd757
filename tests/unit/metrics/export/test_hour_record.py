"""The record of an exported hour."""

import pytest

from metrics.export.hour_record import HourRecord, TableRecord

TABLE = TableRecord(rows=3, fingerprint="f", exported_ms=5)


def test_a_record_is_read_as_it_was_written() -> None:
    record = HourRecord({"tiles_1m": TABLE, "covered": TableRecord(rows=0, fingerprint="g", exported_ms=6)})

    assert HourRecord.from_json(record.to_json("b", "2026-11-22T10:00Z")) == record


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"tables": []}', '{"tables": {"covered": {"rows": 1}}}'])
def test_a_record_that_cannot_be_read_vouches_for_nothing(text: str | None) -> None:
    assert not HourRecord.from_json(text).tables
    assert not HourRecord.from_json(text).holds(("covered",), None)


def test_tables_are_withdrawn_and_added_one_by_one() -> None:
    record = HourRecord({"tiles_1m": TABLE, "covered": TABLE})

    assert record.without({"covered"}) == HourRecord({"tiles_1m": TABLE})
    assert record.without({"covered"}).with_tables({"covered": TABLE}) == record
    assert record.holds(("covered", "tiles_1m"), "f")
    assert not record.holds(("covered", "tiles_1h"), "f")
    assert not record.holds(("covered",), "g")
