"""A cluster is checked again when its answer is old, and sooner when it is in doubt."""

import time

import pytest

from srm_service.clusters.reachability import Reachability, ReachabilityBoard


def board_with(age_s: float, *, reachable: bool) -> ReachabilityBoard:
    board = ReachabilityBoard()
    board._known["east"] = (time.monotonic() - age_s, Reachability(reachable=reachable))
    return board


@pytest.mark.parametrize(
    ("age_s", "reachable", "doubted", "is_stale"),
    [
        (6.0, True, (), False),
        (6.0, True, ("east",), True),
        (6.0, False, (), True),
        (1.0, False, ("east",), False),
        (16.0, True, (), True),
    ],
)
def test_an_answer_in_doubt_is_old_sooner(
    age_s: float, reachable: bool, doubted: tuple[str, ...], is_stale: bool
) -> None:
    assert board_with(age_s, reachable=reachable).stale(["east"], doubted) == (["east"] if is_stale else [])


def test_a_cluster_that_was_never_asked_is_stale() -> None:
    assert ReachabilityBoard().stale(["east"]) == ["east"]
