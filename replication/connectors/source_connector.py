"""Plans one flow: look at both clusters, create what the target lacks, give every partition its slot.

When nothing has changed a run costs five small requests and returns the previous plan.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from replication.connectors import internal_topics
from replication.connectors.remote_topics import Applied, RemoteTopics
from replication.connectors.source_settings import SourceSettings, clamped
from replication.domain.desired import DesiredFlow
from replication.domain.errors import OriginalDriverActiveError
from replication.domain.filters import NameFilter
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.naming import offset_syncs_topic, policy_for
from replication.domain.plan import (
    PlanDocument,
    PlanTopic,
    PlanWarning,
    SlotAssignment,
    assign_slots,
)
from replication.domain.topic_plan import TopicRules, TopicSelection, WantedTopic, select_topics
from replication.ports.admin import ClusterAdmin


class SourceConnector:
    """Of one flow, for the life of its plan task; make a new one when the desired flow changes.

    Blocking; one thread at a time. Raises ConfigurationError at construction when policy, patterns or settings of
    the flow are unusable.
    """

    def __init__(
        self,
        flow: DesiredFlow,
        target_alias: str,
        source: ClusterAdmin,
        target: ClusterAdmin,
        *,
        desired_revision: int = 0,
    ) -> None:
        self._flow = flow
        self._id = FlowId(flow.source, target_alias)
        self._source = source
        self._target = target
        self._revision = desired_revision
        self._settings = SourceSettings.of(flow.connectors.source)
        self._rules = topic_rules(flow, target_alias, self._settings)
        self._remote_topics = RemoteTopics(source, target, self._settings)

    @property
    def refresh_interval_ms(self) -> int:
        """How long a caller should wait between runs."""
        return self._settings.refresh_interval_s * 1000

    def run_once(self, previous: PlanDocument | None, now_ms: int) -> PlanDocument:
        """The plan as of now; equal to `previous` when nothing changed.

        Raises what ClusterAdmin raises, the error naming the cluster; OriginalDriverActiveError before the first plan
        while another program copies the flow.
        """
        warnings = self._original_driver_warnings(previous)
        target_brokers = self._target.describe_cluster().brokers
        source_topics = self._source.list_topics()
        target_topics = self._target.list_topics()
        self._ensure_internal_topics(source_topics, target_topics, target_brokers)
        selection = select_topics(self._rules, source_topics)
        applied = self._remote_topics.apply(selection.wanted, target_topics, target_brokers)
        topics = self._plan_topics(selection, applied, now_ms)
        warnings += (*self._factor_warnings(target_brokers), *applied.warnings, *_narrow_warnings(selection, applied))
        return self._document(previous, topics, _Remarks(selection, applied, warnings), now_ms)

    def _original_driver_warnings(self, previous: PlanDocument | None) -> tuple[PlanWarning, ...]:
        """Block the start of a flow that MirrorMaker copies; once we copy it, only warn, since both are at it."""
        if not self._settings.original_driver_check:
            return ()
        group = f"{self._id.source}-mm2"
        members = self._target.group_members(group)
        if members == 0:
            return ()
        text = (
            f"the group {group} on cluster {self._id.target} has {members} live member(s): MirrorMaker or an original "
            f"driver copies {self._id}; stop it, or set srm.original.driver.check.enabled=false for this flow"
        )
        if previous is None:
            raise OriginalDriverActiveError(text, cluster=self._id.target)
        return (PlanWarning(code=OriginalDriverActiveError.code, text=text),)

    def _ensure_internal_topics(
        self, source_topics: Mapping[str, int], target_topics: Mapping[str, int], target_brokers: int
    ) -> None:
        on_target = self._settings.offset_syncs_on_target
        # named after the cluster that does not hold it
        name = offset_syncs_topic(self._id.source if on_target else self._id.target, self._flow.policy.separator)
        wanted = list(internal_topics.target_topics(self._id.source, self._settings, target_brokers))
        if on_target:
            wanted.append(internal_topics.offset_syncs(name, self._settings, target_brokers))
        elif name not in source_topics:
            brokers = self._source.describe_cluster().brokers
            syncs = internal_topics.offset_syncs(name, self._settings, brokers)
            internal_topics.ensure(self._source, source_topics, [syncs])
        internal_topics.ensure(self._target, target_topics, wanted)

    def _plan_topics(self, selection: TopicSelection, applied: Applied, now_ms: int) -> tuple[PlanTopic, ...]:
        """Those that exist on both sides; the narrower side sets the number of partitions."""
        present = [topic for topic in selection.wanted if applied.partitions.get(topic.remote)]
        upstream = self._source.describe_topics([topic.upstream for topic in present])
        remote = self._remote_topics.describe([topic.remote for topic in present], now_ms)
        return tuple(
            PlanTopic(
                upstream=topic.upstream,
                remote=topic.remote,
                topic_id=upstream[topic.upstream].topic_id,
                partitions=min(upstream[topic.upstream].partitions, applied.partitions[topic.remote]),
                max_message_bytes=remote[topic.remote].max_message_bytes,
                timestamp_type=remote[topic.remote].timestamp_type,
            )
            for topic in present
            if topic.upstream in upstream and topic.remote in remote
        )

    def _factor_warnings(self, brokers: int) -> tuple[PlanWarning, ...]:
        wanted = self._settings.replication_factor
        given = clamped(wanted, brokers)
        if wanted == given:
            return ()
        text = (
            f"new topics on cluster {self._id.target} get {given} replica(s) instead of replication.factor={wanted}, "
            f"because it has {brokers} broker(s)"
        )
        return (PlanWarning(code="replication_factor_clamped", text=text),)

    def _document(
        self, previous: PlanDocument | None, topics: tuple[PlanTopic, ...], remarks: "_Remarks", now_ms: int
    ) -> PlanDocument:
        partitions = [TopicPartition(topic.upstream, number) for topic in topics for number in range(topic.partitions)]
        assignment = assign_slots(previous, partitions, self._flow.tasks_max, generation=max(1, self._flow.generation))
        document = PlanDocument(
            target=self._id.target,
            source=self._id.source,
            generation=assignment.generation,
            version=1,
            desired_revision=self._revision,
            planned_ms=now_ms,
            tasks_max=self._flow.tasks_max,
            topics=topics,
            slots=_indexed(assignment, topics),
            older_slots=assignment.older_slots,
            skipped=(*remarks.selection.skipped, *remarks.applied.skipped),
            warnings=remarks.warnings,
        )
        return _succeeding(previous, document)


@dataclass(frozen=True, slots=True)
class _Remarks:
    selection: TopicSelection
    applied: Applied
    warnings: tuple[PlanWarning, ...]


def topic_rules(flow: DesiredFlow, target: str, settings: SourceSettings) -> TopicRules:
    """The flow's choice of topics. Raises InvalidPolicyError and InvalidPatternError."""
    policy = policy_for(
        flow.policy.kind,
        separator=flow.policy.separator,
        template=flow.policy.template,
        source=flow.source,
        target=target,
    )
    return TopicRules(
        source=flow.source,
        target=target,
        policy=policy,
        topics=NameFilter.of(flow.topics.allow, flow.topics.deny),
        heartbeats=settings.heartbeats_replication,
    )


def _indexed(assignment: SlotAssignment, topics: tuple[PlanTopic, ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    index = {topic.upstream: number for number, topic in enumerate(topics)}
    return tuple(tuple((index[each.topic], each.partition) for each in slot) for slot in assignment.slots)


def _narrow_warnings(selection: TopicSelection, applied: Applied) -> tuple[PlanWarning, ...]:
    def is_narrow(topic: WantedTopic) -> bool:
        return 0 < applied.partitions.get(topic.remote, 0) < topic.partitions

    return tuple(
        PlanWarning(
            code="remote_topic_narrow",
            text=f"{topic.remote} has {applied.partitions[topic.remote]} of the {topic.partitions} partitions of "
            f"{topic.upstream}; the others are not copied",
        )
        for topic in selection.wanted
        if is_narrow(topic)
    )


def _succeeding(previous: PlanDocument | None, document: PlanDocument) -> PlanDocument:
    """Number the document after its predecessor: a new version for other work, the old plan itself for no change."""
    if previous is None or previous.generation != document.generation:
        return document
    version = previous.version if previous.same_work(document) else previous.version + 1
    numbered = replace(document, version=version)
    is_unchanged = replace(numbered, planned_ms=previous.planned_ms) == previous
    return previous if is_unchanged else numbered
