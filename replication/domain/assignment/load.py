"""The load of a source slot, in percent of a core, from its bytes per second and the CPU time of its process."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

BYTES_PER_PERCENT = 3_000_000  # that one percent of a core copies per second on the raw path
DEAREST = 30  # the most that a byte on the record path may cost, compared with one on the raw path
_Key = TypeVar("_Key", bound=Hashable)


def task_loads(bytes_per_second: Mapping[_Key, float], cpu_ratio: float) -> dict[_Key, float]:
    """Return the load of each task of a process: its share of the CPU time by bytes.

    Its bytes bound the load on both sides: the CPU time of a process includes its start and its idle work, and a busy
    neighbour on the machine may slow a process down.
    """
    total = sum(bytes_per_second.values())
    loads: dict[_Key, float] = {}
    for task, rate in bytes_per_second.items():
        least = rate / BYTES_PER_PERCENT
        share = 100.0 * cpu_ratio * rate / total if total else 0.0
        loads[task] = min(max(least, share), DEAREST * least)
    return loads
