"""The change plan of one flow: what a draft changes in its topics, configs, ACLs and tasks.

`null` is unknown: it was not inspected, and `unlooked` says why.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

from replication.domain.plan.preflight import PreflightFinding

Part = Literal["flow", "settings", "topics", "loops", "rights", "configs", "acls", "groups", "tasks", "estimate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlooked:
    """A part of the answer that is not known, and why."""

    part: Part
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedTopic:
    """A topic that the flow creates on the target; `upstream` is None for an internal topic."""

    name: str
    partitions: int
    upstream: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WidenedTopic:
    """A remote topic that gets partitions."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedTopic:
    """A topic that is copied to another remote topic than before; the former copy is kept."""

    upstream: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenName:
    """A remote name that exists on the target and is not this flow's; `taken_by` is None where no flow is known."""

    upstream: str
    remote: str
    taken_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteConfigEdit:
    """A config of a remote topic that the flow sets, or takes away (`after` is None)."""

    topic: str
    key: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AclEdit:
    """An ACL of a remote topic that the flow creates or deletes."""

    topic: str
    principal: str
    host: str
    operation: str
    permission: str
    is_deleted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRestart:
    """A running slot that restarts, and the settings because of which it does."""

    slot: int
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChange:
    """The slots of a flow before and after. All other running slots take the change over while they copy."""

    before: int
    after: int
    restarts: tuple[SlotRestart, ...] = ()
    moved_partitions: int = 0  # to other slots; each pauses for a moment
    is_new_generation: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The data to copy of the newly replicated topics. Bytes are as stored on the source, in one replica."""

    partitions: int
    records: int
    bytes: int | None
    is_upper_bound: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChanges:
    """Lists hold the first entries of each kind; `counts` has the number of all by the name of the list."""

    source: str
    target: str
    topics_created: tuple[CreatedTopic, ...] | None = None
    topics_widened: tuple[WidenedTopic, ...] | None = None
    topics_added: tuple[str, ...] | None = None
    topics_removed: tuple[str, ...] | None = None
    topics_renamed: tuple[RenamedTopic, ...] | None = None
    names_taken: tuple[TakenName, ...] | None = None
    configs: tuple[RemoteConfigEdit, ...] | None = None
    acls: tuple[AclEdit, ...] | None = None
    findings: tuple[PreflightFinding, ...] = ()
    tasks: TaskChange | None = None
    estimate: Estimate | None = None
    unlooked: tuple[Unlooked, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


_LISTS = (
    "topics_created",
    "topics_widened",
    "topics_added",
    "topics_removed",
    "topics_renamed",
    "names_taken",
    "configs",
    "acls",
    "findings",
)


def bounded(change: FlowChanges, most: int) -> FlowChanges:
    """Return the change plan with at most so many entries in each list, and the number of all."""
    known = {name: items for name in _LISTS if (items := getattr(change, name)) is not None}
    shown = {name: items[:most] for name, items in known.items()}
    return replace(change, **shown, counts={name: len(items) for name, items in known.items()})
