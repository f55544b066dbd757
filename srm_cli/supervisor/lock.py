"""One supervisor per state folder. The kernel drops the lock when its holder ends, however it ends."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from srm_cli.errors import OperatorError


class HomeLock:
    def __init__(self, run_folder: Path) -> None:
        self._path = run_folder / "lock"
        self._descriptor: int | None = None

    def __enter__(self) -> "HomeLock":
        """
        Raises:
            OperatorError: another supervisor holds the folder.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            holder = _read_pid(self._path)
            raise OperatorError(
                f"already running here (pid {holder}): `srm stop` ends it, or set SRM_HOME to another folder"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._descriptor = descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)


def holder_pid(run_folder: Path) -> int | None:
    """The supervisor that runs on this folder now, or None."""
    path = run_folder / "lock"
    if not path.exists():
        return None
    with path.open("rb") as probe:
        try:
            fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read_pid(path)
    return None


def _read_pid(path: Path) -> int | None:
    text = path.read_text().strip()
    return int(text) if text.isdigit() else None
