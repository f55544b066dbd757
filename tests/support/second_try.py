"""On continuous integration, a failed test of real parts runs a second time, and the summary names it (RERUN).

Brokers, databases and browsers are sometimes late on a busy machine. A test that fails twice fails. Tests without real
parts get one try, and so does every test elsewhere.
"""

import os

import pytest

REAL_PARTS = ("kafka", "redis", "spark", "system", "faults", "e2e")


def pytest_configure(config: pytest.Config) -> None:
    if _is_on() and "R" not in config.option.reportchars:
        config.option.reportchars += "R"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items if _is_on() else ():
        if any(item.get_closest_marker(part) for part in REAL_PARTS):
            item.add_marker(pytest.mark.flaky(reruns=1))


def _is_on() -> bool:
    return os.environ.get("CI") == "true"
