"""Values that are kept for a moment: made once for many readers, and again when they are old or their inputs change."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from srm_service.core.kept import Inputs, Kept


class Made:
    """Counts how often a value was made."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def test_a_value_is_made_again_when_it_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [100.0]
    monkeypatch.setattr("srm_service.core.kept.time.monotonic", lambda: now_s[0])
    kept: Kept[str, int] = Kept(seconds=2.0, most=4)
    made = Made()

    found = []
    for later_s in (0.0, 1.5, 2.5):
        now_s[0] = 100.0 + later_s
        found.append(kept.get("a", made))

    assert found == [1, 1, 2]


def test_readers_at_the_same_time_wait_for_one_calculation() -> None:
    kept: Kept[str, int] = Kept(seconds=60.0, most=4)
    made, may_go = Made(), threading.Event()

    def slow() -> int:
        assert may_go.wait(10.0)
        return made()

    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(kept.get, "a", slow) for _ in range(8)]
        may_go.set()
        assert {reader.result(10.0) for reader in readers} == {1}


def test_while_one_makes_the_next_value_others_get_the_former_one_of_their_version() -> None:
    kept: Kept[str, int] = Kept(seconds=0.0, spare=60.0, most=4)
    made, may_go, has_begun = Made(), threading.Event(), threading.Event()

    def slow() -> int:
        has_begun.set()
        assert may_go.wait(10.0)
        return made()

    assert kept.get("a", made, version=1) == 1
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(kept.get, "a", slow, version=1)
        assert has_begun.wait(10.0)
        assert kept.get("a", made, version=1) == 1
        changed = pool.submit(kept.get, "a", made, version=2)
        may_go.set()
        assert (first.result(10.0), changed.result(10.0)) == (2, 3)


def test_a_failure_is_raised_and_not_kept() -> None:
    kept: Kept[str, int] = Kept(seconds=60.0, most=4)

    def fails() -> int:
        raise ValueError("no store")

    with pytest.raises(ValueError, match="no store"):
        kept.get("a", fails)
    assert kept.get("a", Made()) == 1


def test_only_the_keys_that_were_asked_for_last_are_kept() -> None:
    kept: Kept[str, int] = Kept(seconds=60.0, most=2)
    made = Made()

    assert [kept.get(key, made) for key in ("a", "b", "a", "c", "a", "b")] == [1, 2, 1, 3, 1, 4]


def test_inputs_are_the_same_objects_and_equal_values() -> None:
    first, other = {"a": 1}, {"a": 1}

    assert Inputs(first, equal=("x",)) == Inputs(first, equal=("x",))
    assert hash(Inputs(first, equal=("x",))) == hash(Inputs(first, equal=("x",)))
    assert Inputs(first, equal=("x",)) != Inputs(other, equal=("x",))
    assert Inputs(first, equal=("x",)) != Inputs(first, equal=("y",))
    assert Inputs(first) != Inputs(first, first)


def test_a_value_too_old_is_read_while_another_thread_makes_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [100.0]
    monkeypatch.setattr("srm_service.core.kept.time.monotonic", lambda: now_s[0])
    kept: Kept[str, int] = Kept(seconds=0.6, spare=0.4, most=4)
    made, begun = Made(), list[Callable[[], int]]()

    def read() -> int:
        return kept.get("a", made, version=1, beside=begun.append)

    assert read() == 1
    now_s[0] = 100.7
    assert (read(), read()) == (1, 1)
    assert [make() for make in begun] == [2, 2]  # both readers asked for it; it was made once
    assert read() == 2
    assert made.times == 2

    now_s[0] = 102.0  # older than the limit: who asks waits
    assert read() == 3
    assert len(begun) == 2


def test_a_value_of_other_inputs_is_not_given_while_the_next_is_made() -> None:
    kept: Kept[str, int] = Kept(seconds=0.0, spare=60.0, most=4)
    made, begun = Made(), list[Callable[[], int]]()

    assert [kept.get("a", made, version=version, beside=begun.append) for version in (1, 2)] == [1, 2]
    assert begun == []
