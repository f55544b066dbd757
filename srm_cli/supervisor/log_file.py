"""One log per process, rotated when the process starts."""

from pathlib import Path

_KEPT = 3


def rotate(path: Path) -> Path:
    """Rename `x.log` to `x.log.1` and so on, delete the oldest, and create a private new file."""
    if path.exists() and path.stat().st_size > 0:
        for number in range(_KEPT, 0, -1):
            older = path.with_name(f"{path.name}.{number}")
            newer = path if number == 1 else path.with_name(f"{path.name}.{number - 1}")
            if newer.exists():
                newer.replace(older)
    path.touch(mode=0o600)
    return path


def last_line(path: Path) -> str:
    """Return the last line that a process wrote, in brackets; empty when there is none."""
    with path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - 2048))
        lines = log.read().decode(errors="replace").splitlines()
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f" ({last[:160]})" if last else ""
