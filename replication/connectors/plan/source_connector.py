"""Plans one flow: reads both clusters, creates missing topics, copies configs and ACLs, assigns slots.

When nothing has changed, a run costs a handful of small requests, independent of the number of topics, and returns the
previous plan.
"""

from collections.abc import Iterable, Mapping, Sequence

from replication.config.flows.policies import internal_separator
from replication.connectors.groups.checkpoint_warnings import checkpoint_warnings
from replication.connectors.plan.plan_building import PlanningResult, build_plan, narrow_warnings
from replication.connectors.plan.source_catalog import SourceCatalog
from replication.connectors.plan.source_settings import clamped, planning_settings
from replication.connectors.plan.topic_rules import topic_rules
from replication.connectors.preflight import Preflight, TopicSnapshot, blocking
from replication.connectors.registered_slots import UsedGenerations
from replication.connectors.topics import internal_topics
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.connectors.topics.dead_letter_topic import DeadLetterTopic
from replication.connectors.topics.remote_topics import AppliedTopics, RemoteTopics
from replication.connectors.topics.topic_acls import TopicAcls
from replication.connectors.topics.topic_configs import TopicConfigs
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import OriginalDriverActiveError, PreflightError
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import CHECKPOINTS, OFFSET_SYNCS, checkpoints_topic, offset_syncs_topic
from replication.domain.plan.plan_document import PlanDocument, PlanTopic, PlanWarning, SkippedTopic, plan_warning
from replication.domain.plan.preflight import PreflightFinding, warning_of
from replication.domain.plan.topic_join import TopicJoin
from replication.domain.plan.topic_plan import TopicSelection, WantedTopic, select_topics
from replication.domain.settings.registry.topic_creation import REPLICATION_FACTOR
from replication.ports.admin import ClusterAdmin, Refused


class SourceConnector:
    """The source connector of one flow; it is re-created when the desired flow changes.

    Blocking; one thread at a time. The constructor raises ConfigurationError when the policy, patterns or settings of
    the flow are invalid.
    """

    def __init__(
        self,
        flow: DesiredFlow,
        target_alias: str,
        source: ClusterAdmin,
        target: ClusterAdmin,
        *,
        desired_revision: int = 0,
        ledger: AppliedLedger | None = None,
        used: UsedGenerations | None = None,
    ) -> None:
        self._flow = flow
        self._id = FlowId(flow.source, target_alias)
        self._used = used or UsedGenerations(self._id)
        self._source = source
        self._target = target
        self._revision = desired_revision
        self._settings = planning_settings(flow)
        topic_rules(flow, target_alias, self._settings)
        self._checkpoints = CheckpointSettings.of(flow)
        applied = ledger or AppliedLedger()
        self._preflight = Preflight(flow, target_alias, source, target)
        self._remote_topics = RemoteTopics(source, target, self._settings)
        self._catalog = SourceCatalog(source)
        self._configs = TopicConfigs(source, target, self._settings, applied)
        self._acls = TopicAcls(source, target, self._settings, applied)
        self._letters = DeadLetterTopic(target, flow.source, self._settings, applied)
        self._refused_compaction: tuple[Refused, ...] | None = None  # None: not attempted yet
        self._seen: tuple[Mapping[str, int], TopicSelection] | None = None
        self._first_findings: tuple[PreflightFinding, ...] = ()
        self._gone: dict[str, str] = {}  # upstream topics deleted since the start, with their copies

    @property
    def refresh_interval_ms(self) -> int:
        """The time a caller should wait between runs."""
        return self._settings.refresh_interval_s * 1000

    def run_once(self, previous: PlanDocument | None, now_ms: int) -> PlanDocument:
        """Plan the flow; returns a plan equal to `previous` when nothing has changed.

        Raises the errors of ClusterAdmin, which name the cluster; before the first plan also BlockedError for
        conditions that an operator must resolve.
        """
        driver_warnings = self._original_driver_warnings(previous)
        brokers = self._target.describe_cluster().brokers
        snapshot = self._read_topics()
        held = self._held_back(snapshot, previous)
        optional = (*self._ensure_internal_topics(snapshot, brokers), *self._wrong_internal_topics(snapshot))
        wanted = [topic for topic in snapshot.selection.wanted if topic.upstream not in held]
        applied = self._remote_topics.apply(wanted, snapshot.target_topics, brokers)
        present = [topic for topic in wanted if applied.partitions.get(topic.remote)]
        self._configs.refresh(present, applied.partitions, now_ms)
        self._letters.raise_limit(self._configs.largest_batch_bytes)
        self._acls.sync({topic.upstream: topic.remote for topic in present}, now_ms)
        topics = self._plan_topics(present, applied, now_ms)
        warnings = (
            *driver_warnings,
            *checkpoint_warnings(self._flow, self._checkpoints),
            *self._factor_warnings(brokers),
            *optional,
            *applied.warnings,
            *self._narrow(present, applied),
            *self._finding_warnings(snapshot.selection, held),
            *self._configs.warnings,
            *self._letters.warnings,
            *self._acls.warnings,
            *self._gone_warnings(previous, snapshot),
        )
        planned = PlanningResult(
            topics=topics,
            skipped=(*snapshot.selection.skipped, *_skipped(held), *applied.skipped),
            warnings=warnings,
            desired_revision=self._revision,
            now_ms=now_ms,
        )
        return build_plan(self._flow, self._id, previous, planned, least_generation=self._least_generation(previous))

    def _least_generation(self, previous: PlanDocument | None) -> int:
        """A plan that was lost or restored is older than slots that have run: it gets a newer generation than theirs.

        Raises the errors of RecordLog while the producer registry cannot be read.
        """
        used = self._used.newest()
        is_older = previous is None or (previous.generation, previous.layout) < used
        return max(1, self._flow.generation, used[0] + 1 if is_older else 0)

    def _read_topics(self) -> TopicSnapshot:
        """Read both clusters' topics; the selection is recomputed only when the source's topics have changed."""
        source_topics, target_topics = self._source.list_topics(), self._target.list_topics()
        if self._seen is None or (self._settings.refreshes_topics and self._seen[0] != source_topics):
            rules = topic_rules(self._flow, self._id.target, self._settings, (*source_topics, *target_topics))
            self._seen = (source_topics, select_topics(rules, source_topics))
        return TopicSnapshot(source_topics=source_topics, target_topics=target_topics, selection=self._seen[1])

    def _original_driver_warnings(self, previous: PlanDocument | None) -> tuple[PlanWarning, ...]:
        """Block the start of a flow that MirrorMaker copies; once the flow runs, only warn."""
        findings = self._preflight.original_driver()
        for finding in findings if previous is None else ():
            if finding.severity == "error":
                raise OriginalDriverActiveError(str(finding), cluster=self._id.target)
        return _warnings(findings)

    def _held_back(self, snapshot: TopicSnapshot, previous: PlanDocument | None) -> Mapping[str, PreflightFinding]:
        """New topics that must not be copied, with the reason. Raises PreflightError for the flow as a whole."""
        if previous is None:
            self._first_findings = self._preflight.flow_findings(snapshot)
            self._require_none(self._first_findings)
        copied = frozenset() if previous is None else frozenset(topic.upstream for topic in previous.topics)
        newcomers = [topic for topic in snapshot.selection.wanted if topic.upstream not in copied]
        findings = self._preflight.topic_findings(snapshot, newcomers) if newcomers else ()
        held = {
            finding.topic: finding for finding in findings if finding.severity == "error" and finding.topic is not None
        }
        for cycle in self._preflight.cycles(snapshot):  # several flows that start together see each other only later
            held |= {topic.upstream: cycle for topic in snapshot.selection.wanted if topic.upstream == topic.remote}
        return held

    def _require_none(self, findings: Sequence[PreflightFinding]) -> None:
        """Raise PreflightError for the errors that concern the flow as a whole."""
        errors = blocking(findings)
        if errors:
            raise PreflightError("; ".join(map(str, errors)), cluster=self._id.target)

    def _wrong_internal_topics(self, snapshot: TopicSnapshot) -> tuple[PlanWarning, ...]:
        """Return the warnings about internal topics that degrade the flow. Raises PreflightError if one blocks it."""
        findings = self._preflight.internal_topics(snapshot)
        self._require_none(findings)
        return _warnings(findings)

    def _ensure_internal_topics(self, snapshot: TopicSnapshot, brokers: int) -> tuple[PlanWarning, ...]:
        """Create internal topics. Raises for required topics; optional ones that are refused become warnings."""
        settings, source = self._settings, self._id.source
        wanted = list(internal_topics.target_topics(source, settings, brokers))
        separator = internal_separator(self._flow.policy, self._flow.connectors.source)
        on_target = settings.offset_syncs_on_target
        name = offset_syncs_topic(self._id, separator=separator, on_target=on_target)
        if settings.writes_offset_syncs and on_target:
            wanted.append(internal_topics.new_topic(OFFSET_SYNCS, settings, brokers, name=name))
        elif settings.writes_offset_syncs and name not in snapshot.source_topics:
            source_brokers = self._source.describe_cluster().brokers
            syncs = internal_topics.new_topic(OFFSET_SYNCS, settings, source_brokers, name=name)
            internal_topics.ensure(self._source, snapshot.source_topics, [syncs])
        internal_topics.ensure(self._target, snapshot.target_topics, wanted)
        if self._refused_compaction is None:
            self._refused_compaction = internal_topics.tune_compaction(self._target, source)
        optional = list(internal_topics.optional_target_topics(source, settings, brokers))
        if self._checkpoints.is_on:
            name = checkpoints_topic(self._id, separator=separator)
            optional.append(internal_topics.new_topic(CHECKPOINTS, settings, brokers, name=name))
        return *self._compaction_warnings(), *(
            plan_warning(
                "internal_topic_refused",
                f"cluster {self._id.target} refused to create {each.topic}: {each.text} ({each.code}); the flow runs, "
                "but cannot be handed back to MirrorMaker, does not revert configs and ACLs, or writes no checkpoints",
                cluster=self._id.target,
            )
            for each in internal_topics.create_missing(self._target, snapshot.target_topics, optional)
        )

    def _compaction_warnings(self) -> tuple[PlanWarning, ...]:
        return tuple(
            plan_warning(
                "internal_topic_refused",
                f"cluster {self._id.target} refused the compaction settings of {each.topic}: {each.text} "
                f"({each.code}); the flow runs, but its starts become slower: grant AlterConfigs on it, or set "
                "segment.bytes and max.compaction.lag.ms there",
                cluster=self._id.target,
            )
            for each in {refused.topic: refused for refused in self._refused_compaction or ()}.values()
        )

    def _plan_topics(
        self, present: Iterable[WantedTopic], applied: AppliedTopics, now_ms: int
    ) -> tuple[PlanTopic, ...]:
        """The topics that exist on both sides, with the smaller of both numbers of partitions."""
        topics = {topic.upstream: topic for topic in present}
        ids = self._catalog.topic_ids({name: topic.partitions for name, topic in topics.items()}, now_ms)
        remote = self._configs.remote_topics
        return tuple(
            PlanTopic(
                upstream=name,
                remote=topic.remote,
                topic_id=ids[name],
                partitions=min(topic.partitions, applied.partitions[topic.remote]),
                max_message_bytes=remote[topic.remote].max_message_bytes,
                timestamp_type=remote[topic.remote].timestamp_type,
                joined=TopicJoin(topic.partitions, 0),  # if it joins now: the plan knows the others and the generation
            )
            for name, topic in topics.items()
            if name in ids
        )

    def _finding_warnings(
        self, selection: TopicSelection, held: Mapping[str, PreflightFinding]
    ) -> tuple[PlanWarning, ...]:
        running = [finding for finding in self._configs.findings if finding.topic not in held]
        warnings = _warnings((*self._first_findings, *running))
        if not selection.round_trips:
            return warnings
        foreign = sorted({alias for trip in selection.round_trips for alias in trip.foreign})
        reason = f"another deployment calls these clusters {', '.join(foreign)}" if foreign else "it may be one cluster"
        text = (
            f"{len(selection.round_trips)} heartbeats topics on {self._id.source} were copied in a circle, first "
            f"{selection.round_trips[0].topic}: {reason}; they are not copied again; use the same aliases in both, or "
            "stop one"
        )
        return (*warnings, plan_warning("foreign_aliases", text))

    def _factor_warnings(self, brokers: int) -> tuple[PlanWarning, ...]:
        wanted = self._settings.factors.remote_topics
        given = clamped(wanted, brokers)
        if wanted == given:
            return ()
        text = (
            f"new topics on cluster {self._id.target} get {given} replica(s) instead of {REPLICATION_FACTOR}={wanted}, "
            f"because it has {brokers} broker(s)"
        )
        return (plan_warning("replication_factor_clamped", text, cluster=self._id.target),)

    def _narrow(self, present: Iterable[WantedTopic], applied: AppliedTopics) -> tuple[PlanWarning, ...]:
        partitions = applied.partitions
        widths = {topic.remote: (topic.upstream, topic.partitions, partitions[topic.remote]) for topic in present}
        return narrow_warnings(self._id.target, widths)

    def _gone_warnings(self, previous: PlanDocument | None, snapshot: TopicSnapshot) -> tuple[PlanWarning, ...]:
        """Warnings about topics deleted upstream, whose copies are kept."""
        if previous is not None:
            self._gone |= {
                topic.upstream: topic.remote
                for topic in previous.topics
                if topic.upstream not in snapshot.source_topics
            }
        self._gone = {
            name: remote
            for name, remote in self._gone.items()
            if name not in snapshot.source_topics and remote in snapshot.target_topics
        }
        return tuple(
            plan_warning(
                "upstream_topic_deleted",
                f"topic {name} was deleted on {self._id.source}; its copy {remote} on {self._id.target} is kept",
                cluster=self._id.target,
            )
            for name, remote in sorted(self._gone.items())
        )


def _warnings(findings: Iterable[PreflightFinding]) -> tuple[PlanWarning, ...]:
    return tuple(warning_of(finding) for finding in findings)


def _skipped(held: Mapping[str, PreflightFinding]) -> tuple[SkippedTopic, ...]:
    return tuple(SkippedTopic(topic=name, reason=str(finding)) for name, finding in sorted(held.items()))
