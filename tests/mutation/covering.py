"""Finds which tests run a line, so that a mutant is shown to those only."""

import importlib
import inspect
import json
import os
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.mutation.children import in_children
from tests.mutation.mutants import with_watch

Line = tuple[str, int]  # a module and the first line of a statement
_WATCH = "_watch_of_mutation"


@dataclass(slots=True)
class Coverage:
    """For each statement the tests that run it."""

    tests: dict[Line, list[int]] = field(default_factory=lambda: defaultdict(list))  # places among the items
    seconds: dict[int, float] = field(default_factory=dict)
    cpu_s: float = 0.0  # of all tests together
    failed: list[str] = field(default_factory=list)

    @property
    def slowness(self) -> float:
        """The time of the tests by their CPU time: above 1 where other work on the machine delays them."""
        return max(1.0, sum(self.seconds.values()) / max(self.cpu_s, 0.001))

    def of(self, line: Line, budget_s: float) -> list[int]:
        """Return tests of this line that take no longer than the budget together."""
        chosen: list[int] = []
        for at in sorted(self.tests.get(line, ()), key=self.seconds.__getitem__):
            budget_s -= self.seconds[at]
            if budget_s < 0 and chosen:
                break
            chosen.append(at)
        return chosen


def passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run one test; skipped ones pass."""
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def measure(items: Sequence[pytest.Item], modules: Collection[str], processes: int) -> Coverage:
    """Run each test once, a file per process."""
    files: dict[str, list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        files[str(item.path)].append(at)
    covered = Coverage()

    def look(places: list[int]) -> bytes:
        found = []
        seen = _watch(modules)
        for at, following in zip(places, [*places[1:], None], strict=True):
            seen.clear()
            began, cpu_s = time.perf_counter(), time.process_time()
            passed = passes(items[at], None if following is None else items[following])
            took_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu_s
            found.append([at, took_s, cpu_s, passed, sorted(seen)])
        return json.dumps(found).encode()

    for answer in in_children(list(files.values()), look, processes, limit_s=lambda _: 600.0):
        for at, seconds, cpu_s, passed, lines in json.loads(answer.output or b"[]"):
            if not passed:
                covered.failed.append(items[at].nodeid)
                continue
            covered.seconds[at] = seconds
            covered.cpu_s += cpu_s
            for module, line in lines:
                covered.tests[module, line].append(at)
    return covered


def _watch(modules: Collection[str]) -> set[Line]:
    """Note in this process which statements of the modules run from now on."""
    seen: set[Line] = set()
    for name in modules:
        module = importlib.import_module(name)
        setattr(module, _WATCH, lambda line, name=name: seen.add((name, line)))
        path = str(inspect.getsourcefile(module))
        for function, code in with_watch(Path(path).read_text(), path, _WATCH):
            function_of(name, function).__code__ = code
    return seen


def function_of(module: str, name: str) -> FunctionType:
    """Return a function, also of a method, a property or a generator, by its qualified name."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = inspect.getattr_static(found, part)
    found = getattr(found, "fget", None) or getattr(found, "__func__", None) or found
    unwrapped = inspect.unwrap(found)
    assert isinstance(unwrapped, FunctionType)
    return unwrapped


def processes_of_machine() -> int:
    """Two, as the other tests have."""
    return min(2, os.cpu_count() or 1)
