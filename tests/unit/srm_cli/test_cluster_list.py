"""The list of clusters waits for clusters that are being checked, but not for ever."""

from collections.abc import Mapping
from typing import Any

import pytest

from srm_cli.control import clusters


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr("srm_cli.control.clusters.time.sleep", found.append)
    return found


def rows(reachable: bool | None, problem: str = "") -> list[Mapping[str, Any]]:
    return [{"reachable": reachable, "problem": problem}]


def test_a_cluster_that_is_being_checked_is_read_again(waited: list[float]) -> None:
    answers = [rows(None), rows(None), rows(True)]

    assert clusters.checked(lambda: answers.pop(0)) == rows(True)
    assert len(waited) == 2


def test_a_cluster_whose_settings_cannot_be_used_is_never_checked(waited: list[float]) -> None:
    assert clusters.checked(lambda: rows(None, "no such key")) == rows(None, "no such key")
    assert waited == []


def test_the_list_comes_although_a_check_does_not_end(waited: list[float]) -> None:
    assert clusters.checked(lambda: rows(None)) == rows(None)
    assert sum(waited) <= 4
