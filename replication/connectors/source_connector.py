"""Plans one flow: look at both clusters, create what the target lacks, carry configs and ACLs over, deal slots.

When nothing has changed a run costs a handful of small requests, whatever the number of topics, and returns the
previous plan.
"""

from collections.abc import Iterable, Mapping

from replication.config.policies import internal_separator
from replication.connectors import internal_topics
from replication.connectors.applied_ledger import AppliedLedger
from replication.connectors.dead_letter_topic import DeadLetterTopic
from replication.connectors.plan_building import Planned, build_plan, narrow_warnings
from replication.connectors.preflight import Preflight, Sight, blocking
from replication.connectors.remote_topics import Applied, RemoteTopics
from replication.connectors.source_catalog import SourceCatalog
from replication.connectors.source_settings import SourceSettings, clamped
from replication.connectors.topic_acls import TopicAcls
from replication.connectors.topic_configs import TopicConfigs
from replication.connectors.topic_rules import topic_rules
from replication.domain.desired import DesiredFlow
from replication.domain.errors import OriginalDriverActiveError, PreflightError
from replication.domain.identifiers import FlowId
from replication.domain.naming import offset_syncs_topic
from replication.domain.plan import PlanDocument, PlanTopic, PlanWarning, SkippedTopic
from replication.domain.preflight import PreflightFinding
from replication.domain.topic_plan import TopicSelection, WantedTopic, select_topics
from replication.ports.admin import ClusterAdmin, Refused


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
        ledger: AppliedLedger | None = None,
    ) -> None:
        self._flow = flow
        self._id = FlowId(flow.source, target_alias)
        self._source = source
        self._target = target
        self._revision = desired_revision
        self._settings = SourceSettings.of(flow.connectors.source)
        topic_rules(flow, target_alias, self._settings)
        books = ledger or AppliedLedger()
        self._preflight = Preflight(flow, target_alias, source, target)
        self._remote_topics = RemoteTopics(source, target, self._settings)
        self._catalog = SourceCatalog(source)
        self._configs = TopicConfigs(source, target, self._settings, books)
        self._acls = TopicAcls(source, target, self._settings, books)
        self._letters = DeadLetterTopic(target, flow.source, self._settings, books)
        self._long_books: tuple[Refused, ...] | None = None  # None: not looked at yet
        self._seen: tuple[Mapping[str, int], TopicSelection] | None = None
        self._first_findings: tuple[PreflightFinding, ...] = ()
        self._gone: dict[str, str] = {}  # upstream topics deleted while we looked, with their copies

    @property
    def refresh_interval_ms(self) -> int:
        """How long a caller should wait between runs."""
        return self._settings.refresh_interval_s * 1000

    def run_once(self, previous: PlanDocument | None, now_ms: int) -> PlanDocument:
        """The plan as of now; equal to `previous` when nothing changed.

        Raises what ClusterAdmin raises, the error naming the cluster; before the first plan BlockedError for what
        must be changed by a person first.
        """
        driver_warnings = self._original_driver_warnings(previous)
        brokers = self._target.describe_cluster().brokers
        sight = self._look()
        held = self._held_back(sight, previous)
        optional = self._ensure_internal_topics(sight, brokers)
        wanted = [topic for topic in sight.selection.wanted if topic.upstream not in held]
        applied = self._remote_topics.apply(wanted, sight.target_topics, brokers)
        present = [topic for topic in wanted if applied.partitions.get(topic.remote)]
        self._configs.look(present, applied.partitions, now_ms)
        self._letters.fit(self._configs.largest_batch_bytes)
        self._acls.sync({topic.upstream: topic.remote for topic in present}, now_ms)
        topics = self._plan_topics(present, applied, now_ms)
        warnings = (
            *driver_warnings,
            *self._factor_warnings(brokers),
            *optional,
            *applied.warnings,
            *_narrow(present, applied),
            *self._finding_warnings(sight.selection, held),
            *self._configs.warnings,
            *self._letters.warnings,
            *self._acls.warnings,
            *self._gone_warnings(previous, sight),
        )
        planned = Planned(
            topics=topics,
            skipped=(*sight.selection.skipped, *_skipped(held), *applied.skipped),
            warnings=warnings,
            desired_revision=self._revision,
            now_ms=now_ms,
        )
        return build_plan(self._flow, self._id, previous, planned)

    def _look(self) -> Sight:
        """Both clusters' topics; the choice is made anew only when the source's topics are others than before."""
        source_topics, target_topics = self._source.list_topics(), self._target.list_topics()
        if self._seen is None or (self._settings.refreshes_topics and self._seen[0] != source_topics):
            rules = topic_rules(self._flow, self._id.target, self._settings, (*source_topics, *target_topics))
            self._seen = (source_topics, select_topics(rules, source_topics))
        return Sight(source_topics=source_topics, target_topics=target_topics, selection=self._seen[1])

    def _original_driver_warnings(self, previous: PlanDocument | None) -> tuple[PlanWarning, ...]:
        """Block the start of a flow that MirrorMaker copies; once we copy it, only warn, since both are at it."""
        findings = self._preflight.original_driver()
        for finding in findings if previous is None else ():
            if finding.severity == "error":
                raise OriginalDriverActiveError(str(finding), cluster=self._id.target)
        return _warnings(findings)

    def _held_back(self, sight: Sight, previous: PlanDocument | None) -> Mapping[str, PreflightFinding]:
        """Topics not copied so far that must not be, with the reason. Raises PreflightError for the whole flow."""
        if previous is None:
            found = self._preflight.flow_findings(sight)
            errors = blocking(found)
            if errors:
                raise PreflightError("; ".join(map(str, errors)), cluster=self._id.target)
            self._first_findings = found
        copied = frozenset() if previous is None else frozenset(topic.upstream for topic in previous.topics)
        newcomers = [topic for topic in sight.selection.wanted if topic.upstream not in copied]
        findings = self._preflight.topic_findings(sight, newcomers) if newcomers else ()
        held = {
            finding.topic: finding for finding in findings if finding.severity == "error" and finding.topic is not None
        }
        for circle in self._preflight.circles(sight):  # several flows that start at once see each other only later
            held |= {topic.upstream: circle for topic in sight.selection.wanted if topic.upstream == topic.remote}
        return held

    def _ensure_internal_topics(self, sight: Sight, brokers: int) -> tuple[PlanWarning, ...]:
        """Raises for topics the flow cannot run without; those for conveniences are a warning."""
        settings, source = self._settings, self._id.source
        wanted = list(internal_topics.target_topics(source, settings, brokers))
        producers = internal_topics.producers(settings, brokers)
        keeps_names = any(topic.upstream == topic.remote for topic in sight.selection.wanted)
        if keeps_names:
            wanted.append(producers)
        separator = internal_separator(self._flow.policy, self._flow.connectors.source)
        on_target = settings.offset_syncs_on_target
        # named after the cluster that does not hold it
        name = offset_syncs_topic(source if on_target else self._id.target, separator)
        if settings.writes_offset_syncs and on_target:
            wanted.append(internal_topics.offset_syncs(name, settings, brokers))
        elif settings.writes_offset_syncs and name not in sight.source_topics:
            source_brokers = self._source.describe_cluster().brokers
            syncs = internal_topics.offset_syncs(name, settings, source_brokers)
            internal_topics.ensure(self._source, sight.source_topics, [syncs])
        internal_topics.ensure(self._target, sight.target_topics, wanted)
        if self._long_books is None:
            self._long_books = internal_topics.keep_short(self._target, source)
        optional = internal_topics.optional_target_topics(source, settings, brokers)
        if not keeps_names:  # what comes back under another name is told by its name
            optional += (producers,)
        return *self._book_warnings(), *(
            PlanWarning(
                code="internal_topic_refused",
                text=f"cluster {self._id.target} refused to create {each.topic}: {each.text} ({each.code}); the flow "
                "runs, but cannot be given back to MirrorMaker, or does not take back configs and ACLs",
            )
            for each in internal_topics.create_missing(self._target, sight.target_topics, optional)
        )

    def _book_warnings(self) -> tuple[PlanWarning, ...]:
        return tuple(
            PlanWarning(
                code="internal_topic_refused",
                text=f"cluster {self._id.target} refused to let {each.topic} be compacted often: {each.text} "
                f"({each.code}); the flow runs, but takes longer and longer to start: grant AlterConfigs on it, or set "
                "segment.bytes and max.compaction.lag.ms there",
            )
            for each in {refused.topic: refused for refused in self._long_books or ()}.values()
        )

    def _plan_topics(self, present: Iterable[WantedTopic], applied: Applied, now_ms: int) -> tuple[PlanTopic, ...]:
        """Those that exist on both sides; the narrower side sets the number of partitions."""
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
            f"{len(selection.round_trips)} heartbeats topics on {self._id.source} went in a circle, the first is "
            f"{selection.round_trips[0].topic}: {reason}; they are not copied on; let both use the same aliases, or "
            "stop one"
        )
        return (*warnings, PlanWarning(code="foreign_aliases", text=text))

    def _factor_warnings(self, brokers: int) -> tuple[PlanWarning, ...]:
        wanted = self._settings.factors.remote_topics
        given = clamped(wanted, brokers)
        if wanted == given:
            return ()
        text = (
            f"new topics on cluster {self._id.target} get {given} replica(s) instead of replication.factor={wanted}, "
            f"because it has {brokers} broker(s)"
        )
        return (PlanWarning(code="replication_factor_clamped", text=text),)

    def _gone_warnings(self, previous: PlanDocument | None, sight: Sight) -> tuple[PlanWarning, ...]:
        """Topics deleted upstream: their copies stay, and somebody should know."""
        if previous is not None:
            self._gone |= {
                topic.upstream: topic.remote for topic in previous.topics if topic.upstream not in sight.source_topics
            }
        self._gone = {
            name: remote
            for name, remote in self._gone.items()
            if name not in sight.source_topics and remote in sight.target_topics
        }
        return tuple(
            PlanWarning(
                code="upstream_topic_deleted",
                text=f"{name} is gone from {self._id.source}; its copy {remote} on {self._id.target} stays",
            )
            for name, remote in sorted(self._gone.items())
        )


def _narrow(present: Iterable[WantedTopic], applied: Applied) -> tuple[PlanWarning, ...]:
    return narrow_warnings(
        {topic.remote: (topic.upstream, topic.partitions, applied.partitions[topic.remote]) for topic in present}
    )


def _warnings(findings: Iterable[PreflightFinding]) -> tuple[PlanWarning, ...]:
    return tuple(PlanWarning(code=finding.code, text=str(finding)) for finding in findings)


def _skipped(held: Mapping[str, PreflightFinding]) -> tuple[SkippedTopic, ...]:
    return tuple(SkippedTopic(topic=name, reason=str(finding)) for name, finding in sorted(held.items()))
