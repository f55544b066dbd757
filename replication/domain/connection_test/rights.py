"""The rights that flows need on a cluster, compared with those that the brokers report."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

ClusterUse = Literal["source", "target"]
_ON_TOPICS: Mapping[ClusterUse, tuple[str, ...]] = {"source": ("describe", "read"), "target": ("describe", "write")}


@dataclass(frozen=True, slots=True, kw_only=True)
class RightResult:
    """One right; `allowed` is None if the brokers do not tell."""

    operation: str
    resource: Literal["cluster", "topics"]
    allowed: bool | None
    text: str


def rights_of(
    uses: Iterable[ClusterUse], cluster: frozenset[str], topics: Mapping[str, frozenset[str]]
) -> tuple[RightResult, ...]:
    """Return the rights for these uses; `topics` holds the operations on a sample of the visible topics."""
    wanted = frozenset(uses)
    operations = dict.fromkeys(operation for use in sorted(wanted) for operation in _ON_TOPICS[use])
    found = [_on_topics(operation, cluster, topics) for operation in operations]
    return (*found, _create(cluster)) if "target" in wanted else tuple(found)


def missing_rights_text(rights: Iterable[RightResult]) -> str:
    """Name the rights that are missing; empty if there are none."""
    return ", ".join(f"{right.operation} on {right.resource}" for right in rights if right.allowed is False)


def _on_topics(operation: str, cluster: frozenset[str], topics: Mapping[str, frozenset[str]]) -> RightResult:
    having = sum(operation in operations for operations in topics.values())
    allowed: bool | None
    if topics:
        allowed, text = having > 0, f"on {having} of {len(topics)} visible topics"
    elif "describe" in cluster:
        allowed, text = None, "the cluster shows no topics"
    else:
        allowed, text = False, "the principal sees neither topics nor the cluster"
    return RightResult(operation=operation, resource="topics", allowed=allowed, text=text)


def _create(cluster: frozenset[str]) -> RightResult:
    if "create" in cluster:
        return RightResult(operation="create", resource="cluster", allowed=True, text="on the cluster")
    text = "not on the cluster; brokers do not report the right to create topics with a prefix"
    return RightResult(operation="create", resource="cluster", allowed=None, text=text)
