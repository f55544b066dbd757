"""Set-up steps that run in parallel, each with its own log."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from srm_cli.errors import OperatorError

_PROGRESS_SECONDS = 4.0


@dataclass(slots=True, kw_only=True)
class Step:
    """A set-up step in a thread. A step that is not `required` only warns when it fails."""

    name: str
    work: Callable[[Path], None]
    log: Path
    required: bool = True
    error: str = ""
    seconds: float = 0.0
    _thread: threading.Thread | None = field(default=None, repr=False)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _run(self) -> None:
        began = time.monotonic()
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            self.log.write_text("")
            self.work(self.log)
        except (OperatorError, OSError) as error:
            self.error = str(error)
        self.seconds = time.monotonic() - began


def run_steps(steps: Sequence[Step], say: Callable[[str], None]) -> None:
    """Run all steps in parallel, with a progress line every few seconds.

    Raises:
        OperatorError: a required step failed; the message names its log.
    """
    began = last = time.monotonic()
    for step in steps:
        step.start()
    reported: set[str] = set()
    while len(reported) < len(steps):
        time.sleep(0.1)
        for step in steps:
            if step.name not in reported and not step.is_running:
                reported.add(step.name)
                say(f"{step.name}: {step.error or f'ready, {step.seconds:.0f} s'}")
                last = time.monotonic()
        if time.monotonic() - last > _PROGRESS_SECONDS:
            last = time.monotonic()
            say(f"setting up {', '.join(s.name for s in steps if s.is_running)}: {last - began:.0f} s")
    failed = [step for step in steps if step.error and step.required]
    if failed:
        raise OperatorError(f"set-up failed: {', '.join(step.name for step in failed)}")


def run_command(command: Sequence[str], log: Path, *, cwd: Path, remedy: str) -> None:
    """Run the command with its output in the log.

    Raises:
        OperatorError: the command failed; `remedy` ends the message.
    """
    with log.open("ab") as output:
        environment = {**os.environ, "NO_COLOR": "1", "CI": "1"}
        done = subprocess.run(
            list(command), cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, check=False
        )
    if done.returncode != 0:
        summary = error_line(log.read_text(errors="replace"))
        raise OperatorError(f"{Path(command[0]).name} failed ({summary[:240]}); {remedy}; see {log}")


def error_line(output: str) -> str:
    """Return the first sentence about an error, or else the last line; tools print usage and log paths last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    sentences = (line for line in lines if "error" in line.lower() and len(line.split()) >= 6)
    return next(sentences, lines[-1] if lines else "no output")
