"""The long tests that one day runs: one file in rotation, each time from another of its tests on, for some minutes.

`pytest -p tests.support.turn_of_the_day --turn-day 20000 tests/faults`; days are counted from 1970. After as many
rounds through the files as a file has tests, each of its tests was the first of its day, and the first one always runs.
"""

import time
from collections.abc import Sequence

import pytest

BUDGET_S = 120.0  # no test begins later; the longest single one takes about five minutes on two cores


def turn(files: Sequence[str], day: int) -> list[int]:
    """Return the places of the day's tests in the order in which they run; `files` names the file of each test."""
    names = list(dict.fromkeys(files))
    if not names:
        return []
    round_number, at = divmod(day, len(names))
    places = [place for place, name in enumerate(files) if name == names[at]]
    first = round_number % len(places)
    return places[first:] + places[:first]


class TurnOfTheDay:
    """Keeps the day's tests in their order and skips those that would begin after the budget."""

    def __init__(self, day: int, budget_s: float) -> None:
        self._day, self._budget_s = day, budget_s
        self._began_s: float | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen = turn([str(item.path) for item in items], self._day)
        config.hook.pytest_deselected(items=[item for place, item in enumerate(items) if place not in chosen])
        items[:] = [items[place] for place in chosen]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        now_s = time.monotonic()
        if self._began_s is None:
            self._began_s = now_s
        elif now_s - self._began_s > self._budget_s:
            pytest.skip(f"the day's {self._budget_s:.0f} s are over: it comes first on another day")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--turn-day", type=int, required=True, help="days since 1970: which tests it is the turn of")
    parser.addoption("--turn-budget-s", type=float, default=BUDGET_S, help="seconds after which no test begins")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(TurnOfTheDay(config.getoption("turn_day"), config.getoption("turn_budget_s")))
