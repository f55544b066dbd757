"""The registry of causes."""

import re
from typing import Any, get_args

import pytest

from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.readiness import CAUSE_KINDS, CauseCode, CauseKind, by_importance, cause, readiness_of

_PLACES = """advice age again ahead committed detail end flow grant interval members missing place problem reason
records remote setting since source target target_offset topic topics"""
NAMES: dict[str, Any] = dict.fromkeys(_PLACES.split(), "X")


def test_every_code_is_declared_once() -> None:
    assert sorted(kind.code for kind in CAUSE_KINDS) == sorted(get_args(CauseCode))


@pytest.mark.parametrize("kind", CAUSE_KINDS, ids=lambda kind: kind.code)
def test_a_cause_has_text_and_remedy_without_open_places(kind: CauseKind) -> None:
    found = cause(kind.code, at=("t", 3), **NAMES)

    assert found.text
    assert found.remedy
    assert not re.search(r"[{}]|None", found.text + found.remedy)
    assert (found.topic, found.partition, found.readiness) == ("t", 3, kind.readiness)


def test_a_cause_is_told_in_sentences_and_names_keep_their_spelling() -> None:
    group = cause("group_deleted_at_source", source="east", target="west")
    partition = cause("not_replicated", at=("orders", None), target="west", reason="no list allows it")

    assert group.text == "The group does not exist on east any more; its copy on west stays as it is."
    assert group.remedy == "Delete the group on west too if it is not used any more."
    assert partition.text == "orders has no copy on west: no list allows it."


def test_a_name_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        cause("active_on_target", target="b")


def test_the_worst_cause_decides() -> None:
    blocked, approximate = cause("no_evidence", at=("t", 0), detail="x"), cause("no_commit", at=("t", 1))

    assert readiness_of([]) == "ready"
    assert readiness_of([approximate]) == "approximate"
    assert readiness_of([approximate, blocked]) == "blocked"


def test_blocking_causes_come_first_then_those_declared_first() -> None:
    causes: list[GroupCause] = [
        cause("no_commit", at=("t", 1)),
        cause("copy_behind", at=("t", 0), detail="x"),
        cause("no_evidence", at=("u", 0), detail="x"),
        cause("no_evidence", at=("t", 2), detail="x"),
        cause("behind_retention", at=("t", 0), readiness="approximate", detail="x", advice="y"),
    ]

    found = [(each.code, each.topic, each.partition) for each in by_importance(causes)]

    assert found == [
        ("no_evidence", "t", 2),
        ("no_evidence", "u", 0),
        ("behind_retention", "t", 0),
        ("no_commit", "t", 1),
        ("copy_behind", "t", 0),
    ]
