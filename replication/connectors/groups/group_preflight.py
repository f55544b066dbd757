"""Checks the rights that a flow needs for its consumer groups; without them it copies records all the same."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice

from replication.config.flows.policies import internal_separator
from replication.domain.desired.desired_flow import DesiredFlow
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import checkpoints_topic
from replication.domain.plan.preflight import Client, PreflightFinding, rights_findings
from replication.domain.plan.rights import (
    COMMITTED_TOPIC_OPERATIONS,
    INTERNAL_TOPIC_OPERATIONS,
    SOURCE_GROUP_OPERATIONS,
    TARGET_GROUP_OPERATIONS,
    Right,
    missing_rights,
)
from replication.ports.admin import ClusterAdmin, NewTopic
from replication.ports.groups.group_admin import GroupAdmin

MOST_GROUPS, MOST_TOPICS = 1_000, 2_000  # that are checked
EVERY_GROUP = "*"  # as `kafka-acls` writes it
_PATTERN_SIGNS = frozenset("\\^$.|?*+()[]{}")
_UNAUTHORIZED = "TOPIC_AUTHORIZATION_FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSide:
    """One cluster of the flow."""

    admin: ClusterAdmin
    groups: GroupAdmin

    def findings(self, missing: Collection[Right], upstream_of: Mapping[str, str]) -> tuple[PreflightFinding, ...]:
        client = Client(cluster=self.admin.alias, servers=self.admin.servers, principal=self.admin.principal)
        return rights_findings(client, missing, upstream_of, for_groups=True)


class GroupPreflight:
    """Blocking; changes nothing. Raises the errors of both ports; the constructor those of invalid settings."""

    def __init__(self, flow: DesiredFlow, target_alias: str, source: GroupSide, target: GroupSide) -> None:
        self._flow = flow
        self._settings = CheckpointSettings.of(flow)
        separator = internal_separator(flow.policy, flow.connectors.source)
        self._checkpoints = checkpoints_topic(FlowId(flow.source, target_alias), separator=separator)
        self._source = source
        self._target = target

    def findings(self, remote_topics: Mapping[str, str]) -> tuple[PreflightFinding, ...]:
        """Return one warning per resource. `remote_topics` has the upstream topic of each remote one that exists."""
        if not self._settings.is_on or not self._flow.groups.allow:
            return ()
        remote_topics = dict(islice(remote_topics.items(), MOST_TOPICS))
        listed = self._source.groups.list_groups()
        names = sorted(name for name in listed if self._settings.groups.accepts(name))[:MOST_GROUPS]
        on_target = list(self._checkpoint_rights())
        if self._settings.syncs_groups:
            on_target += self._sync_rights(names, remote_topics)
        return (
            *self._source.findings(self._source_rights(names), {}),
            *self._target.findings(on_target, remote_topics),
        )

    def _source_rights(self, names: Collection[str]) -> tuple[Right, ...]:
        """The groups whose commits are refused, and those that the filter names and the cluster hides."""
        hidden = [each for each in self._flow.groups.allow if not _PATTERN_SIGNS & set(each) and each not in names]
        operations = self._source.groups.group_operations([*names, *hidden])
        missing = missing_rights(operations, operations, SOURCE_GROUP_OPERATIONS, "group")
        if names or missing or not self._hides_groups():
            return missing
        return tuple(Right(kind="group", name=EVERY_GROUP, operation=each) for each in SOURCE_GROUP_OPERATIONS)

    def _hides_groups(self) -> bool:
        """Return True when a group that no rule was made for is hidden: the list may be empty because of that."""
        unknown = f"srm-preflight-{self._flow.source}"
        return not self._source.groups.group_operations([unknown])[unknown]

    def _sync_rights(self, names: Collection[str], remote_topics: Mapping[str, str]) -> tuple[Right, ...]:
        groups = self._target.groups.group_operations(names)
        topics = self._target.admin.topic_operations(remote_topics)
        return (
            *missing_rights(groups, names, TARGET_GROUP_OPERATIONS, "group"),
            *missing_rights(topics, remote_topics, COMMITTED_TOPIC_OPERATIONS),
        )

    def _checkpoint_rights(self) -> tuple[Right, ...]:
        name, admin = self._checkpoints, self._target.admin
        if name in admin.list_topics():
            return missing_rights(admin.topic_operations([name]), [name], INTERNAL_TOPIC_OPERATIONS)
        refused = admin.check_new_topics([NewTopic(name=name, partitions=1, replication_factor=1)])
        if not any(each.code == _UNAUTHORIZED for each in refused):
            return ()
        return tuple(Right(kind="topic", name=name, operation=each) for each in ("create", *INTERNAL_TOPIC_OPERATIONS))
