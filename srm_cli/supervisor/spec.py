"""The specification of a supervised process, and the order in which processes stop."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Probe = Callable[[int], bool]
"""A readiness check, called in a thread with the pid; may take a few seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """A supervised process. `after` names those that must be ready before it starts.

    A `one_shot` process is ready when it has exited with code 0; others when `probe` succeeds, or without a probe
    immediately.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    after: tuple[str, ...] = ()
    probe: Probe | None = None
    one_shot: bool = False
    ready_within_seconds: float = 60.0
    silent_within_seconds: float = 0.0  # killed when it has not beaten for longer; 0: it need not beat
    fatal_code: int | None = None  # ends the supervisor, with this code, when the process repeatedly ends with it


def stop_waves(specs: tuple[ProcessSpec, ...]) -> list[list[str]]:
    """Return names in stop order: dependent processes first. The processes of a wave stop together."""
    waiting = {spec.name: spec for spec in specs}
    waves: list[list[str]] = []
    while waiting:
        needed = {name for spec in waiting.values() for name in spec.after}
        wave = [name for name in waiting if name not in needed] or list(waiting)
        waves.append(wave)
        for name in wave:
            del waiting[name]
    return waves
