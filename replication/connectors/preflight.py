"""Checks both clusters and the settings before a flow's first record; changes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replication.config.flows.policies import internal_separator
from replication.connectors.groups.group_preflight import GroupPreflight, GroupSide
from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.plan.topic_rules import topic_rules
from replication.connectors.topics.internal_topic_check import InternalTopicCheck
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import AuthorizationError, ReplicationError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import (
    GAPS,
    HEARTBEATS_TOPIC,
    OFFSET_RUNS,
    POSITIONS,
    PRODUCERS_TOPIC,
    RAW_METRICS,
    offset_syncs_topic,
)
from replication.domain.names.replication_policy import IdentityPolicy
from replication.domain.plan.cycles import came_back, possible_cycle
from replication.domain.plan.preflight import (
    Client,
    PreflightFinding,
    TopicPair,
    rights_findings,
    topic_findings,
)
from replication.domain.plan.rights import (
    INTERNAL_TOPIC_OPERATIONS,
    REMOTE_TOPIC_OPERATIONS,
    SOURCE_TOPIC_OPERATIONS,
    missing_rights,
)
from replication.domain.plan.topic_plan import TopicSelection, WantedTopic, select_topics
from replication.domain.settings.flow_check import flow_setting_errors
from replication.domain.settings.registry.all_settings import setting_errors
from replication.domain.settings.registry.planning import ORIGINAL_DRIVER_CHECK
from replication.domain.settings.registry.records import LOOP_ORIGINS, LOOP_PROTECTION
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE
from replication.ports.admin import ClusterAdmin
from replication.ports.groups.group_admin import GroupAdmin


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSnapshot:
    """The topics of both clusters with their partitions, and which of them the flow would copy."""

    source_topics: Mapping[str, int]
    target_topics: Mapping[str, int]
    selection: TopicSelection


def preflight(
    flow: DesiredFlow,
    target_alias: str,
    source: ClusterAdmin,
    target: ClusterAdmin,
    groups: tuple[GroupAdmin, GroupAdmin] | None = None,
) -> tuple[PreflightFinding, ...]:
    """Return all findings, errors first; an unreachable cluster or an unusable setting is a finding, too.

    With `groups` (of the source, of the target) the rights on consumer groups are checked as well.
    """
    invalid = setting_findings(flow)
    if invalid:
        return invalid
    try:
        check = Preflight(flow, target_alias, source, target)
        unread = check.unread_clusters()
        if unread:
            return tuple(map(_failed, unread))
        snapshot = check.read_topics()
        found = (
            *check.original_driver(),
            *_no_topics(flow, snapshot.selection),
            *check.flow_findings(snapshot),
            *check.internal_topics(snapshot),
            *check.topic_findings(snapshot, snapshot.selection.wanted),
            *(skipped_finding(flow.source, skipped.topic, skipped.reason) for skipped in snapshot.selection.skipped),
            *(check.group_findings(snapshot, *groups) if groups is not None else ()),
        )
    except ReplicationError as error:
        found = (_failed(error),)
    return tuple(sorted(found, key=lambda finding: ("error", "warning", "note").index(finding.severity)))


def setting_findings(flow: DesiredFlow) -> tuple[PreflightFinding, ...]:
    """Return one error for each setting that cannot be used; the clusters are not asked."""
    connectors = flow.connectors
    errors = (
        *flow_setting_errors(connectors.source),
        *setting_errors(connectors.checkpoint),
        *setting_errors(connectors.heartbeat),
    )
    return tuple(_failed(error) for error in errors)


class Preflight:
    """The checks of one flow. Blocking. Raises the errors of ClusterAdmin, ConfigurationError for invalid settings."""

    def __init__(self, flow: DesiredFlow, target_alias: str, source: ClusterAdmin, target: ClusterAdmin) -> None:
        self._flow = flow
        self._id = FlowId(flow.source, target_alias)
        self._settings = SourceSettings.of(flow.connectors.source)
        self._source = source
        self._target = target

    def unread_clusters(self) -> tuple[ReplicationError, ...]:
        """Return one error for each cluster that does not list its topics."""
        return tuple(error for admin in (self._source, self._target) if (error := _list_error(admin)) is not None)

    def read_topics(self) -> TopicSnapshot:
        source_topics, target_topics = self._source.list_topics(), self._target.list_topics()
        rules = topic_rules(self._flow, self._id.target, self._settings, (*source_topics, *target_topics))
        return TopicSnapshot(
            source_topics=source_topics, target_topics=target_topics, selection=select_topics(rules, source_topics)
        )

    def flow_findings(self, snapshot: TopicSnapshot) -> tuple[PreflightFinding, ...]:
        """Return the findings about the flow as a whole; an error among them holds it back."""
        return (
            *self._loops(snapshot),
            *self.cycles(snapshot),
            *self._internal_topic_rights(snapshot),
            *self._foreign_records(snapshot),
        )

    def topic_findings(self, snapshot: TopicSnapshot, topics: Sequence[WantedTopic]) -> tuple[PreflightFinding, ...]:
        """Return the findings about topics to be copied for the first time; an error holds back its topic."""
        existing = [topic for topic in topics if topic.remote in snapshot.target_topics]
        return (
            *self._came_back(snapshot, topics),
            *self._topic_rights(topics, existing),
            *self._pairs(snapshot, existing),
        )

    def group_findings(
        self, snapshot: TopicSnapshot, source_groups: GroupAdmin, target_groups: GroupAdmin
    ) -> tuple[PreflightFinding, ...]:
        """Return the rights missing for consumer groups."""
        source = GroupSide(admin=self._source, groups=source_groups)
        target = GroupSide(admin=self._target, groups=target_groups)
        existing = [topic for topic in snapshot.selection.wanted if topic.remote in snapshot.target_topics]
        remote_topics = {topic.remote: topic.upstream for topic in existing}
        return GroupPreflight(self._flow, self._id.target, source, target).findings(remote_topics)

    def original_driver(self) -> tuple[PreflightFinding, ...]:
        """Return an error while MirrorMaker or an original driver copies the flow."""
        if not self._settings.original_driver_check:
            return ()
        group = self._settings.original_driver_group or f"{self._id.source}-mm2"
        try:
            members = self._target.group_members(group)
        except AuthorizationError as error:
            return (
                PreflightFinding(
                    severity="warning",
                    code="original_driver_unknown",
                    text=f"cannot determine whether MirrorMaker copies {self._id}: {error.text}",
                    remedy=f"grant DESCRIBE on group {group}, or set {ORIGINAL_DRIVER_CHECK}=false",
                    cluster=self._id.target,
                ),
            )
        if members == 0:
            return ()
        text = (
            f"the group {group} on cluster {self._id.target} has {members} live member(s): MirrorMaker or an original "
            f"driver copies {self._id}"
        )
        remedy = f"stop it, or set {ORIGINAL_DRIVER_CHECK}=false for this flow"
        return (_error("original_driver_active", text, remedy),)

    def _loops(self, snapshot: TopicSnapshot) -> tuple[PreflightFinding, ...]:
        if not self._keeps_names(snapshot):
            return ()
        if self._source.describe_cluster().cluster_id == self._target.describe_cluster().cluster_id:
            text = (
                f"{self._id.source} and {self._id.target} are the same cluster, and topics keep their names: every "
                "topic would be copied into itself"
            )
            return (_error("same_cluster", text, "correct bootstrap.servers, or choose another replication policy"),)
        # positions named after our target on our source: the flow back has run
        back = POSITIONS.name(self._id.target)
        if back not in snapshot.source_topics or self._settings.loop_protection:
            return ()
        text = (
            f"topics keep their names, {self._id.target}->{self._id.source} replicates back, and loop protection is "
            "off: records would go in cycles"
        )
        remedy = (
            f"set {LOOP_PROTECTION}=auto, choose another replication policy, or remove the flow back and its topic "
            f"{back} on {self._id.source}"
        )
        return (_error("identity_loop", text, remedy),)

    def cycles(self, snapshot: TopicSnapshot) -> tuple[PreflightFinding, ...]:
        """Return an error for ways home that the flow cannot see; a loop protection other than auto or off decides."""
        settings = self._flow.connectors.source
        is_decided = LOOP_PROTECTION.read(settings) in ("producer_ids", "headers")
        if is_decided or not self._keeps_names(snapshot):
            return ()
        cycle = possible_cycle(
            self._id,
            LOOP_ORIGINS.read(settings),
            snapshot.source_topics,
            snapshot.target_topics,
            separator=internal_separator(self._flow.policy, settings),
            shows_outflows=self._settings.writes_offset_syncs and not self._settings.offset_syncs_on_target,
        )
        if cycle is None:
            return ()
        flows = ", ".join(map(str, cycle.flows))
        text = f"topics keep their names, and records could go in cycles through {flows}"
        remedy = (
            f"set {LOOP_ORIGINS}={','.join(cycle.origins)} where {self._id.target} gets those records directly, "
            f"{LOOP_PROTECTION}=headers on every flow of a ring, or {LOOP_PROTECTION}=producer_ids where none come back"
        )
        return (_error("identity_circle", text, remedy),)

    def _keeps_names(self, snapshot: TopicSnapshot) -> bool:
        policy = topic_rules(self._flow, self._id.target, self._settings).policy
        return isinstance(policy, IdentityPolicy) or any(
            topic.upstream == topic.remote for topic in snapshot.selection.wanted
        )

    def _came_back(self, snapshot: TopicSnapshot, topics: Sequence[WantedTopic]) -> tuple[PreflightFinding, ...]:
        """Report copies that returned: with one identity and one renaming flow, each round adds a topic."""
        policy = topic_rules(self._flow, self._id.target, self._settings).policy
        separator = self._flow.policy.separator
        return tuple(
            PreflightFinding(
                severity="error",
                code="topic_came_back",
                text=f"{topic.upstream} of {self._id.source} is a copy of {upstream} and would be copied in a circle",
                remedy=f"exclude it by {TOPICS_EXCLUDE}, or give both flows the same replication policy",
                topic=topic.upstream,
            )
            for topic in topics
            if (
                upstream := came_back(
                    self._id,
                    policy,
                    topic.upstream,
                    snapshot.source_topics,
                    snapshot.target_topics,
                    separator=separator,
                )
            )
        )

    def _topic_rights(
        self, topics: Sequence[WantedTopic], existing: Sequence[WantedTopic]
    ) -> tuple[PreflightFinding, ...]:
        upstream = {topic.upstream: topic.upstream for topic in topics}
        remote = {topic.remote: topic.upstream for topic in existing}
        on_source = missing_rights(self._source.topic_operations(upstream), upstream, SOURCE_TOPIC_OPERATIONS)
        on_target = missing_rights(self._target.topic_operations(remote), remote, REMOTE_TOPIC_OPERATIONS)
        return (
            *rights_findings(_client(self._source), on_source, upstream),
            *rights_findings(_client(self._target), on_target, remote),
        )

    def _internal_topic_rights(self, snapshot: TopicSnapshot) -> tuple[PreflightFinding, ...]:
        """Return the rights missing on the flow's own topics, where these exist."""
        source = self._id.source
        named = (POSITIONS.name(source), OFFSET_RUNS.name(source), GAPS.name(source), RAW_METRICS.name(source))
        internal = [name for name in (*named, PRODUCERS_TOPIC) if name in snapshot.target_topics]
        separator = internal_separator(self._flow.policy, self._flow.connectors.source)
        syncs = offset_syncs_topic(self._id, separator=separator, on_target=False)
        is_ours = self._settings.writes_offset_syncs and not self._settings.offset_syncs_on_target
        on_source = [syncs] if is_ours and syncs in snapshot.source_topics else []
        missing = missing_rights(self._source.topic_operations(on_source), on_source, ("write", "describe"))
        missing_internal = missing_rights(self._target.topic_operations(internal), internal, INTERNAL_TOPIC_OPERATIONS)
        return (
            *rights_findings(_client(self._source), missing, {}),
            *rights_findings(_client(self._target), missing_internal, {}),
        )

    def internal_topics(self, snapshot: TopicSnapshot) -> tuple[PreflightFinding, ...]:
        """Return what is wrong with the flow's own topics, as far as they exist and are visible."""
        check = InternalTopicCheck(self._flow, self._id, self._settings, self._source, self._target)
        return check.findings(snapshot.source_topics, snapshot.target_topics)

    def _pairs(self, snapshot: TopicSnapshot, topics: Sequence[WantedTopic]) -> tuple[PreflightFinding, ...]:
        if not topics:
            return ()
        upstream = self._source.topic_configs([topic.upstream for topic in topics])
        remote = self._target.topic_configs([topic.remote for topic in topics])
        return tuple(
            finding
            for topic in topics
            for finding in topic_findings(
                TopicPair(
                    topic=topic,
                    remote_partitions=snapshot.target_topics[topic.remote],
                    upstream=upstream.get(topic.upstream, {}),
                    remote=remote.get(topic.remote, {}),
                    syncs_configs=self._settings.syncs_configs,
                ),
                self._id.target,
            )
        )

    def _foreign_records(self, snapshot: TopicSnapshot) -> tuple[PreflightFinding, ...]:
        """Return a warning for records in remote topics although this flow has never copied any."""
        existing = [topic for topic in snapshot.selection.wanted if topic.remote in snapshot.target_topics]
        if POSITIONS.name(self._id.source) in snapshot.target_topics or not existing:
            return ()
        widths = snapshot.target_topics
        partitions = [
            TopicPartition(topic.remote, number) for topic in existing for number in range(widths[topic.remote])
        ]
        ends = self._target.list_offsets(partitions, "latest")
        starts = self._target.list_offsets(partitions, "earliest")
        counts: dict[str, int] = {}
        for each, end in ends.items():
            counts[each.topic] = counts.get(each.topic, 0) + end - starts.get(each, end)
        return tuple(
            PreflightFinding(
                severity="warning",
                code="remote_topic_not_empty",
                text=f"{topic.remote} holds {counts[topic.remote]} records that this flow has not written",
                remedy="the copies are appended after them; delete the topic first if they are old copies",
                topic=topic.upstream,
                cluster=self._id.target,
            )
            for topic in existing
            if counts.get(topic.remote, 0) > 0
        )


def blocking(findings: Sequence[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    """Return the errors that concern the flow as a whole."""
    return tuple(finding for finding in findings if finding.severity == "error" and finding.topic is None)


def _client(admin: ClusterAdmin) -> Client:
    return Client(cluster=admin.alias, servers=admin.servers, principal=admin.principal)


def _error(code: str, text: str, remedy: str) -> PreflightFinding:
    return PreflightFinding(severity="error", code=code, text=text, remedy=remedy)


def skipped_finding(source: str, topic: str, reason: str) -> PreflightFinding:
    """Return the warning about a topic of the source that the filters allow and that cannot be copied."""
    text = f"{topic} of {source} is not copied: {reason}"
    remedy = f"exclude it by {TOPICS_EXCLUDE} if that is meant"
    return PreflightFinding(severity="warning", code="topic_skipped", text=text, remedy=remedy, topic=topic)


def _list_error(admin: ClusterAdmin) -> ReplicationError | None:
    try:
        admin.list_topics()
    except ReplicationError as error:
        return error
    return None


def _no_topics(flow: DesiredFlow, selection: TopicSelection) -> tuple[PreflightFinding, ...]:
    """Return a warning for an enabled flow that copies no topic but heartbeats."""
    if not flow.enabled or any(topic.upstream != HEARTBEATS_TOPIC for topic in selection.wanted):
        return ()
    if flow.topics.allow:
        text = f"no topic of {flow.source} matches {TOPICS}={','.join(flow.topics.allow)}"
        remedy = f"create the topics, or correct {TOPICS} and {TOPICS_EXCLUDE}"
    else:
        text, remedy = f"no topic of {flow.source} is allowed", f"set {TOPICS}, or allow topics with srm-control"
    return (PreflightFinding(severity="warning", code="no_topic_selected", text=text, remedy=remedy),)


def _failed(error: ReplicationError) -> PreflightFinding:
    remedy = "correct it and repeat the preflight; the remaining checks were skipped"
    return PreflightFinding(severity="error", code=error.code, text=error.text, remedy=remedy, cluster=error.cluster)
