"""Looks at what a draft would change in one flow, before anything is applied; changes nothing.

Every part is looked at separately: what cannot be looked at is named with the reason, and the others are answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from replication.config.flows.policies import internal_separator
from replication.connectors.plan.plan_building import PlanningResult, build_plan
from replication.connectors.plan.source_settings import SourceSettings, clamped
from replication.connectors.preflight import Preflight, TopicSnapshot, setting_findings, skipped_finding
from replication.connectors.questions.flow_request import FlowRequest
from replication.connectors.topics import internal_topics
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import ReplicationError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import OFFSET_SYNCS, POSITIONS, offset_syncs_topic
from replication.domain.plan.acl import TopicAcl, diff_acls, wanted_acls
from replication.domain.plan.plan_document import PlanDocument, PlanTopic
from replication.domain.plan.preflight import PreflightFinding
from replication.domain.plan.rights import REMOTE_TOPIC_OPERATIONS, Right, grant_commands
from replication.domain.plan.topic_config import ConfigChange, configs_to_copy, diff_configs
from replication.domain.plan.topic_join import TopicJoin
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.questions.estimate import LogEnds, estimate_copy
from replication.domain.questions.flow_changes import (
    AclEdit,
    CreatedTopic,
    Estimate,
    FlowChanges,
    Part,
    RemoteConfigEdit,
    Unlooked,
)
from replication.domain.questions.topic_changes import (
    TopicChanges,
    acl_edits,
    config_edits,
    copied_by_others,
    remote_names,
    taken_names,
    topic_changes,
)
from replication.domain.settings.registry.flow import START_OFFSETS
from replication.domain.settings.registry.topic_filters import TOPICS_EXCLUDE
from replication.ports.admin import NewTopic, Refused

MOST_TOPICS = 2_000  # whose configs are compared, and which the target is asked to create
MOST_PARTITIONS = 20_000  # whose log ends are read
_NO_TOPIC_ID = bytes(16)
Found = TypeVar("Found")


class FlowLook:
    """One look at one flow. Blocking; for one thread. `draft_plan` is the plan that the flow would have."""

    def __init__(self, request: FlowRequest) -> None:
        self._request = request
        self._before = remote_names(request.plan) if request.is_copied else {}
        self._unlooked: list[Unlooked] = []
        self._findings: list[PreflightFinding] = []
        self.draft_plan: PlanDocument | None = None

    def run(self) -> FlowChanges:
        """Return the change plan, without tasks. Raises nothing of the clusters."""
        request, flow = self._request, self._request.flow
        change = FlowChanges(source=request.id.source, target=request.id.target)
        invalid = setting_findings(flow)
        if invalid:
            reason = "the settings of the flow are invalid"
            return replace(change, findings=invalid, unlooked=(Unlooked(part="flow", reason=reason),))
        check = self._look("settings", lambda: Preflight(flow, request.id.target, request.source, request.target))
        snapshot = None if check is None else self._snapshot(check)
        if check is not None and snapshot is not None:
            change = self._changes(change, flow, check, snapshot)
        return replace(change, findings=_sorted(self._findings), unlooked=tuple(self._unlooked))

    def _snapshot(self, check: Preflight) -> TopicSnapshot | None:
        unread = check.unread_clusters()
        self._unlooked += [Unlooked(part="flow", reason=error.text) for error in unread]
        return None if unread else self._look("topics", check.read_topics)

    def _changes(
        self, change: FlowChanges, flow: DesiredFlow, check: Preflight, snapshot: TopicSnapshot
    ) -> FlowChanges:
        wanted = self._kept(check, snapshot)
        request = self._request
        topics = topic_changes(self._before, wanted, snapshot.target_topics)
        settings = SourceSettings.of(flow.connectors.source)
        internal = self._look("topics", lambda: self._internal_topics(flow, settings, snapshot)) or ()
        self.draft_plan = draft_plan(request.id, flow, request.plan, wanted)
        existing = [topic for topic in wanted if topic.remote in snapshot.target_topics]
        self._look("rights", lambda: self._check_new_topics(settings, topics, wanted))
        newcomers = [topic for topic in wanted if topic.upstream not in self._earlier(snapshot, wanted)]
        taken = taken_names(newcomers, self._before, snapshot.target_topics, copied_by_others(request.others))
        return replace(
            change,
            topics_created=(*topics.created, *internal),
            topics_widened=topics.widened,
            topics_added=topics.added_names,
            topics_removed=topics.removed,
            topics_renamed=topics.renamed,
            names_taken=taken,
            configs=self._look("configs", lambda: self._configs(settings, existing)),
            acls=self._look("acls", lambda: self._acls(settings, wanted)),
            estimate=self._look("estimate", lambda: self._estimate(flow, topics, snapshot)),
        )

    def _kept(self, check: Preflight, snapshot: TopicSnapshot) -> list[WantedTopic]:
        """The wanted topics without those that an error holds back; findings are noted."""
        wanted = snapshot.selection.wanted
        newcomers = [topic for topic in wanted if self._before.get(topic.upstream) != topic.remote]
        is_first = self._request.plan is None or not self._request.is_copied
        found = [
            *((self._look("flow", check.original_driver) or ()) if is_first else ()),
            *(self._look("loops", lambda: check.flow_findings(snapshot)) or ()),
            *(self._look("rights", lambda: check.topic_findings(snapshot, newcomers)) or ()),
            *(skipped_finding(self._request.id.source, each.topic, each.reason) for each in snapshot.selection.skipped),
        ]
        self._findings += found
        held = {finding.topic for finding in found if finding.severity == "error" and finding.topic is not None}
        return [topic for topic in wanted if topic.upstream not in held]

    def _internal_topics(
        self, flow: DesiredFlow, settings: SourceSettings, snapshot: TopicSnapshot
    ) -> tuple[CreatedTopic, ...]:
        """The internal topics that are missing on the target."""
        source, brokers = self._request.id.source, self._request.target.describe_cluster().brokers
        needed = [
            *internal_topics.target_topics(source, settings, brokers),
            *internal_topics.optional_target_topics(source, settings, brokers),
        ]
        if settings.writes_offset_syncs and settings.offset_syncs_on_target:
            separator = internal_separator(flow.policy, flow.connectors.source)
            name = offset_syncs_topic(self._request.id, separator=separator, on_target=True)
            needed.append(internal_topics.new_topic(OFFSET_SYNCS, settings, brokers, name=name))
        return tuple(
            CreatedTopic(name=topic.name, partitions=topic.partitions, upstream=None)
            for topic in needed
            if topic.name not in snapshot.target_topics
        )

    def _check_new_topics(self, settings: SourceSettings, topics: TopicChanges, wanted: Sequence[WantedTopic]) -> None:
        """Ask the target which of the new remote topics it would refuse."""
        created = {topic.name for topic in topics.created[:MOST_TOPICS]}
        if not created:
            return
        if len(topics.created) > MOST_TOPICS:
            self._note("rights", f"only the first {MOST_TOPICS} of {len(topics.created)} new topics are checked")
        brokers = self._request.target.describe_cluster().brokers
        new = [topic for topic in wanted if topic.remote in created]
        configs = self._request.source.topic_configs([topic.upstream for topic in new])
        refused = self._request.target.check_new_topics(
            [
                NewTopic(
                    name=topic.remote,
                    partitions=topic.partitions,
                    replication_factor=clamped(settings.factors.remote_topics, brokers),
                    configs=configs_to_copy(configs.get(topic.upstream, {}).values(), settings.config_rules),
                )
                for topic in new
            ]
        )
        upstream_of = {topic.remote: topic.upstream for topic in new}
        self._findings += [self._refusal(each, upstream_of[each.topic]) for each in refused]

    def _refusal(self, refused: Refused, upstream: str) -> PreflightFinding:
        target = self._request.target
        is_right = "AUTHORIZATION" in refused.code
        operations = ("create", *REMOTE_TOPIC_OPERATIONS)
        rights = [Right(kind="topic", name=refused.topic, operation=operation) for operation in operations]
        commands = " && ".join(grant_commands(target.servers, target.principal, rights))
        return PreflightFinding(
            severity="error",
            code="rights_missing" if is_right else "topic_refused",
            text=f"cluster {target.alias} would refuse to create {refused.topic}: {refused.text} ({refused.code})",
            remedy=f"create the topic, or grant the rights: {commands}"
            if is_right
            else f"create the topic on {target.alias}, or exclude {upstream} by {TOPICS_EXCLUDE}",
            topic=upstream,
        )

    def _configs(self, settings: SourceSettings, existing: Sequence[WantedTopic]) -> tuple[RemoteConfigEdit, ...]:
        if not settings.syncs_configs or not existing:
            return ()
        if len(existing) > MOST_TOPICS:
            self._note("configs", f"only the first {MOST_TOPICS} of {len(existing)} topics are compared")
        compared = existing[:MOST_TOPICS]
        upstream = self._request.source.topic_configs([topic.upstream for topic in compared])
        remote = self._request.target.topic_configs([topic.remote for topic in compared])
        changes: list[ConfigChange] = []
        for topic in compared:
            if topic.upstream in upstream and topic.remote in remote:
                wanted = configs_to_copy(upstream[topic.upstream].values(), settings.config_rules)
                owned = self._request.ledger.of(topic.remote).configs
                change = diff_configs(topic.remote, wanted, remote[topic.remote], owned)
                changes += [] if change is None else [change]
        return config_edits(changes, remote)

    def _acls(self, settings: SourceSettings, wanted: Sequence[WantedTopic]) -> tuple[AclEdit, ...]:
        if not settings.syncs_acls or not wanted:
            return ()
        upstream = self._request.source.topic_acls()
        ledger = self._request.ledger
        owned = frozenset(
            TopicAcl(topic=topic.remote, entry=entry) for topic in wanted for entry in ledger.of(topic.remote).acls
        )
        if not upstream and not owned:
            return ()
        actual = frozenset(self._request.target.topic_acls())
        bindings = wanted_acls(upstream, {topic.upstream: topic.remote for topic in wanted})
        return acl_edits(diff_acls(bindings, actual, owned, prune=settings.prunes_acls))

    def _estimate(self, flow: DesiredFlow, topics: TopicChanges, snapshot: TopicSnapshot) -> Estimate:
        partitions = [
            TopicPartition(topic.upstream, number) for topic in topics.added for number in range(topic.partitions)
        ]
        if len(partitions) > MOST_PARTITIONS:
            self._note("estimate", f"only the first {MOST_PARTITIONS} of {len(partitions)} partitions are counted")
            partitions = partitions[:MOST_PARTITIONS]
        source = self._request.source
        logs = LogEnds(
            starts=source.list_offsets(partitions, "earliest") if partitions else {},
            ends=source.list_offsets(partitions, "latest") if partitions else {},
        )
        return estimate_copy(
            partitions,
            logs,
            self._look("estimate", lambda: self._sizes(partitions)),
            start=flow.start,
            start_offsets=dict(START_OFFSETS.read(flow.connectors.source)),
            may_continue=bool(self._earlier(snapshot, topics.added)),
        )

    def _earlier(self, snapshot: TopicSnapshot, topics: Sequence[WantedTopic]) -> frozenset[str]:
        """The topics that the flow may have copied before: their copies are its own, and positions may shorten them."""
        request = self._request
        has_run = POSITIONS.name(request.id.source) in snapshot.target_topics
        if has_run and (request.plan is None or not request.is_copied):
            return frozenset(topic.upstream for topic in topics)
        return frozenset(name for name, _ in request.plan.left) if request.plan is not None else frozenset()

    def _sizes(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int] | None:
        if not partitions:
            return {}
        if self._request.open_sizes is None:
            self._note("estimate", "this driver cannot read the sizes of logs")
            return None
        sizes = self._request.open_sizes()
        try:
            return sizes.bytes_of(partitions)
        finally:
            sizes.close()

    def _look(self, part: Part, work: Callable[[], Found]) -> Found | None:
        try:
            return work()
        except ReplicationError as error:
            self._note(part, error.text)
            return None

    def _note(self, part: Part, reason: str) -> None:
        self._unlooked.append(Unlooked(part=part, reason=reason))


def draft_plan(
    flow_id: FlowId, flow: DesiredFlow, previous: PlanDocument | None, wanted: Sequence[WantedTopic]
) -> PlanDocument:
    """Return the plan of the next planning run, if the clusters refuse nothing."""
    known = {} if previous is None else {(topic.upstream, topic.remote): topic for topic in previous.topics}
    result = PlanningResult(
        topics=tuple(_planned(topic, known.get((topic.upstream, topic.remote))) for topic in wanted),
        skipped=(),
        warnings=(),
        desired_revision=0,
        now_ms=0,
    )
    least = max(1, flow.generation, 0 if previous is None else previous.generation)
    return build_plan(flow, flow_id, previous, result, least_generation=least)


def _planned(topic: WantedTopic, known: PlanTopic | None) -> PlanTopic:
    if known is not None:
        return replace(known, partitions=topic.partitions)
    return PlanTopic(
        upstream=topic.upstream,
        remote=topic.remote,
        topic_id=_NO_TOPIC_ID,
        partitions=topic.partitions,
        max_message_bytes=0,
        timestamp_type="CreateTime",
        joined=TopicJoin(topic.partitions, 0),
    )


def _sorted(findings: Sequence[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    return tuple(sorted(findings, key=lambda finding: ("error", "warning", "note").index(finding.severity)))
