"""The processes that the leader knows: those that take tasks, and those that left and may return."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from replication.domain.assignment.assignment import ROLES, DriverRole, TaskKey, role_of
from replication.domain.assignment.members import Member
from replication.domain.identifiers import TaskId
from replication.domain.json_documents import read_json
from replication.worker.state.redis_store import MemberRecord

log = structlog.get_logger(__name__)
SILENT_BELOW_MS = 4_000  # of a membership's 10 s: a driver silent for six seconds gets no new tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """The time that a process has been away, and whether it said that it returns."""

    ms: int
    announced: bool


class Roster:
    """Used by the coordinator thread of the leader only; times are monotonic."""

    def __init__(self) -> None:
        self.members: tuple[Member, ...] = ()
        self.loads: dict[TaskKey, float] = {}
        self._present: set[tuple[str, DriverRole]] = set()
        self._away_since_ms: dict[tuple[str, DriverRole], int] = {}
        self._returning: set[tuple[str, DriverRole]] = set()

    def update(self, records: Sequence[MemberRecord], now_ms: int) -> None:
        """Note who is there."""
        parsed = [document for record in records if (document := _parsed(record)) is not None]
        present = [document for document in parsed if not document.is_leaving]
        self.members = tuple(sorted((document.member for document in present), key=lambda each: each.driver))
        self.loads = {key: load for document in present for key, load in document.loads.items()}
        self._returning = {document.identity for document in parsed if document.is_returning}
        before, self._present = self._present, {(member.driver, member.role) for member in self.members}
        self._away_since_ms |= dict.fromkeys(before - self._present, now_ms)
        for identity in self._present:
            self._away_since_ms.pop(identity, None)

    def absence(self, driver: str, task: TaskId, now_ms: int) -> Absence | None:
        """Return for how long the driver of a task has been away; None while it is present."""
        identity = (driver, role_of(task))
        if identity in self._present:
            return None
        since_ms = self._away_since_ms.setdefault(identity, now_ms)
        return Absence(ms=now_ms - since_ms, announced=identity in self._returning)

    def forget_absences(self, drivers: set[str]) -> None:
        """Keep the absences of these drivers only: the others have no tasks any more."""
        self._away_since_ms = {who: since for who, since in self._away_since_ms.items() if who[0] in drivers}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    member: Member
    loads: Mapping[TaskKey, float]
    is_leaving: bool  # it stops, or has not renewed its membership for a while
    is_returning: bool

    @property
    def identity(self) -> tuple[str, DriverRole]:
        return (self.member.driver, self.member.role)


def _parsed(record: MemberRecord) -> _Document | None:
    """None when the membership document cannot be parsed."""
    try:
        document = read_json(record.document)
        is_silent = 0 <= record.remaining_ms < SILENT_BELOW_MS
        is_stopping = document.get("leaving") is True
        return _Document(
            member=_member(document),
            loads=_loads(document.get("loads") or {}),
            is_leaving=is_stopping or is_silent,
            is_returning=is_stopping and document.get("returning_until_ms") is not None,
        )
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        log.warning("membership document ignored: it cannot be parsed")
        return None


def _member(document: Mapping[str, Any]) -> Member:
    return Member(
        driver=str(document["id"]),
        role=next(known for known in ROLES if known == document["role"]),
        targets=frozenset(document["targets"]),
        capacity=document.get("capacity"),
        labels=dict(document.get("labels") or {}),
        drain=bool(document.get("drain")),
    )


def _loads(raw: Mapping[str, Mapping[str, float]]) -> dict[TaskKey, float]:
    return {(target, TaskId.parse(task)): float(load) for target, loads in raw.items() for task, load in loads.items()}
