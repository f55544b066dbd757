"""Measures the load of this process's source slots for the leader."""

from collections import defaultdict
from collections.abc import Mapping

from replication.domain.assignment.assignment import TaskKey
from replication.domain.assignment.load import task_loads

_WEIGHT = 0.1  # of the newest measurement: a change counts for two thirds after ten seconds
_LEAST_SHOWN = 0.5


class LoadMeter:
    """Moving averages of bytes per second by slot, and of the CPU time of the process. Not thread-safe."""

    def __init__(self) -> None:
        self._rates: dict[TaskKey, float] = {}
        self._cpu_ratio: float | None = None

    def measure(self, bytes_per_second: Mapping[TaskKey, float], cpu_ratio: float | None) -> None:
        """Note the slots of now; those that are missing are forgotten."""
        before = self._rates
        self._rates = {key: _average(before.get(key), rate) for key, rate in bytes_per_second.items()}
        if cpu_ratio is not None:
            self._cpu_ratio = _average(self._cpu_ratio, cpu_ratio)

    def loads(self) -> dict[str, dict[str, float]]:
        """Return the loads by target and task; idle tasks are missing."""
        shown: dict[str, dict[str, float]] = defaultdict(dict)
        for (target, task), load in sorted(task_loads(self._rates, self._cpu_ratio or 0.0).items()):
            if load >= _LEAST_SHOWN:
                shown[target][str(task)] = round(load, 1)
        return dict(shown)


def _average(before: float | None, now: float) -> float:
    return now if before is None else (1 - _WEIGHT) * before + _WEIGHT * now
