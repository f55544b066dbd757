"""A topic's lives are told apart, and a gap excuses records of the life it names only."""

import pytest

from tests.support.auditor import Record
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


def test_a_gap_excuses_offsets_of_its_own_life(monkeypatch: pytest.MonkeyPatch) -> None:
    history = two_lives(monkeypatch)
    gap = {"topic": "t", "partition": 0, "topic_id": "02" * 16, "from_offset": 0, "to_offset": 5}
    assert history.excused([gap]) == {0: [range(LIFE, LIFE + 5)]}
    assert history.excused([{**gap, "topic": "other"}]) == {}


def test_a_gap_without_an_end_reaches_to_the_end_of_its_life(monkeypatch: pytest.MonkeyPatch) -> None:
    gap = {"topic": "t", "partition": 0, "topic_id": "01" * 16, "from_offset": 1, "to_offset": None}
    assert two_lives(monkeypatch).excused([gap]) == {0: [range(1, LIFE - 1)]}
