"""What the supervisor has to know about one process."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Probe = Callable[[int], bool]
"""Called in a thread with the pid, at most a few seconds long; True when this process does its work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """One process. `after` names those that must be ready before it starts.

    A `one_shot` process is ready when it has ended with code 0; any other when `probe` says so, or at once without one.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    after: tuple[str, ...] = ()
    probe: Probe | None = None
    one_shot: bool = False
    ready_within_seconds: float = 60.0


def stop_waves(specs: tuple[ProcessSpec, ...]) -> list[list[str]]:
    """Names in the order to stop them: nothing goes before those that need it. One wave stops together."""
    waiting = {spec.name: spec for spec in specs}
    waves: list[list[str]] = []
    while waiting:
        needed = {name for spec in waiting.values() for name in spec.after}
        wave = [name for name in waiting if name not in needed] or list(waiting)
        waves.append(wave)
        for name in wave:
            del waiting[name]
    return waves
