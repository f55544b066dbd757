"""The rights a flow needs on its two clusters, those that are missing, and the commands that grant them."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from replication.domain.plan.acl import Pattern

ResourceKind = Literal["topic", "group", "cluster"]
SOURCE_TOPIC_OPERATIONS = ("read", "describe", "describe_configs")
REMOTE_TOPIC_OPERATIONS = ("write", "describe", "describe_configs", "alter", "alter_configs")
INTERNAL_TOPIC_OPERATIONS = ("read", "write", "describe")
SOURCE_GROUP_OPERATIONS = ("describe",)
TARGET_GROUP_OPERATIONS = ("read", "describe")  # a commit needs READ on the group and on the topic
COMMITTED_TOPIC_OPERATIONS = ("read", "describe")
ADMIN_FILE = "admin.properties"  # the client settings of an administrator, for Kafka's tools
ANONYMOUS = "User:ANONYMOUS"  # who comes without a login
_WITHOUT = frozenset({"alter", "alter_configs", "describe_configs"})  # the flow runs without, with less


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Right:
    """One operation on one resource, or on all topics or groups that start alike."""

    kind: ResourceKind
    name: str
    operation: str
    pattern: Pattern = "literal"

    @property
    def is_essential(self) -> bool:
        """True when records cannot be copied without it."""
        return self.operation not in _WITHOUT

    def __str__(self) -> str:
        what = "the cluster" if self.kind == "cluster" else f"{self.kind} {self.name}"
        return f"{self.operation.upper()} on {what}"


def missing_rights(
    operations: Mapping[str, frozenset[str]],
    names: Iterable[str],
    needed: Iterable[str],
    kind: ResourceKind = "topic",
) -> tuple[Right, ...]:
    """Return the rights that are needed on these topics or groups and missing; those not described are skipped."""
    wanted = tuple(needed)
    return tuple(
        Right(kind=kind, name=name, operation=operation)
        for name in sorted(names)
        if name in operations
        for operation in wanted
        if operation not in operations[name]
    )


def grant_commands(bootstrap: str, principal: str, rights: Iterable[Right]) -> tuple[str, ...]:
    """`kafka-acls` calls that grant them, one per resource.

    A cluster that knows its clients needs the login of an administrator, which is in a file of theirs.
    """
    operations: dict[Right, list[str]] = {}
    for right in sorted(set(rights)):
        operations.setdefault(replace(right, operation=""), []).append(right.operation)
    return tuple(_command(bootstrap, principal, resource, words) for resource, words in operations.items())


def _command(bootstrap: str, principal: str, resource: Right, operations: Iterable[str]) -> str:
    login = () if principal == ANONYMOUS else ("--command-config", ADMIN_FILE)
    words = ["kafka-acls", "--bootstrap-server", bootstrap, *login, "--add", "--allow-principal", principal]
    for operation in operations:
        words += ["--operation", "".join(part.capitalize() for part in operation.split("_"))]
    if resource.kind == "cluster":
        words.append("--cluster")
    else:
        words += [f"--{resource.kind}", resource.name]
        if resource.pattern == "prefixed":
            words += ["--resource-pattern-type", "prefixed"]
    return shlex.join(words)
