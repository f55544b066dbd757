"""`make mutation`: the share of mutants of the fencing and position code that quick tests notice.

Exit code 1 if it is below 90 %. `--module` chooses modules by a part of their name.
"""

import argparse
import importlib
import inspect
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutation.children import in_children
from tests.mutation.covering import Coverage, function_of, measure, passes, processes_of_machine
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.subjects import EQUIVALENT, MODULES, TESTS

LEAST_SHARE = 0.9
BUDGET_S = 8.0  # of tests per mutant, on a machine without other work
PATIENCE_S, TIMES_AS_LONG = 4.0, 3.0  # a mutant that takes longer than this hangs


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    module: str
    mutant: Mutant
    tests: list[int]
    seconds: float  # that they take

    @property
    def key(self) -> tuple[str, str, str]:
        return f"{self.module}.{self.mutant.function}", self.mutant.before, self.mutant.after


class Mutation:
    """A pytest plug-in: once the tests are collected, it runs them on mutants instead."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules
        self.is_good = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        began = time.monotonic()
        covered = measure(session.items, self._modules, processes_of_machine())
        print(f"\n{len(session.items)} tests in {time.monotonic() - began:.0f} s", flush=True)
        for name in covered.failed:
            print(f"  does not pass without a mutant: {name}")
        trials = [trial for name in self._modules for trial in _trials(name, covered)]
        self.is_good = _report(trials, _survivors(session.items, trials)) and not covered.failed
        return True


def _trials(module: str, covered: Coverage) -> list[Trial]:
    path, found = str(inspect.getsourcefile(importlib.import_module(module))), list[Trial]()
    for mutant in mutants(Path(path).read_text(), path):
        tests = covered.of((module, mutant.statement), BUDGET_S * covered.slowness)
        found.append(
            Trial(module=module, mutant=mutant, tests=tests, seconds=sum(map(covered.seconds.__getitem__, tests)))
        )
    return [each for each in found if each.key not in EQUIVALENT]


def _survivors(items: Sequence[pytest.Item], trials: Sequence[Trial]) -> list[Trial]:
    def survives(trial: Trial) -> bytes:
        function_of(trial.module, trial.mutant.function).__code__ = trial.mutant.code
        chosen = [items[at] for at in trial.tests]
        followed = zip(chosen, [*chosen[1:], None], strict=True)
        return b"survived" if all(passes(item, following) for item, following in followed) else b"killed"

    survived: list[Trial] = [trial for trial in trials if not trial.tests]
    tried = [trial for trial in trials if trial.tests]
    for answer in in_children(tried, survives, processes_of_machine(), limit_s=_limit_s):
        if answer.output == b"survived":
            survived.append(answer.work)
            print(f"  survives: {answer.work.module} {answer.work.mutant}", flush=True)
    return survived


def _limit_s(trial: Trial) -> float:
    return PATIENCE_S + TIMES_AS_LONG * trial.seconds


def _report(trials: Sequence[Trial], survivors: Sequence[Trial]) -> bool:
    """Print the share of each module; returns True if it is high enough over all."""
    total = Counter(trial.module for trial in trials)
    left = Counter(trial.module for trial in survivors)
    for trial in sorted(survivors, key=lambda each: (each.module, each.mutant.line)):
        print(f"  {'survives' if trial.tests else 'not run '} {trial.module} {trial.mutant}")
    for module in total:
        print(f"{1 - left[module] / total[module]:7.1%} of {total[module]:4d}  {module}")
    share = 1 - left.total() / max(1, total.total())
    print(f"{share:7.1%} of {total.total():4d}  ({len(EQUIVALENT)} equivalent ones are not counted)")
    return share >= LEAST_SHARE


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutation", description=__doc__)
    parser.add_argument("--module", action="append", help="a part of the names of modules")
    wanted = parser.parse_args().module or [""]
    plugin = Mutation([name for name in MODULES if any(part in name for part in wanted)])
    options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not kafka and not slow"]
    code = pytest.main([*options, *TESTS], plugins=[plugin])
    return 0 if code == 0 and plugin.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
