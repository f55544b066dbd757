"""The files of a driver that let it continue after a restart without the service and with an empty Redis."""

import fcntl
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO
from urllib.parse import quote, unquote

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from replication.domain.assignment.assignment import DriverRole

_BOOTS_KEPT = 50


class StateFolderError(RuntimeError):
    """The folder is not writable, or another process of this driver and role has locked it."""


class StateFolder:
    """The folder `<home>/driver/<id>/`: lock, boots, last valid desired documents (encrypted) and plans.

    Files are replaced atomically and readable by their owner only, because desired documents name clusters and users.
    The control and data workers of a driver share the folder; either may write a document.
    """

    def __init__(self, home: Path, driver: str, role: DriverRole, transport_keys: Sequence[str]) -> None:
        self._folder = home / "driver" / driver
        self._driver = driver
        self._role = role
        self._fernet = MultiFernet([Fernet(key) for key in transport_keys])
        self._lock: IO[str] | None = None

    @property
    def path(self) -> Path:
        """The folder's path; it exists once the folder is locked."""
        return self._folder

    def lock(self) -> None:
        """Lock the folder for this role until the process ends. Raises StateFolderError."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = (self._folder / f"{self._role}.lock").open("a+")
        except OSError as error:
            raise StateFolderError(f"cannot write to {self._folder} ({error.strerror}): correct SRM_HOME") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise StateFolderError(
                f"the {self._role} worker of driver {self._driver} already runs (pid {holder}): "
                "stop it first, or set another SRM_DRIVER_ID"
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock

    def record_boot(self, boot: str) -> frozenset[str]:
        """Record this start; returns the earlier ones, whose processes have ended because the lock is held."""
        path = self._folder / f"{self._role}.boots"
        earlier = path.read_text().split() if path.exists() else []
        self._replace(path, "\n".join([*earlier[-_BOOTS_KEPT:], boot]).encode())
        return frozenset(earlier)

    def save_desired(self, target: str, document: bytes) -> None:
        self._replace(self._desired_path(target), self._fernet.encrypt(document))

    def load_desired(self, target: str) -> bytes | None:
        """Return the copy, or None when there is none or the keys do not decrypt it."""
        try:
            return self._fernet.decrypt(self._desired_path(target).read_bytes())
        except (FileNotFoundError, InvalidToken):
            return None

    def desired_targets(self) -> frozenset[str]:
        names = (path.name.removeprefix("desired-").removesuffix(".bin") for path in self._folder.glob("desired-*.bin"))
        return frozenset(unquote(name) for name in names)

    def save_driver_orders(self, document: bytes) -> None:
        self._replace(self._orders_path, self._fernet.encrypt(document))

    def load_driver_orders(self) -> bytes | None:
        """Return the copy, or None when there is none or the keys do not decrypt it."""
        try:
            return self._fernet.decrypt(self._orders_path.read_bytes())
        except (FileNotFoundError, InvalidToken):
            return None

    def save_plan(self, target: str, source: str, plan: bytes) -> None:
        self._replace(self._plan_path(target, source), plan)

    def load_plan(self, target: str, source: str) -> bytes | None:
        try:
            return self._plan_path(target, source).read_bytes()
        except FileNotFoundError:
            return None

    @property
    def _orders_path(self) -> Path:
        return self._folder / "driver-orders.bin"

    def _desired_path(self, target: str) -> Path:
        return self._folder / f"desired-{quote(target, safe='')}.bin"

    def _plan_path(self, target: str, source: str) -> Path:
        return self._folder / f"plan-{quote(target, safe='')}-{quote(source, safe='')}.json"

    def _replace(self, path: Path, content: bytes) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=f".{path.name}.")  # created with mode 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
