"""The consumer groups of one cluster: list, describe, read and set committed offsets."""

from collections.abc import Collection, Mapping
from typing import Protocol

from replication.domain.groups.consumer_group import (
    Commit,
    Commits,
    GroupDescription,
    GroupProblem,
    ListedGroup,
)
from replication.domain.identifiers import TopicPartition


class GroupAdmin(Protocol):
    """Every call blocks, and may come from any thread; calls of several threads wait for each other.

    Raises `replication.domain.errors` as ClusterAdmin does while the cluster as a whole does not answer. The refusal of
    one group or partition is a GroupProblem in the answer and concerns no other.
    """

    @property
    def alias(self) -> str: ...

    @property
    def requests(self) -> int:
        """The number of requests sent so far."""

    def list_groups(self) -> Mapping[str, ListedGroup]:
        """Return all groups of every type, by name; one request per broker (KIP-518, KIP-848)."""

    def commits(self, groups: Collection[str]) -> Mapping[str, Commits | GroupProblem]:
        """Return the stable committed offsets (KIP-447); one request per coordinator where brokers allow it (KIP-709).

        A group that does not exist has no commits. A partition whose transaction stays open has the commit before it.
        Commits on topics that this client may not describe are missing.
        """

    def describe(self, groups: Collection[str]) -> Mapping[str, GroupDescription | GroupProblem]:
        """Return state, members and subscriptions; a group that does not exist is described as dead."""

    def alter(
        self, commits: Mapping[str, Mapping[TopicPartition, Commit]]
    ) -> Mapping[str, Mapping[TopicPartition, GroupProblem | None]]:
        """Commit offsets for groups without members; the coordinator refuses a group that has some.

        Returns None for each partition that was set. Creates groups that do not exist.
        """

    def group_operations(self, groups: Collection[str]) -> Mapping[str, frozenset[str]]:
        """Return the operations this client may do on each group, in lower case (`read`, `describe`, `delete`)."""

    def close(self) -> None: ...
