"""Detects another live process with the id and role of this one."""

from replication.domain.json_documents import read_object
from replication.worker.reporting.documents import DriverProcess


class NamesakeError(Exception):
    """Another process has the id of this one and is alive; this one has to end."""


class Namesake:
    """A membership of another start that changes belongs to a live process; one that does not is left to expire."""

    def __init__(self) -> None:
        self._seen: tuple[object, object] | None = None

    def forget(self) -> None:
        """The membership is ours: an earlier one of another start says nothing about a later one."""
        self._seen = None

    def check(self, process: DriverProcess, document: bytes) -> None:
        """Note the membership that has taken the place of ours. Raises NamesakeError."""
        other = read_object(document)
        now = (other.get("boot"), other.get("sent_ms"))
        before, self._seen = self._seen, now
        if before is not None and before != now:
            raise NamesakeError(
                f"the {process.role} worker of driver {process.driver} already runs on host {other.get('host')} "
                f"(pid {other.get('pid')}): stop it first, or set another SRM_DRIVER_ID"
            )
