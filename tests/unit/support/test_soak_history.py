"""A topic's lives are told apart, and a gap excuses records of the life it names only."""

from typing import Any

import pytest

from tests.support.engine.auditor import Record
from tests.support.soaking import history as module
from tests.support.soaking.history import LIFE, TopicHistory


def record(offset: int, word: str) -> Record:
    return Record(offset, b"k", word.encode(), (), 1)


def two_lives(monkeypatch: pytest.MonkeyPatch) -> TopicHistory:
    """Offsets 0 and 1 of a first life, of which 0 was gone at the second look; offset 0 of a second life."""
    ids = iter([b"\1" * 16, b"\2" * 16])
    looks = iter([{0: [record(0, "a"), record(1, "b")]}, {0: [record(1, "b")]}, {0: [record(0, "c")]}])
    monkeypatch.setattr(module, "topic_id", lambda *_: next(ids))
    monkeypatch.setattr(module, "read_partitions", lambda *_, **__: next(looks))
    starts = iter([{0: 0}, {0: 1}, {0: 0}])
    monkeypatch.setattr(module, "log_starts", lambda *_: next(starts))
    history = TopicHistory("nowhere", "t", 1)
    history.begin_life()
    history.remember()
    history.remember()
    history.begin_life()
    history.remember()
    return history


def test_what_was_seen_once_is_remembered_in_order_over_all_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    records = two_lives(monkeypatch).everything()[0]
    assert [(each.offset, each.value) for each in records] == [(0, b"a"), (1, b"b"), (LIFE, b"c")]


def gap(first: int, end: int | None, life: int, **changes: Any) -> dict[str, Any]:
    ids = ("01" * 16, "02" * 16, "03" * 16)
    made = {"topic": "t", "partition": 0, "topic_id": ids[life], "cause": "retention"}
    return {**made, "from_offset": first, "to_offset": end, **changes}


def test_a_gap_excuses_what_is_gone_of_its_own_life(monkeypatch: pytest.MonkeyPatch) -> None:
    history = two_lives(monkeypatch)
    assert history.excused([gap(0, 1, 0)]) == ({0: [range(1)]}, [])
    assert history.excused([gap(0, 3, 1)]) == ({0: [range(LIFE, LIFE)]}, [(0, LIFE)])
    assert history.excused([gap(0, 1, 0, topic="other")]) == ({}, [])


def test_a_gap_names_untruly_what_was_there_at_the_last_look(monkeypatch: pytest.MonkeyPatch) -> None:
    assert two_lives(monkeypatch).excused([gap(0, 2, 0)]) == ({0: [range(1)]}, [(0, 1)])


def test_a_gap_of_an_unseen_life_is_untrue(monkeypatch: pytest.MonkeyPatch) -> None:
    assert two_lives(monkeypatch).excused([gap(0, 2, 2)]) == ({}, [(0, 0)])


def test_a_re_created_topic_excuses_nothing_since_every_copy_was_level(monkeypatch: pytest.MonkeyPatch) -> None:
    assert two_lives(monkeypatch).excused([gap(1, None, 0, cause="topic_recreated")]) == ({}, [])
