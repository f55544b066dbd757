"""Inspects what a draft would change in one flow, before anything is applied; changes nothing.

Every part is inspected separately: what cannot be inspected is named with the reason, and the others are answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.preflight import Preflight, TopicSnapshot, setting_findings, skipped_finding
from replication.connectors.questions.draft_plan import draft_plan
from replication.connectors.questions.flow_request import FlowRequest
from replication.connectors.questions.new_topics import missing_internal_topics, refused_topics
from replication.connectors.questions.remote_settings import changed_acls, changed_configs
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import POSITIONS
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.preflight import PreflightFinding
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.questions.estimate import LogEnds, estimate_copy
from replication.domain.questions.flow_changes import Estimate, FlowChanges, Part, Unlooked
from replication.domain.questions.topic_changes import (
    TopicChanges,
    copied_by_others,
    remote_names,
    taken_names,
    topic_changes,
)
from replication.domain.settings.registry.flow import START_OFFSETS

MOST_TOPICS = 2_000  # whose configs are compared, and which the target is asked to create
MOST_PARTITIONS = 20_000  # whose log ends are read
Found = TypeVar("Found")


class FlowInspection:
    """One inspection of one flow. Blocking; for one thread. `draft_plan` is the plan that the flow would have."""

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
        check = self._attempt("settings", lambda: Preflight(flow, request.id.target, request.source, request.target))
        snapshot = None if check is None else self._snapshot(check)
        if check is not None and snapshot is not None:
            change = self._changes(change, flow, check, snapshot)
        return replace(change, findings=_sorted(self._findings), unlooked=tuple(self._unlooked))

    def _snapshot(self, check: Preflight) -> TopicSnapshot | None:
        unread = check.unread_clusters()
        self._unlooked += [Unlooked(part="flow", reason=error.text) for error in unread]
        return None if unread else self._attempt("topics", check.read_topics)

    def _changes(
        self, change: FlowChanges, flow: DesiredFlow, check: Preflight, snapshot: TopicSnapshot
    ) -> FlowChanges:
        request, settings = self._request, SourceSettings.of(flow.connectors.source)
        wanted = self._accepted(settings, snapshot, self._kept(check, snapshot))
        topics = topic_changes(self._before, wanted, snapshot.target_topics)
        internal = self._attempt("topics", lambda: missing_internal_topics(request, settings, snapshot.target_topics))
        self.draft_plan = draft_plan(request.id, flow, request.plan, wanted)
        existing = [topic for topic in wanted if topic.remote in snapshot.target_topics]
        compared = self._first("configs", existing, MOST_TOPICS)
        newcomers = [topic for topic in wanted if topic.upstream not in self._earlier(snapshot, wanted)]
        self._findings += self._attempt("groups", lambda: self._group_rights(check, snapshot)) or ()
        return replace(
            change,
            topics_created=(*topics.created, *(internal or ())),
            topics_widened=topics.widened,
            topics_added=topics.added_names,
            topics_removed=topics.removed,
            topics_renamed=topics.renamed,
            names_taken=taken_names(newcomers, self._before, snapshot.target_topics, copied_by_others(request.others)),
            configs=self._attempt("configs", lambda: changed_configs(request, settings, compared)),
            acls=self._attempt("acls", lambda: changed_acls(request, settings, wanted)),
            estimate=self._attempt("estimate", lambda: self._estimate(flow, topics, snapshot)),
        )

    def _accepted(
        self, settings: SourceSettings, snapshot: TopicSnapshot, wanted: Sequence[WantedTopic]
    ) -> list[WantedTopic]:
        """The topics without those that the target would refuse to create; findings are noted."""
        new = [topic for topic in wanted if topic.remote not in snapshot.target_topics]
        checked = self._first("rights", new, MOST_TOPICS)
        refused = self._attempt("rights", lambda: refused_topics(self._request, settings, checked)) or ()
        self._findings += refused
        names = {finding.topic for finding in refused}
        return [topic for topic in wanted if topic.upstream not in names]

    def _kept(self, check: Preflight, snapshot: TopicSnapshot) -> list[WantedTopic]:
        """The wanted topics without those that an error holds back; findings are noted."""
        wanted = snapshot.selection.wanted
        newcomers = [topic for topic in wanted if self._before.get(topic.upstream) != topic.remote]
        is_first = self._request.plan is None or not self._request.is_copied
        found = [
            *((self._attempt("flow", check.original_driver) or ()) if is_first else ()),
            *(self._attempt("loops", lambda: check.flow_findings(snapshot)) or ()),
            *(self._attempt("configs", lambda: check.internal_topics(snapshot)) or ()),
            *(self._attempt("rights", lambda: check.topic_findings(snapshot, newcomers)) or ()),
            *(skipped_finding(self._request.id.source, each.topic, each.reason) for each in snapshot.selection.skipped),
        ]
        self._findings += found
        held = {finding.topic for finding in found if finding.severity == "error" and finding.topic is not None}
        return [topic for topic in wanted if topic.upstream not in held]

    def _estimate(self, flow: DesiredFlow, topics: TopicChanges, snapshot: TopicSnapshot) -> Estimate:
        partitions = [
            TopicPartition(topic.upstream, number) for topic in topics.added for number in range(topic.partitions)
        ]
        partitions = self._first("estimate", partitions, MOST_PARTITIONS)
        source = self._request.source
        logs = LogEnds(
            starts=source.list_offsets(partitions, "earliest") if partitions else {},
            ends=source.list_offsets(partitions, "latest") if partitions else {},
        )
        return estimate_copy(
            partitions,
            logs,
            self._attempt("estimate", lambda: self._sizes(partitions)),
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

    def _group_rights(self, check: Preflight, snapshot: TopicSnapshot) -> tuple[PreflightFinding, ...]:
        if self._request.open_group_admins is None:
            self._note("groups", "this driver cannot ask for consumer groups")
            return ()
        admins = self._request.open_group_admins()
        try:
            return check.group_findings(snapshot, *admins)
        finally:
            for admin in admins:
                admin.close()

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

    def _attempt(self, part: Part, work: Callable[[], Found]) -> Found | None:
        try:
            return work()
        except ReplicationError as error:
            self._note(part, error.text)
            return None

    def _first(self, part: Part, items: Sequence[Found], most: int) -> list[Found]:
        """The first entries; what is skipped is noted."""
        if len(items) > most:
            self._note(part, f"only the first {most} of {len(items)} are inspected")
        return list(items[:most])

    def _note(self, part: Part, reason: str) -> None:
        self._unlooked.append(Unlooked(part=part, reason=reason))


def _sorted(findings: Sequence[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    return tuple(sorted(findings, key=lambda finding: ("error", "warning", "note").index(finding.severity)))
