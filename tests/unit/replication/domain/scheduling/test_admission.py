"""Due runs start oldest first, within the capacity, and at no other cluster's expense."""

import itertools

from replication.domain.scheduling.admission import SLOW_MS, ClusterAnswers, PeriodicRun, Wait, admit

CAPACITY = 32
NUMBERS = itertools.count()


def run(*clusters: str, since_ms: int = 0) -> PeriodicRun:
    return PeriodicRun(number=next(NUMBERS), clusters=frozenset(clusters), since_ms=since_ms)


def answered(*clusters: str, at_ms: int = 1) -> ClusterAnswers:
    answers = ClusterAnswers()
    answers.note_answer(clusters, at_ms)
    return answers


def test_the_run_that_has_waited_longest_starts_first() -> None:
    late, early = run("a", since_ms=9), run("a", since_ms=5)

    assert admit([late, early], [], answered("a"), CAPACITY, 10).admitted == (early.number, late.number)


def test_the_capacity_bounds_runs_and_says_so() -> None:
    started = [run(f"c{number}") for number in range(CAPACITY)]
    due = run("a")

    admission = admit([due], started, answered("a", *(f"c{number}" for number in range(CAPACITY))), CAPACITY, 10)

    assert admission.admitted == ()
    assert admission.waiting == {due.number: Wait(bound="capacity")}


def test_one_cluster_never_takes_more_than_half_of_the_capacity() -> None:
    due = [run("a") for _ in range(CAPACITY)]

    admission = admit(due, [], answered("a"), CAPACITY, 10)

    assert len(admission.admitted) == CAPACITY // 2
    assert set(admission.waiting.values()) == {Wait(bound="cluster", cluster="a")}


def test_a_cluster_that_never_answered_gets_an_eighth() -> None:
    assert len(admit([run("a") for _ in range(CAPACITY)], [], ClusterAnswers(), CAPACITY, 10).admitted) == 4


def test_a_cluster_is_doubtful_from_a_failure_to_its_next_answer() -> None:
    answers = answered("a", at_ms=5)
    answers.note_failure("a", 6)
    assert answers.doubtful(["a"], [], 10) == {"a"}

    answers.note_answer(["a"], 7)
    assert answers.doubtful(["a"], [], 10) == frozenset()


def test_a_slow_run_makes_its_silent_cluster_doubtful_and_not_the_one_that_answers_others() -> None:
    answers = answered("silent", at_ms=0)
    answers.note_answer(["hub"], 1_500)
    slow = run("silent", "hub", since_ms=1_000)

    assert answers.doubtful(["silent", "hub"], [slow], 1_000 + SLOW_MS) == frozenset()
    assert answers.doubtful(["silent", "hub"], [slow], 1_001 + SLOW_MS) == {"silent"}


def test_sources_without_an_answer_do_not_take_the_share_of_a_hub_that_is_asked_for_the_first_time() -> None:
    dead = [run(f"dead{number}", "hub") for number in range(10)]
    beat = run("hub", since_ms=9)

    admission = admit([*dead, beat], [], ClusterAnswers(), CAPACITY, 10)

    assert len(admission.admitted) == 11


def test_dead_sources_do_not_take_the_share_of_a_hub_that_answers() -> None:
    dead = [run(f"dead{number}", "hub") for number in range(100)]
    admission = admit(dead, [], answered("hub"), CAPACITY, 10)
    started = [each for each in dead if each.number in admission.admitted]
    assert len(started) == CAPACITY // 2

    healthy = [run("hub", since_ms=9) for _ in range(10)]

    assert set(admit([*dead, *healthy], started, answered("hub"), CAPACITY, 10).admitted) == {
        each.number for each in healthy
    }
