"""The load of a source slot, in percent of a core, from its bytes per second and the CPU time of its process."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

BYTES_PER_PERCENT = 3_000_000  # that one percent of a core copies per second on the raw path
_Key = TypeVar("_Key", bound=Hashable)


def task_loads(bytes_per_second: Mapping[_Key, float], cpu_ratio: float) -> dict[_Key, float]:
    """Return the load of each task of a process: its share of the CPU time by bytes, or more if its bytes need more.

    CPU time alone would rate a task as idle while a target or a quota slows its process.
    """
    total = sum(bytes_per_second.values())
    return {
        task: max(rate / BYTES_PER_PERCENT, 100.0 * cpu_ratio * rate / total if total else 0.0)
        for task, rate in bytes_per_second.items()
    }
