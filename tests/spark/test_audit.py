"""Hashes, fingerprints and last values of an audit, on rows as Spark's Kafka source gives them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding
from metrics.audit.job import record_comparison as audit_drill
from metrics.audit.job.frames import (
    RangePart,
    assigned,
    audit_session,
    fingerprinted,
    fingerprints,
    hashed,
    island_records,
    island_rows,
    originals,
)
from metrics.audit.job.last_values import last_values, read_last_values
from metrics.audit.ranges import FrozenPartition

pytestmark = pytest.mark.spark

Headers = list[tuple[str, bytes | None]] | None
DDL = (
    "key BINARY, value BINARY, partition INT, offset BIGINT, timestamp TIMESTAMP, "
    "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
)
AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    return audit_session(spark)


def row(
    offset: int, key: bytes | None = b"k", value: bytes | None = b"v", headers: Headers = None, at: datetime = AT
) -> tuple[Any, ...]:
    return (key, value, 0, offset, at, headers)


def frame(session: SparkSession, rows: Sequence[tuple[Any, ...]], **choices: Any) -> DataFrame:
    raw = session.createDataFrame(list(rows), DDL).coalesce(1)  # a Kafka partition is one task
    return hashed(raw, **{"with_timestamp": True, "strict": False, **choices})


def contents(session: SparkSession, rows: Sequence[tuple[Any, ...]], **choices: Any) -> list[tuple[int, ...]]:
    found = frame(session, rows, **choices).orderBy("offset").collect()
    names = sorted(name for name in found[0].asDict() if name.startswith("content_"))
    return [tuple(each[name] for name in names) for each in found]


@pytest.mark.parametrize("strict", [False, True])
def test_records_that_differ_in_any_part_have_another_content(session: SparkSession, *, strict: bool) -> None:
    variants = [
        row(0),
        row(1, key=None),
        row(2, value=None),
        row(3, value=b""),
        row(4, key=b"v", value=b"k"),
        row(5, key=b"kv", value=b""),
        row(6, headers=[("h", b"1")]),
        row(7, headers=[("h", None)]),
        row(8, headers=[("h", b"1"), ("h", None)]),
        row(9, headers=[("h", None), ("h", b"1")]),
        row(10, headers=[("h1", b"")]),
        row(11, at=datetime(2026, 1, 1, 0, 0, 0, 1_000, tzinfo=UTC)),
        row(12, key=None, value=b"k"),
        row(13, key=b"k", value=None, headers=[("v", b"")]),
    ]

    assert len(set(contents(session, variants, strict=strict))) == len(variants)


@pytest.mark.parametrize("strict", [False, True])
def test_the_time_is_skipped_where_the_target_stamps_records_itself(session: SparkSession, *, strict: bool) -> None:
    later = row(1, at=datetime(2026, 1, 2, tzinfo=UTC))

    assert len(set(contents(session, [row(0), later], strict=strict, with_timestamp=False))) == 1


def test_headers_that_the_flow_writes_itself_are_skipped(session: SparkSession) -> None:
    rows = [row(0), row(1, headers=[("srm.source.offset", b"1")]), row(2, headers=[("a", b"1")])]
    found = contents(session, rows, ignored_headers=("srm.source.offset",))

    assert found[0] == found[1] != found[2]


def prints(session: SparkSession, values: Sequence[bytes], first: int = 0) -> Any:
    rows = frame(session, [row(first + at, value=value) for at, value in enumerate(values)])
    pieces = [RangePart(0, first, first + 3, 1), RangePart(0, first + 3, first + 100, 2)]
    return fingerprints(fingerprinted(assigned(session, rows, pieces), "source"))["source"]


def test_equal_ranges_at_other_offsets_have_the_same_fingerprint(session: SparkSession) -> None:
    values = [b"%d" % n for n in range(6)]

    assert prints(session, values) == prints(session, values, first=9_000)


@pytest.mark.parametrize(
    "damaged",
    [
        [b"0", b"2", b"1", b"3", b"4", b"5"],
        [b"0", b"1", b"x", b"3", b"4", b"5"],
        [b"0", b"1", b"1", b"3", b"4", b"5"],
    ],
    ids=["order", "content", "repeat"],
)
def test_a_range_with_an_error_has_another_fingerprint_and_its_neighbour_the_same(
    session: SparkSession, damaged: list[bytes]
) -> None:
    whole, other = prints(session, [b"%d" % n for n in range(6)]), prints(session, damaged)

    assert whole[1] != other[1]
    assert whole[2] == other[2]


def test_rows_outside_of_every_piece_are_skipped(session: SparkSession) -> None:
    rows = frame(session, [row(at) for at in range(20)])
    found = island_records(
        island_rows(assigned(session, rows, [RangePart(0, 5, 8, 3), RangePart(0, 10, 11, 3)]), "target")
    )

    assert [record.offset for record in found["target", 3]] == [5, 6, 7, 10]


def test_an_original_is_found_by_its_content(session: SparkSession) -> None:
    rows = frame(session, [row(4, value=b"a"), row(7, value=b"b"), row(9, value=b"b")])
    (content,) = contents(session, [row(0, value=b"b")])

    assert [each.offset for each in originals(session, rows, [(0, content)]).collect()] == [7]


def test_last_values_are_compared_by_key(session: SparkSession) -> None:
    source = [row(0, b"same", b"1"), row(1, b"lost", b"1"), row(2, b"old", b"1"), row(3, b"old", b"2")]
    source += [row(4, b"cleaned", None), row(5, b"moving", b"1"), row(9, b"moving", b"2")]
    target = [row(0, b"same", b"1"), row(1, b"old", b"1"), row(2, b"gone", None), row(3, b"alien", b"1")]

    found = read_last_values(last_values(frame(session, source), frame(session, target), {0: 9}, {0: 9}), 10)

    assert {(each.kind, each.source_offset, each.target_offset) for each in found.differing} == {
        ("missing", 1, None),
        ("changed", 3, 1),
        ("unexpected", None, 3),
    }
    assert (found.keys_source, found.keys_target) == (5, 4)


def test_keys_beyond_the_limit_are_counted_for_every_partition(session: SparkSession) -> None:
    lost = [(b"%d" % at, b"v", at % 2, at, AT, None) for at in range(7)]
    found = read_last_values(last_values(frame(session, lost), frame(session, []), {0: 9, 1: 9}, {}), 3)

    assert [each.source_offset for each in found.differing] == [0, 1, 2]
    assert found.not_listed == {(0, "missing"): 2, (1, "missing"): 2}
    assert (found.keys_source, found.keys_target) == (7, 0)


def test_every_stray_is_looked_up_however_many_there_are(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = frame(session, [row(at, value=b"%d" % at) for at in range(5)])
    known = contents(session, [row(at, value=b"%d" % at) for at in range(5)])
    partition = FrozenPartition(partition=0, source_start=0, target_start=0, end=Cut(5, 10))
    rows: Any = SimpleNamespace(
        session=session, partition=lambda _number: partition, hashed=lambda _side, _spans: source
    )
    context: Any = SimpleNamespace(check_cancelled=lambda: None)
    strays = [
        audit_drill._Stray(Finding(partition=0, kind="unexpected", source_offset=None, target_offset=5 + at), content)
        for at, content in enumerate(known)
    ]
    monkeypatch.setattr(audit_drill, "_MAX_ORIGINALS", 2)

    found = audit_drill._told_apart(context, rows, strays)

    assert [(each.kind, each.source_offset, each.target_offset) for each in found] == [
        ("duplicate", at, 5 + at) for at in range(5)
    ]
