"""The home folder `SRM_HOME`: all files of the system on this machine (docs/contracts/state-folder.md)."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from srm_cli.errors import OperatorError

DEFAULT_HOME = ".srm"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFolder:
    """The layout of `SRM_HOME`."""

    path: Path

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def run(self) -> Path:
        return self.path / "run"

    @property
    def processes_file(self) -> Path:
        return self.run / "processes.json"

    @property
    def ports_file(self) -> Path:
        return self.run / "ports.json"

    @property
    def secrets_file(self) -> Path:
        return self.path / "secrets.json"

    @property
    def admin_password_file(self) -> Path:
        return self.path / "admin-password"

    @property
    def redis(self) -> Path:
        return self.path / "redis"

    @property
    def metrics_targets(self) -> Path:
        return self.path / "metrics" / "targets.json"

    def create(self) -> "HomeFolder":
        """Create the folders, readable by their owner only.

        Raises:
            OperatorError: the folder cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.logs, self.run, self.path / "service", self.path / "metrics", self.path / "driver"):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise OperatorError(
                f"cannot write the state folder {self.path} ({error.strerror}): set SRM_HOME to a writable folder"
            ) from error
        return self


def home_folder() -> HomeFolder:
    """Return `SRM_HOME`, by default `.srm` in the current folder."""
    return HomeFolder(path=Path(os.environ.get("SRM_HOME") or DEFAULT_HOME).resolve())


def write_private(path: Path, text: str) -> None:
    """Replace the file atomically; only its owner can ever read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.new")
    scratch.unlink(missing_ok=True)
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as target:
        target.write(text)
    scratch.replace(path)


def read_object(path: Path) -> dict[str, str]:
    """Read a flat JSON object; empty when the file does not exist.

    Raises:
        OperatorError: the file is damaged.
    """
    try:
        document = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise OperatorError(f"{path} is damaged ({error}): restore it from a backup or delete it") from error
    return {str(key): str(value) for key, value in document.items()}
