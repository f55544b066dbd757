"""Reads how long the steps of the drivers' loops took from their logs."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from replication.domain.reporting.step_times import LIMITS_MS

_LINE = re.compile(r"^(?P<time>\S+ ?\S*) \[\w+ *\] (?P<event>loop steps|slow step) +(?P<fields>.*)$")
_FIELD = re.compile(r"(\w+)=(\d+)")
Window = tuple[float, float]  # seconds since 1970


OWN_RATIO = 0.5  # of a slow step that the process itself worked
BLOCKED_MS = 2_000  # a longer step counts for any reason: it may have waited for a disk or a name


class Steps:
    """The long steps by their time, and the slow ones outside of windows in which processes were frozen.

    A slow step in which the process used little CPU time waited for a CPU: that says something about the machine.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.longest_ms = 0
        self.slow: list[str] = []
        self.without_cpu: list[str] = []

    def add(self, lines: Iterable[str], frozen: Sequence[Window] = ()) -> None:
        """Add the lines of a driver's log."""
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                continue
            fields = {name: int(value) for name, value in _FIELD.findall(match["fields"])}
            if match["event"] == "slow step":
                at_s = _seconds(match["time"])
                if not any(begin <= at_s <= end for begin, end in frozen):
                    self._add_slow(match["fields"], fields)
                continue
            self.longest_ms = max(self.longest_ms, fields.pop("longest_ms", 0))
            self.counts.update(fields)

    def _add_slow(self, text: str, fields: Mapping[str, int]) -> None:
        elapsed_ms = fields["elapsed_ms"]
        is_own = elapsed_ms > BLOCKED_MS or fields["cpu_ms"] >= OWN_RATIO * elapsed_ms
        (self.slow if is_own else self.without_cpu).append(text)

    def histogram(self) -> str:
        """Return one line: how many steps took how long, and the longest ones."""
        names = [f"to_{limit}_ms" for limit in LIMITS_MS] + ["longer"]
        counts = ", ".join(f"{name.replace('_', ' ')}: {self.counts[name]}" for name in names if self.counts[name])
        waited = f"; without a CPU: {', '.join(self.without_cpu)}" if self.without_cpu else ""
        return f"steps above 10 ms: {counts or 'none'}; longest {self.longest_ms} ms, frozen processes included{waited}"


def read_steps(logs: Path, frozen: Sequence[Window]) -> Steps:
    """Read the logs of every data worker."""
    steps = Steps()
    for path in sorted(logs.glob("driver-*.log*")):
        steps.add(path.read_text(errors="replace").splitlines(), frozen)
    return steps


def _seconds(text: str) -> float:
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
