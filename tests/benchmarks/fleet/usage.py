"""The CPU time of processes and the commands of their Redis."""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from redis import Redis

from tests.benchmarks.sides import cpu_seconds


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU time of all processes, and the commands of Redis, at one time."""

    at_s: float
    cpu_s: float
    commands: int

    @classmethod
    def of(cls, pids: Collection[int], redis: Redis) -> "Usage":
        stats = cast("Mapping[str, Any]", redis.info("stats"))
        return cls(time.monotonic(), sum(map(cpu_seconds, pids)), int(stats["total_commands_processed"]))

    def cpu_percent_since(self, before: "Usage") -> float:
        """Return the mean use in percent of one core."""
        return 100 * (self.cpu_s - before.cpu_s) / (self.at_s - before.at_s)

    def commands_per_second_since(self, before: "Usage") -> float:
        return (self.commands - before.commands) / (self.at_s - before.at_s)


def threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))
