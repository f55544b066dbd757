"""The decisions of group offset sync, and their receipts."""

from typing import Any

import pytest

from replication.domain.groups.consumer_group import Commit, Commits, GroupDescription, GroupProblem
from replication.domain.groups.group_summary import SyncedWord
from replication.domain.groups.sync.group_sync import (
    GroupPlace,
    GroupSyncDecision,
    TargetGroup,
    after_alter,
    decide_group_sync,
    worst_state,
)
from replication.domain.groups.sync.sync_receipt import receipt_without_place, receipts_of
from replication.domain.groups.translation import LogRange, UncopiedRange
from replication.domain.identifiers import TopicPartition
from replication.domain.questions.groups import ReceiptState, SyncReceipt
from replication.domain.sentences import sentence

UP, REMOTE = TopicPartition("t", 0), TopicPartition("a.t", 0)
LOG = LogRange(start=10, end=80)
EMPTY = GroupDescription(name="g", type="classic", state="empty", members=0)
ACTIVE = GroupDescription(name="g", type="consumer", state="active", members=2)
DENIED = GroupProblem("GROUP_AUTHORIZATION_FAILED", "no READ on the group")


def decided(
    before: int | None = None,
    *,
    description: GroupDescription | GroupProblem = EMPTY,
    commits: Commits | GroupProblem | None = None,
    log: LogRange | None = LOG,
    **place: Any,
) -> GroupSyncDecision:
    found = commits if commits is not None else {} if before is None else {REMOTE: Commit(before, "theirs")}
    wanted = GroupPlace(**{"upstream": UP, "downstream": 50, "metadata": "m\0", "rereads": 0, **place})
    logs = {} if log is None else {REMOTE: log}
    return decide_group_sync("g", {REMOTE: wanted}, TargetGroup(description=description, commits=found), logs)


def receipt(decision: GroupSyncDecision, *, dry_run: bool = False) -> SyncReceipt:
    (found,) = receipts_of(decision, "b", dry_run=dry_run)
    return found


# facts: the offset that is set, the word, and the receipt: state, records again, skips, a part of its text
CASES: dict[str, tuple[dict[str, Any], int | None, SyncedWord, ReceiptState, int | None, int | None, str]] = {
    "never committed, or expired": ({}, 50, "written", "written", 0, 0, "set from no offset to 50"),
    "behind": (
        {"before": 40},
        50,
        "written",
        "written",
        0,
        0,
        "set from 40 to 50; no record comes again, none is skipped",
    ),
    "behind a bounded place": (
        {"before": 40, "rereads": 1},
        50,
        "written",
        "written",
        1,
        0,
        "at most 1 record comes again",
    ),
    "without known bounds": ({"rereads": None}, 50, "written", "written", None, 0, "an unknown number of records"),
    "begun later": (
        {"before": 40, "uncopied": UncopiedRange(first=100, following=120)},
        50,
        "written",
        "written",
        0,
        20,
        "no record with a copy is skipped; the records 100 to 119 have no copy on b in t-0: let the group read them",
    ),
    "begun one record later": (
        {"uncopied": UncopiedRange(first=7, following=8)},
        50,
        "written",
        "written",
        0,
        1,
        "the record 7 has no copy",
    ),
    "copies deleted on the target": (
        {"uncopied": UncopiedRange(first=7, following=None)},
        50,
        "written",
        "written",
        0,
        None,
        "the first records from 7 on have no copy on b",
    ),
    "ahead of records without a copy": (
        {"before": 55, "uncopied": UncopiedRange(first=100, following=120)},
        None,
        "ahead",
        "unchanged",
        0,
        25,
        "the records 100 to 119 have no copy",
    ),
    "level": ({"before": 50}, None, "level", "unchanged", 0, 0, "the group's place already"),
    "ahead": ({"before": 55}, None, "ahead", "unchanged", 0, 5, "has worked there, someone has set it, or"),
    "rewound": ({"before": 55, "is_rewound": True}, None, "ahead", "unchanged", 0, 5, "was rewound on the source"),
    "a reset to nothing (-1)": ({"before": -1}, 50, "written", "written", 0, 0, "set from no offset to 50"),
    "members": (
        {"before": 40, "description": ACTIVE},
        None,
        "waits_for_members",
        "refused",
        10,
        0,
        "has members on b",
    ),
    "dead": (
        {"description": GroupDescription(name="g", type="classic", state="dead", members=0)},
        50,
        "written",
        "written",
        0,
        0,
        "",
    ),
    "a share group": (
        {"description": GroupDescription(name="g", type="share", state="empty", members=0)},
        None,
        "refused",
        "refused",
        None,
        0,
        "A share group of this name",
    ),
    "not described": ({"description": DENIED}, None, "refused", "refused", None, 0, "No READ on the group"),
    "not read": ({"commits": DENIED}, None, "refused", "refused", None, 0, "No READ on the group"),
    "below the log's start": (
        {"before": 5, "downstream": 7},
        10,
        "written",
        "written",
        0,
        0,
        "set from 5 to 10",
    ),
    "beyond the log's end": ({"downstream": 81}, None, "refused", "refused", None, 0, "ends at 80"),
    "at the log's end": ({"downstream": 80}, 80, "written", "written", 0, 0, ""),
    "a log that is not known": ({"downstream": 81, "log": None}, 81, "written", "written", 0, 0, ""),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_offsets_move_forward_only(
    case: tuple[dict[str, Any], int | None, SyncedWord, ReceiptState, int | None, int, str],
) -> None:
    changes, after, word, state, rereads, skips, text = case

    decision = decided(**changes)
    found = receipt(decision)

    assert decision.writes == ({} if after is None else {REMOTE: Commit(after, "m\0")})
    assert decision.state == word
    assert (found.state, found.rereads, found.skips) == (state, rereads, skips)
    assert text in found.text
    before = changes.get("before")
    expected_before = None if before == -1 else before
    assert (found.before, found.after) == (expected_before, expected_before if after is None else after)
    assert (found.group, found.topic, found.partition) == ("g", "a.t", 0)


def test_a_dry_run_says_what_would_be_set() -> None:
    assert receipt(decided(before=40), dry_run=True).text.startswith("It would be set from 40 to 50")


@pytest.mark.parametrize(
    ("problem", "word", "state"),
    [
        (None, "written", "written"),
        (GroupProblem("UNKNOWN_MEMBER_ID", "x"), "waits_for_members", "refused"),
        (GroupProblem("STALE_MEMBER_EPOCH", "x"), "waits_for_members", "refused"),
        (GroupProblem("TOPIC_AUTHORIZATION_FAILED", "no READ"), "refused", "refused"),
    ],
)
def test_the_coordinator_has_the_last_word(problem: GroupProblem | None, word: SyncedWord, state: ReceiptState) -> None:
    done = after_alter(decided(before=40), {REMOTE: problem})

    assert done.state == word
    assert receipt(done).state == state
    assert receipt(done).after == (50 if problem is None else 40)
    assert problem is None or word == "waits_for_members" or receipt(done).text == sentence(problem.text)


def test_a_partition_without_an_answer_counts_as_refused() -> None:
    done = after_alter(decided(before=40), {})

    assert done.state == "refused"
    assert receipt(done).after == 40


def test_an_answer_changes_nothing_of_partitions_that_were_not_set() -> None:
    level = decided(before=50)

    assert after_alter(level, {REMOTE: DENIED}) == level


def test_the_state_of_a_group_is_the_one_that_needs_most_attention() -> None:
    assert worst_state([]) == "off"
    assert worst_state(["level", "written"]) == "written"
    assert worst_state(["ahead", "written", "level"]) == "ahead"
    assert worst_state(["refused", "waits_for_members"]) == "refused"


def test_a_place_that_is_not_known_has_a_receipt() -> None:
    found = receipt_without_place("g", REMOTE, 40, "no offset run tells it", "impossible")

    assert (found.state, found.before, found.after, found.rereads) == ("impossible", 40, 40, None)
    assert found.text == "No offset run tells it."
