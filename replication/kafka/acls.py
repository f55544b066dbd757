"""ACL bindings on topics and groups between our values and confluent-kafka's."""

from typing import Any

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

from replication.domain.plan.acl import AclEntry, GroupAcl, Pattern, TopicAcl

_PATTERNS: dict[ResourcePatternType, Pattern] = {
    ResourcePatternType.LITERAL: "literal",
    ResourcePatternType.PREFIXED: "prefixed",
}
_LIBRARY_PATTERNS = {word: pattern for pattern, word in _PATTERNS.items()}


def every_topic_acl() -> AclBindingFilter:
    """All bindings on topics, of every pattern type."""
    return _every(ResourceType.TOPIC)


def every_group_acl() -> AclBindingFilter:
    """All bindings on groups, of every pattern type."""
    return _every(ResourceType.GROUP)


def _every(resource: ResourceType) -> AclBindingFilter:
    anything: Any = None  # the library's stub does not know that None is allowed
    return AclBindingFilter(
        resource,
        anything,
        ResourcePatternType.ANY,
        anything,
        anything,
        AclOperation.ANY,
        AclPermissionType.ANY,
    )


def from_library(binding: AclBinding) -> TopicAcl | None:
    """None for what a newer broker has and the library does not know."""
    found = _entry_of(binding)
    return None if found is None else TopicAcl(topic=binding.name, entry=found[1], pattern=found[0])


def group_acl(binding: AclBinding) -> GroupAcl | None:
    """None for what a newer broker has and the library does not know."""
    found = _entry_of(binding)
    return None if found is None else GroupAcl(group=binding.name, entry=found[1], pattern=found[0])


def _entry_of(binding: AclBinding) -> tuple[Pattern, AclEntry] | None:
    pattern = _PATTERNS.get(ResourcePatternType(binding.resource_pattern_type))
    operation = AclOperation(binding.operation)
    if pattern is None or operation in (AclOperation.UNKNOWN, AclOperation.ANY):
        return None
    is_deny = binding.permission_type == AclPermissionType.DENY
    entry = AclEntry(
        principal=binding.principal,
        host=binding.host,
        operation=operation.name.lower(),
        permission="deny" if is_deny else "allow",
    )
    return pattern, entry


def to_library(acl: TopicAcl) -> AclBinding:
    return AclBinding(*_parts(acl))


def to_filter(acl: TopicAcl) -> AclBindingFilter:
    """Matches exactly this binding."""
    return AclBindingFilter(*_parts(acl))


def _parts(
    acl: TopicAcl,
) -> tuple[ResourceType, str, ResourcePatternType, str, str, AclOperation, AclPermissionType]:
    entry = acl.entry
    permission = AclPermissionType.DENY if entry.permission == "deny" else AclPermissionType.ALLOW
    operation = AclOperation[entry.operation.upper()]
    pattern = _LIBRARY_PATTERNS[acl.pattern]
    return (ResourceType.TOPIC, acl.topic, pattern, entry.principal, entry.host, operation, permission)
