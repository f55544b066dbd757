"""One commit runs while its caller continues; an error is never lost, and no commit follows it."""

from collections.abc import Callable
from threading import Event

import pytest

from metrics.errors import BatchOutdatedError, StoreUnavailableError
from metrics.stream.background_commit import BackgroundCommit

Checked = Callable[[], None]


def failing(checked: Checked) -> None:
    checked()
    raise StoreUnavailableError("the disk is full")


def test_the_caller_continues_when_the_commit_is_checked_and_waits_for_its_end() -> None:
    background, may_end, ended = BackgroundCommit(), Event(), list[str]()

    def commit(checked: Checked) -> None:
        checked()
        assert may_end.wait(10)
        ended.append("first")

    background.start(commit)
    before = list(ended)
    may_end.set()
    background.settle()

    assert (before, ended) == ([], ["first"])


def test_a_commit_begins_after_the_end_of_the_former_one() -> None:
    background, order = BackgroundCommit(), list[str]()

    def commit(name: str) -> Callable[[Checked], None]:
        def run(checked: Checked) -> None:
            order.append(f"{name} begins")
            checked()
            order.append(f"{name} ends")

        return run

    background.start(commit("first"))
    background.start(commit("second"))
    background.settle()

    assert order == ["first begins", "first ends", "second begins", "second ends"]


def test_an_error_before_the_check_is_the_callers_and_another_commit_may_follow() -> None:
    background, done = BackgroundCommit(), list[int]()

    def outdated(_checked: Checked) -> None:
        raise BatchOutdatedError("tiles were changed")

    def commit(checked: Checked) -> None:
        checked()
        done.append(1)

    with pytest.raises(BatchOutdatedError):
        background.start(outdated)
    background.start(commit)
    background.settle()

    assert (background.failed, done) == (False, [1])


def test_no_commit_follows_one_that_failed_even_if_its_error_was_taken() -> None:
    background, done = BackgroundCommit(), list[int]()
    background.start(failing)

    with pytest.raises(StoreUnavailableError, match="disk is full"):
        background.settle()
    with pytest.raises(StoreUnavailableError, match="was not committed"):
        background.start(lambda _: done.append(1))

    assert (background.failed, done) == (True, [])


def test_the_error_is_given_once_to_whoever_asks_first() -> None:
    background = BackgroundCommit()
    background.start(failing)
    while not background.failed:
        pass

    assert (str(background.pop_error()), background.pop_error()) == ("the disk is full", None)
    with pytest.raises(StoreUnavailableError, match="was not committed"):
        background.settle()
