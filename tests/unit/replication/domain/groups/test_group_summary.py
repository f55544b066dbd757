"""Summaries of groups: what a task publishes, the service reads, also when a part of it is malformed."""

import json
import zlib
from dataclasses import replace
from typing import Any

import pytest

from replication.domain.groups.group_summary import (
    GroupCause,
    GroupCounts,
    GroupsSummary,
    GroupSummary,
    IfSourceGone,
    SkippedGroup,
    SummaryError,
    SyncTimes,
    group_counts,
    summary_from_bytes,
    summary_to_bytes,
)

_CAUSE = GroupCause(code="copy_behind", text="12 records", remedy="wait", topic="orders", partition=3)
_GROUP = GroupSummary(
    group="zahlung/größe 1",
    type="classic",
    state="active",
    readiness="approximate",
    partitions=3,
    exact=2,
    bounded=1,
    impossible=0,
    uncommitted=0,
    lag=7,
    synced="written",
    causes=(_CAUSE,),
    if_source_gone=IfSourceGone(readiness="blocked", causes=(_CAUSE,)),
)
_SUMMARY = GroupsSummary(
    task="us-east/checkpoint/0",
    driver="d-1",
    boot="b",
    generation=4,
    round_ms=1_000,
    took_ms=20,
    interval_ms=5_000,
    requests=9,
    sent_ms=1_020,
    sync=SyncTimes(enabled=True, interval_ms=5_000, effective_interval_ms=5_000),
    groups=(_GROUP, replace(_GROUP, group="other", readiness="ready", causes=(), if_source_gone=None)),
    skipped=(SkippedGroup(group="share-1", reason="share groups have no offsets"),),
)


def test_a_summary_is_read_as_it_was_written() -> None:
    assert summary_from_bytes(summary_to_bytes(_SUMMARY)) == _SUMMARY


def test_a_group_that_cannot_be_read_is_skipped_with_the_reason_and_hides_no_other() -> None:
    document = _document()
    document["groups"][0]["readiness"] = "perhaps"

    found = summary_from_bytes(_compressed(document))

    assert [group.group for group in found.groups] == ["other"]
    (skipped,) = [each for each in found.skipped if each.group == _GROUP.group]
    assert "groups.readiness: expected one of ready, approximate, blocked, got 'perhaps'" in skipped.reason


def test_fields_and_causes_of_a_newer_driver_are_readable() -> None:
    document = _document()
    document["novel"] = 1
    document["groups"][0]["causes"][0]["code"] = "novel_cause"

    assert summary_from_bytes(_compressed(document)).groups[0].causes[0].code == "novel_cause"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "no compressed JSON"),
        (b"plain text", "no compressed JSON"),
        (zlib.compress(b"{"), "no compressed JSON"),
        (zlib.compress(b"[]"), "expected an object, got list"),
        (zlib.compress(b'{"v": 2}'), "it has version 2, this release reads 1"),
        (zlib.compress(b'{"v": 1}'), "groups or skipped is no list"),
        (zlib.compress(b'{"v": 1, "groups": [], "skipped": []}'), "task: is missing"),
    ],
)
def test_a_document_that_is_no_summary_says_why(data: bytes, text: str) -> None:
    with pytest.raises(SummaryError, match=text):
        summary_from_bytes(data)


def test_groups_are_counted_by_readiness() -> None:
    found = group_counts(["ready", "blocked", "ready", "approximate"])

    assert found == GroupCounts(total=4, ready=2, approximate=1, blocked=1)


def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(zlib.decompress(summary_to_bytes(_SUMMARY)))
    return document


def _compressed(document: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(document).encode())
