"""Selects the ACLs that remote topics take over: MirrorSourceConnector.syncTopicAcls as a difference.

Kept: literal topic bindings that are not an ALLOW of WRITE, since only the flow writes to a remote topic; an ALLOW of
ALL becomes one of READ. The binding of all topics (`*`) is not copied: on the target it would open topics that have
nothing to do with the flow.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Pattern = Literal["literal", "prefixed"]
Permission = Literal["allow", "deny"]
ALL_TOPICS = "*"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class AclEntry:
    """A principal's right from a host; operations in Kafka's lower-case words (`read`, `describe_configs`, `all`)."""

    principal: str
    host: str
    operation: str
    permission: Permission


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TopicAcl:
    """A binding on a topic, or on all topics that start alike."""

    topic: str
    entry: AclEntry
    pattern: Pattern = "literal"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class GroupAcl:
    """A binding on a consumer group, or on all groups that start alike."""

    group: str
    entry: AclEntry
    pattern: Pattern = "literal"


@dataclass(frozen=True, slots=True, kw_only=True)
class AclSteps:
    """Return the ACLs to create, and those to delete because we made them and their original is gone."""

    create: tuple[TopicAcl, ...] = ()
    delete: tuple[TopicAcl, ...] = ()


def wanted_acls(upstream: Iterable[TopicAcl], remote_of: Mapping[str, str]) -> frozenset[TopicAcl]:
    """The bindings the remote topics should have; `remote_of` names the remote topic of each replicated topic."""
    return frozenset(
        TopicAcl(topic=remote_of[acl.topic], entry=_reading(acl.entry))
        for acl in upstream
        if acl.pattern == "literal" and acl.topic in remote_of and not _allows_writing(acl.entry)
    )


def diff_acls(
    wanted: frozenset[TopicAcl], actual: frozenset[TopicAcl], owned: frozenset[TopicAcl], *, prune: bool
) -> AclSteps:
    """`owned` are those we created. Nothing is deleted unless `prune`, and never an ACL that others created."""
    surplus = (owned - wanted) & actual if prune else frozenset()
    return AclSteps(create=tuple(sorted(wanted - actual)), delete=tuple(sorted(surplus)))


def _allows_writing(entry: AclEntry) -> bool:
    return entry.permission == "allow" and entry.operation == "write"


def _reading(entry: AclEntry) -> AclEntry:
    if entry.permission == "allow" and entry.operation == "all":
        return AclEntry(principal=entry.principal, host=entry.host, operation="read", permission="allow")
    return entry
