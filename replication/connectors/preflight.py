"""Looks at both clusters before a flow's first record and says what stands in its way; changes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replication.config.policies import internal_separator
from replication.connectors.source_settings import SourceSettings
from replication.connectors.topic_rules import topic_rules
from replication.domain.circles import came_back, undecided_origins
from replication.domain.desired import DesiredFlow
from replication.domain.errors import AuthorizationError, ReplicationError
from replication.domain.filters import split_list
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.naming import (
    IdentityPolicy,
    gaps_topic,
    metrics_topic,
    offset_runs_topic,
    offset_syncs_topic,
    offsets_topic,
)
from replication.domain.preflight import Client, PreflightFinding, TopicPair, rights_findings, topic_findings
from replication.domain.producer_registry import PRODUCERS_TOPIC
from replication.domain.record_settings import LOOP_ORIGINS, LOOP_PROTECTION
from replication.domain.rights import (
    BOOK_OPERATIONS,
    REMOTE_TOPIC_OPERATIONS,
    SOURCE_TOPIC_OPERATIONS,
    missing_rights,
)
from replication.domain.topic_plan import TopicSelection, WantedTopic, select_topics
from replication.ports.admin import ClusterAdmin


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What was seen of both clusters: topics with their partitions, and which of them the flow would copy."""

    source_topics: Mapping[str, int]
    target_topics: Mapping[str, int]
    selection: TopicSelection


def preflight(
    flow: DesiredFlow, target_alias: str, source: ClusterAdmin, target: ClusterAdmin
) -> tuple[PreflightFinding, ...]:
    """Everything there is to say, errors first; an unreachable cluster or unusable setting is a finding, too."""
    try:
        check = Preflight(flow, target_alias, source, target)
        sight = check.look()
        found = (
            *check.original_driver(),
            *check.flow_findings(sight),
            *check.topic_findings(sight, sight.selection.wanted),
            *(_skipped(flow, skipped.topic, skipped.reason) for skipped in sight.selection.skipped),
        )
    except ReplicationError as error:
        found = (_failed(error),)
    return tuple(sorted(found, key=lambda finding: ("error", "warning", "note").index(finding.severity)))


class Preflight:
    """Of one flow. Blocking. Raises what ClusterAdmin raises, and ConfigurationError for unusable settings."""

    def __init__(self, flow: DesiredFlow, target_alias: str, source: ClusterAdmin, target: ClusterAdmin) -> None:
        self._flow = flow
        self._id = FlowId(flow.source, target_alias)
        self._settings = SourceSettings.of(flow.connectors.source)
        self._source = source
        self._target = target

    def look(self) -> Sight:
        source_topics, target_topics = self._source.list_topics(), self._target.list_topics()
        rules = topic_rules(self._flow, self._id.target, self._settings, (*source_topics, *target_topics))
        return Sight(
            source_topics=source_topics, target_topics=target_topics, selection=select_topics(rules, source_topics)
        )

    def flow_findings(self, sight: Sight) -> tuple[PreflightFinding, ...]:
        """What concerns the flow as a whole; an error among them must hold it back."""
        return (*self._loops(sight), *self.circles(sight), *self._book_rights(sight), *self._foreign_records(sight))

    def topic_findings(self, sight: Sight, topics: Sequence[WantedTopic]) -> tuple[PreflightFinding, ...]:
        """About topics to be copied for the first time; an error holds back that topic."""
        existing = [topic for topic in topics if topic.remote in sight.target_topics]
        return (*self._came_back(sight, topics), *self._topic_rights(topics, existing), *self._pairs(sight, existing))

    def original_driver(self) -> tuple[PreflightFinding, ...]:
        """Whether MirrorMaker or an original driver copies the flow at this moment."""
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
                    text=f"nobody can tell whether MirrorMaker copies {self._id}: {error.text}",
                    remedy=f"grant DESCRIBE on group {group}, or set srm.original.driver.check.enabled=false",
                ),
            )
        if members == 0:
            return ()
        text = (
            f"the group {group} on cluster {self._id.target} has {members} live member(s): MirrorMaker or an original "
            f"driver copies {self._id}"
        )
        remedy = "stop it, or set srm.original.driver.check.enabled=false for this flow"
        return (_error("original_driver_active", text, remedy),)

    def _loops(self, sight: Sight) -> tuple[PreflightFinding, ...]:
        if not self._keeps_names(sight):
            return ()
        if self._source.describe_cluster().cluster_id == self._target.describe_cluster().cluster_id:
            text = (
                f"{self._id.source} and {self._id.target} are the same cluster, and names stay as they are: every "
                "topic would be copied into itself"
            )
            return (_error("same_cluster", text, "correct bootstrap.servers, or choose another replication policy"),)
        # books named after our target on our source: the flow back has run
        back = offsets_topic(self._id.target)
        if back not in sight.source_topics or self._settings.loop_protection:
            return ()
        text = (
            f"topics keep their names, {self._id.target}->{self._id.source} replicates back, and loop protection is "
            "off: records would go in circles"
        )
        remedy = (
            "set srm.loop.protection=auto, choose another replication policy, or remove the flow back and its topic "
            f"{back} on {self._id.source}"
        )
        return (_error("identity_loop", text, remedy),)

    def circles(self, sight: Sight) -> tuple[PreflightFinding, ...]:
        """Ways home that the flow cannot see; a person must say which there are.

        Whoever sets a loop protection other than auto or off has said it.
        """
        settings = self._flow.connectors.source
        is_decided = settings.get(LOOP_PROTECTION, "auto").strip().lower() in ("producer_ids", "headers")
        if is_decided or not self._keeps_names(sight):
            return ()
        origins = undecided_origins(
            self._id,
            split_list(settings.get(LOOP_ORIGINS, "")),
            sight.source_topics,
            sight.target_topics,
            separator=internal_separator(self._flow.policy, settings),
            shows_outflows=self._settings.writes_offset_syncs and not self._settings.offset_syncs_on_target,
        )
        if not origins:
            return ()
        names = ", ".join(origins)
        text = (
            f"topics keep their names, {self._id.source} holds records copied from {names}, and {self._id.target} may "
            "be copied on to where they came from: they could go in circles"
        )
        remedy = (
            f"set {LOOP_ORIGINS}={','.join(origins)} where {self._id.target} gets those records directly, "
            f"{LOOP_PROTECTION}=headers on every flow of a ring, or {LOOP_PROTECTION}=producer_ids where none come back"
        )
        return (_error("identity_circle", text, remedy),)

    def _keeps_names(self, sight: Sight) -> bool:
        policy = topic_rules(self._flow, self._id.target, self._settings).policy
        return isinstance(policy, IdentityPolicy) or any(
            topic.upstream == topic.remote for topic in sight.selection.wanted
        )

    def _came_back(self, sight: Sight, topics: Sequence[WantedTopic]) -> tuple[PreflightFinding, ...]:
        """Where one flow of a pair keeps names and the other renames, each round would add a topic."""
        policy = topic_rules(self._flow, self._id.target, self._settings).policy
        separator = self._flow.policy.separator
        return tuple(
            PreflightFinding(
                severity="error",
                code="topic_came_back",
                text=f"{topic.upstream} of {self._id.source} is a copy of {upstream} that would go on in a circle",
                remedy="leave it out by topics.exclude, or give both flows the same replication policy",
                topic=topic.upstream,
            )
            for topic in topics
            if (
                upstream := came_back(
                    self._id,
                    policy,
                    topic.upstream,
                    sight.source_topics,
                    sight.target_topics,
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

    def _book_rights(self, sight: Sight) -> tuple[PreflightFinding, ...]:
        """Of the topics the flow keeps its books in, where they are there already."""
        source = self._id.source
        named = (offsets_topic(source), offset_runs_topic(source), gaps_topic(source), metrics_topic(source))
        books = [name for name in (*named, PRODUCERS_TOPIC) if name in sight.target_topics]
        syncs = offset_syncs_topic(self._id.target, internal_separator(self._flow.policy, self._flow.connectors.source))
        is_ours = self._settings.writes_offset_syncs and not self._settings.offset_syncs_on_target
        on_source = [syncs] if is_ours and syncs in sight.source_topics else []
        missing = missing_rights(self._source.topic_operations(on_source), on_source, ("write", "describe"))
        missing_books = missing_rights(self._target.topic_operations(books), books, BOOK_OPERATIONS)
        return (
            *rights_findings(_client(self._source), missing, {}),
            *rights_findings(_client(self._target), missing_books, {}),
        )

    def _pairs(self, sight: Sight, topics: Sequence[WantedTopic]) -> tuple[PreflightFinding, ...]:
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
                    remote_partitions=sight.target_topics[topic.remote],
                    upstream=upstream.get(topic.upstream, {}),
                    remote=remote.get(topic.remote, {}),
                    syncs_configs=self._settings.syncs_configs,
                )
            )
        )

    def _foreign_records(self, sight: Sight) -> tuple[PreflightFinding, ...]:
        """Records in remote topics although nothing has ever been copied by this flow."""
        existing = [topic for topic in sight.selection.wanted if topic.remote in sight.target_topics]
        if offsets_topic(self._id.source) in sight.target_topics or not existing:
            return ()
        widths = sight.target_topics
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
                remedy="the copies come after them; delete the topic first if they are old copies",
                topic=topic.upstream,
            )
            for topic in existing
            if counts.get(topic.remote, 0) > 0
        )


def blocking(findings: Sequence[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    """The errors that concern the flow as a whole."""
    return tuple(finding for finding in findings if finding.severity == "error" and finding.topic is None)


def _client(admin: ClusterAdmin) -> Client:
    return Client(cluster=admin.alias, servers=admin.servers, principal=admin.principal)


def _error(code: str, text: str, remedy: str) -> PreflightFinding:
    return PreflightFinding(severity="error", code=code, text=text, remedy=remedy)


def _skipped(flow: DesiredFlow, topic: str, reason: str) -> PreflightFinding:
    text = f"{topic} of {flow.source} is not copied: {reason}"
    remedy = "leave it out by topics.exclude if that is meant"
    return PreflightFinding(severity="warning", code="topic_skipped", text=text, remedy=remedy, topic=topic)


def _failed(error: ReplicationError) -> PreflightFinding:
    remedy = "the other checks could not be made"
    return PreflightFinding(severity="error", code=error.code, text=error.text, remedy=remedy)
