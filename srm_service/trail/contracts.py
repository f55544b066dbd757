"""The data types in which other apps write and read the audit trail."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

ActorKind = Literal["user", "token", "system"]
TrailOutcome = Literal["done", "refused", "failed"]
SubjectKind = Literal[
    "cluster", "flow", "configuration", "draft", "user", "session", "token", "address", "service", "driver"
]

ACTOR_KINDS: tuple[ActorKind, ...] = get_args(ActorKind)
TRAIL_OUTCOMES: tuple[TrailOutcome, ...] = get_args(TrailOutcome)
SUBJECT_KINDS: tuple[SubjectKind, ...] = get_args(SubjectKind)
ACTION_PATTERN = r"[a-z][a-z_]*(\.[a-z][a-z_]*)+"  # a noun and a verb, such as flow.pause


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The one who acts: a person, a person's API token (`token` is its prefix), or a part of the system."""

    name: str
    kind: ActorKind = "user"
    address: str = ""
    request_id: str = ""
    token: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class TrailSubject:
    """The object of an action. A flow's name is `source->target`."""

    kind: SubjectKind
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailDto:
    """An entry of the trail."""

    id: int
    at_ms: int
    actor: str
    actor_kind: ActorKind
    token: str
    address: str
    action: str
    subject_kind: SubjectKind
    subject: str
    before: Any
    after: Any
    reason: str
    request_id: str
    outcome: TrailOutcome


MAINTENANCE = Actor(name="maintenance", kind="system")  # the maintenance worker


def flow_subject(source: str, target: str) -> TrailSubject:
    """Return the subject of a flow."""
    return TrailSubject("flow", f"{source}->{target}")
