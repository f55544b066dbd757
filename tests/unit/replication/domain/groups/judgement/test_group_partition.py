"""The judgement of one partition of a group."""

from typing import Any

import pytest

from replication.domain.groups.consumer_group import Commit
from replication.domain.groups.group_summary import Readiness
from replication.domain.groups.judgement.group_partition import (
    CheckpointPlace,
    counted,
    partition_causes,
    rereads_of,
)
from replication.domain.groups.judgement.if_source_gone import causes_if_source_gone, rereads_if_source_gone
from replication.domain.groups.readiness import readiness_of
from replication.domain.groups.translation import LogRange
from tests.unit.replication.domain.groups.judgement.facts import NAMES, facts, place

# changes of a ready partition; the codes, the readiness, a word of the text or remedy, and the records read again
NOW: dict[str, tuple[dict[str, Any], list[str], Readiness, str, int | None]] = {
    "exact": ({}, [], "ready", "", 0),
    "between runs": ({"translation": place(reason="between_runs")}, [], "ready", "", 0),
    "at the tip": ({"translation": place(reason="at_the_tip")}, [], "ready", "", 0),
    "not in the flow": ({"remote": None}, ["not_replicated"], "blocked", "t-0 has no copy on b", 0),
    "remote topic missing": (
        {"translation": place("impossible", "remote_topic_missing")},
        ["not_replicated"],
        "blocked",
        "a.t-0 does not exist",
        None,
    ),
    "never translated": ({"translation": None}, ["no_evidence"], "blocked", "not been translated yet", None),
    "no evidence": (
        {"translation": place("impossible", "no_evidence")},
        ["no_evidence"],
        "blocked",
        "neither offset runs nor offset syncs",
        None,
    ),
    "re-created": (
        {"translation": place("impossible", "topic_recreated")},
        ["topic_recreated"],
        "blocked",
        "created again",
        None,
    ),
    "beyond the end": (
        {"translation": place("impossible", "beyond_source_end"), "commit": Commit(500)},
        ["commit_out_of_range"],
        "blocked",
        "500 is beyond the end of the log of a (120)",
        None,
    ),
    "removed on the target": (
        {"translation": place("impossible", "below_remote_start")},
        ["behind_retention"],
        "blocked",
        "removed on b",
        None,
    ),
    "removed on the source": (
        {"translation": place("exact", "before_source_start")},
        ["behind_retention"],
        "approximate",
        "as it would on a",
        0,
    ),
    "begun later": (
        {"translation": place(reason="in_gap", copied_from=110)},
        ["not_copied"],
        "blocked",
        "the records 100 to 109 have no copy; later records are on b from 50 on",
        0,
    ),
    "begun at an unknown offset": (
        {"translation": place(reason="in_gap")},
        ["not_copied"],
        "blocked",
        "the first records from 100 on have no copy",
        0,
    ),
    "copy behind": (
        {"translation": place("bounded", "copy_behind", 70, latest=70, rereads=30), "target_offset": None},
        ["copy_behind"],
        "approximate",
        "at most 30 records come again",
        30,
    ),
    "bounded": (
        {"translation": place("bounded", "sync_only", 40, latest=60, rereads=20)},
        ["bounded_only"],
        "approximate",
        "at most 20 records come again",
        20,
    ),
    "exact before records that the group has read": (
        {"translation": place(rereads=12)},
        ["read_records_follow"],
        "approximate",
        "at most 12 records come again",
        12,
    ),
    "bounded without a number": (
        {"translation": place("bounded", "missing_runs", 40, latest=60, rereads=None)},
        ["bounded_only"],
        "approximate",
        "an unknown number of records comes again",
        None,
    ),
    "no commit": ({"commit": None, "translation": None}, ["no_commit"], "approximate", "auto.offset.reset", 0),
    "no commit in an empty log": (
        {"commit": None, "translation": None, "source": LogRange(start=7, end=7)},
        [],
        "ready",
        "",
        0,
    ),
    "ahead on the target": (
        {"target_offset": 61},
        ["ahead_on_target"],
        "blocked",
        "the offset on b (61) is 11 offsets ahead of the group's place (50): the group skips what it has not read",
        0,
    ),
    "within the bounds on the target": (
        {"translation": place("bounded", "sync_only", 40, latest=60, rereads=20), "target_offset": 60},
        ["bounded_only"],
        "approximate",
        "",
        20,
    ),
}


@pytest.mark.parametrize("case", NOW.values(), ids=NOW)
def test_a_partition_is_judged_by_its_place(case: tuple[dict[str, Any], list[str], Readiness, str, int | None]) -> None:
    changes, codes, readiness, words, rereads = case

    causes = partition_causes(facts(**changes), NAMES)

    assert [each.code for each in causes] == codes
    assert readiness_of(causes) == readiness
    assert words in " ".join(each.text + each.remedy for each in causes)
    assert all((each.topic, each.partition) == ("t", 0) for each in causes)
    assert rereads_of(facts(**changes)) == rereads


# the same for a source that is lost now
GONE: dict[str, tuple[dict[str, Any], list[str], Readiness, int | None]] = {
    "level": ({}, [], "ready", 0),
    "the checkpoint has caught up, nothing is synced": ({"target_offset": None}, [], "ready", 0),
    "the checkpoint is behind": (
        {"checkpoint": CheckpointPlace(upstream=90, downstream=41, written_ms=0), "target_offset": 38},
        ["bounded_only"],
        "approximate",
        9,
    ),
    "the target is nearer than the checkpoint": (
        {"checkpoint": CheckpointPlace(upstream=90, downstream=41, written_ms=0), "target_offset": 48},
        ["bounded_only"],
        "approximate",
        2,
    ),
    "no checkpoint": ({"checkpoint": None, "target_offset": None}, ["no_evidence"], "blocked", None),
    "copy behind: what was not copied does not come any more": (
        {
            "translation": place("bounded", "copy_behind", 70, latest=70, rereads=30),
            "checkpoint": CheckpointPlace(upstream=100, downstream=70, written_ms=0),
        },
        [],
        "ready",
        0,
    ),
    "bounded": (
        {"translation": place("bounded", "sync_only", 50, latest=60, rereads=10)},
        ["bounded_only"],
        "approximate",
        10,
    ),
    "exact before records that the group has read": (
        {"translation": place(rereads=12)},
        ["bounded_only"],
        "approximate",
        12,
    ),
    "not copied": ({"remote": None}, ["not_replicated"], "blocked", 0),
    "no commit": (
        {"commit": None, "translation": None, "checkpoint": None, "target_offset": None},
        ["no_commit"],
        "approximate",
        0,
    ),
    "removed on the target": (
        {"translation": place("impossible", "below_remote_start")},
        ["behind_retention", "bounded_only"],
        "blocked",
        None,
    ),
}


@pytest.mark.parametrize("case", GONE.values(), ids=GONE)
def test_a_partition_is_judged_for_a_source_that_is_gone(
    case: tuple[dict[str, Any], list[str], Readiness, int | None],
) -> None:
    changes, codes, readiness, rereads = case

    causes = causes_if_source_gone(facts(**changes), NAMES)

    assert [each.code for each in causes] == codes
    assert readiness_of(causes) == readiness
    assert rereads_if_source_gone(facts(**changes)) == rereads


@pytest.mark.parametrize(
    ("commit", "source", "lag"),
    [
        (Commit(100), LogRange(start=0, end=120), 20),
        (Commit(5), LogRange(start=10, end=120), 110),
        (Commit(130), LogRange(start=0, end=120), 0),
        (None, LogRange(start=0, end=120), None),
        (Commit(100), None, None),
    ],
)
def test_the_lag_counts_what_is_left_to_read(commit: Commit | None, source: LogRange | None, lag: int | None) -> None:
    assert facts(commit=commit, source=source).lag == lag


def test_numbers_are_written_with_their_noun() -> None:
    assert [counted(number, "record") for number in (0, 1, 2_000)] == ["0 records", "1 record", "2,000 records"]
