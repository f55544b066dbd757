"""The consumer groups that allow and deny patterns would select on the source, and those that they miss by little."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.groups.consumer_group import GroupState, GroupType, ListedGroup
from replication.domain.groups.group_summary import SkippedGroup
from replication.domain.names.filters import NameFilter
from replication.domain.questions.near_misses import NearMiss, near_misses


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMatch:
    """A group that the flow would translate. `topics` is the number of topics of the flow that it has offsets of.

    `topics` is None where the offsets were not read.
    """

    group: str
    type: GroupType
    state: GroupState
    topics: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnselectedGroup:
    """A group that an allow pattern matches and the flow would not translate."""

    group: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPreview:
    """Lists hold the first entries; `counts` has the number of all by the name of the list.

    `skipped` are groups that the patterns select and the flow would not translate, and why. `on_source` is the number
    of all groups that the source lists for this login.
    """

    source: str
    target: str
    on_source: int
    matches: tuple[GroupMatch, ...]
    skipped: tuple[UnselectedGroup, ...]
    denied: tuple[UnselectedGroup, ...]
    near_misses: tuple[NearMiss, ...]
    unmatched_patterns: tuple[str, ...]  # allow patterns that match no group
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenGroups:
    """The groups of a source; `translated` has the topics of the flow that a group has offsets of."""

    listed: Mapping[str, ListedGroup]
    translated: Mapping[str, frozenset[str]]
    skipped: tuple[SkippedGroup, ...]


def group_preview(source: str, target: str, groups: NameFilter, seen: SeenGroups, *, most: int) -> GroupPreview:
    """Return what the patterns select among the groups of the source."""
    names = sorted(seen.listed)
    skipped = {each.group for each in seen.skipped}
    matches = tuple(_match(seen, name) for name in names if groups.accepts(name) and name not in skipped)
    denied = tuple(
        UnselectedGroup(group=name, reason=reason)
        for name in names
        if groups.allows(name) and (reason := groups.denial(name)) is not None
    )
    misses = near_misses(groups.allow, [name for name in names if not _is_decided(groups, name)])
    unmatched = groups.unmatched(names)
    return GroupPreview(
        source=source,
        target=target,
        on_source=len(names),
        matches=matches[:most],
        skipped=tuple(UnselectedGroup(group=each.group, reason=each.reason) for each in seen.skipped[:most]),
        denied=denied[:most],
        near_misses=misses[:most],
        unmatched_patterns=unmatched[:most],
        counts={
            "matches": len(matches),
            "skipped": len(seen.skipped),
            "denied": len(denied),
            "near_misses": len(misses),
            "unmatched_patterns": len(unmatched),
        },
    )


def _match(seen: SeenGroups, name: str) -> GroupMatch:
    group, topics = seen.listed[name], seen.translated.get(name)
    return GroupMatch(group=name, type=group.type, state=group.state, topics=None if topics is None else len(topics))


def _is_decided(groups: NameFilter, name: str) -> bool:
    return groups.allows(name) or groups.denial(name) is not None
