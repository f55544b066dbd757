"""Finds principals that may read a group and its topics on the source, and not on the target."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.readiness import cause
from replication.domain.plan.acl import AclEntry, GroupAcl, Pattern, TopicAcl

EVERY_PRINCIPAL = "User:*"
EVERY_HOST = "*"
_ALL_NAMES = "*"
_READING = ("read", "all")
_MOST_NAMED = 3
_Binding = tuple[str, Pattern, AclEntry]


class ReadRights:
    """The READ bindings on one kind of resource of a cluster, found by the name of a resource."""

    def __init__(self, bindings: Iterable[_Binding]) -> None:
        self._literal: defaultdict[str, list[AclEntry]] = defaultdict(list)
        self._prefixed: list[tuple[str, AclEntry]] = []
        for name, pattern, entry in bindings:
            if entry.operation not in _READING:
                continue
            if pattern == "prefixed":
                self._prefixed.append((name, entry))
            else:
                self._literal[name].append(entry)

    @property
    def is_empty(self) -> bool:
        return not self._literal and not self._prefixed

    def readers(self, name: str) -> frozenset[str]:
        """Return the principals that may read this resource."""
        allowed = {entry.principal for entry in self._entries(name) if entry.permission == "allow"}
        return frozenset(each for each in allowed if self.may_read(each, name))

    def may_read(self, principal: str, name: str) -> bool:
        """A DENY is stronger than any ALLOW. Hosts are not compared: one host that may read is enough."""
        mine = [entry for entry in self._entries(name) if entry.principal in (principal, EVERY_PRINCIPAL)]
        is_denied = any(entry.permission == "deny" and entry.host == EVERY_HOST for entry in mine)
        return not is_denied and any(entry.permission == "allow" for entry in mine)

    def _entries(self, name: str) -> Iterator[AclEntry]:
        yield from self._literal.get(name, ())
        yield from self._literal.get(_ALL_NAMES, ())
        yield from (entry for prefix, entry in self._prefixed if name.startswith(prefix))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterReaders:
    """The rights to read the topics and groups of one cluster."""

    topics: ReadRights
    groups: ReadRights

    @classmethod
    def of(cls, topics: Iterable[TopicAcl], groups: Iterable[GroupAcl]) -> "ClusterReaders":
        return cls(
            topics=ReadRights((acl.topic, acl.pattern, acl.entry) for acl in topics),
            groups=ReadRights((acl.group, acl.pattern, acl.entry) for acl in groups),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingRead:
    """A principal without READ on a group or on remote topics of the target."""

    principal: str
    resources: tuple[str, ...]  # `group g`, `topic a.t`


def rights_cause(
    group: str, remote_of: Mapping[str, str], source: ClusterReaders, target: ClusterReaders, target_alias: str
) -> GroupCause | None:
    """Return the cause for a group whose readers on the source may not read it on the target.

    `remote_of` names the remote topics of the topics that the group reads. Super users need no bindings and are not
    seen. A target without any binding is not judged: it has no authorizer, or keeps its rights elsewhere.
    """
    missing = missing_reads(group, remote_of, source, target)
    if not missing or (target.topics.is_empty and target.groups.is_empty):
        return None
    named = "; ".join(f"{each.principal} on {', '.join(each.resources)}" for each in missing[:_MOST_NAMED])
    more = len(missing) - _MOST_NAMED
    others = f"; and {more} more" if more > 0 else ""
    detail = f"some principals have READ on the source, and not on {target_alias}: {named}{others}"
    principals = ", ".join(each.principal for each in missing[:_MOST_NAMED])
    grant = f"grant READ on the group and its remote topics on {target_alias} to {principals}"
    return cause("missing_rights", detail=detail, grant=grant)


def missing_reads(
    group: str, remote_of: Mapping[str, str], source: ClusterReaders, target: ClusterReaders
) -> tuple[MissingRead, ...]:
    """Return the principals that may read the group and one of its topics on the source, and not on the target."""
    found = []
    for principal in sorted(source.groups.readers(group)):
        remote = [remote_of[topic] for topic in sorted(remote_of) if source.topics.may_read(principal, topic)]
        if not remote:
            continue
        missing = [] if target.groups.may_read(principal, group) else [f"group {group}"]
        missing += [f"topic {name}" for name in remote if not target.topics.may_read(principal, name)]
        if missing:
            found.append(MissingRead(principal=principal, resources=tuple(missing)))
    return tuple(found)
