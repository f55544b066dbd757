"""The flow that a question is about, with the two clusters and what the control worker knows of both."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from replication.connectors.group_questions.group_ports import OpenGroupAdmins, OpenGroupPorts
from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.plan.topic_rules import topic_rules
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.topic_plan import TopicRules, TopicSelection, select_topics
from replication.ports.admin import ClusterAdmin
from replication.ports.log_sizes import LogSizes


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRequest:
    """`flow` is the wanted one; `plan` is the present one, None before the first.

    `is_copied`: the flow copies by its plan now, or is paused. `others` are the present plans of the other flows into
    the target. `reverse` is the flow the other way in force.
    """

    id: FlowId
    flow: DesiredFlow
    plan: PlanDocument | None
    source: ClusterAdmin
    target: ClusterAdmin
    is_copied: bool = True
    others: tuple[PlanDocument, ...] = ()
    reverse: DesiredFlow | None = None
    ledger: AppliedLedger = field(default_factory=AppliedLedger)
    open_sizes: Callable[[], LogSizes] | None = None
    open_groups: OpenGroupPorts | None = None
    open_group_admins: OpenGroupAdmins | None = None
    now_ms: int = 0
    most_names: int = 200

    def rules(self, flow: DesiredFlow, seen: Iterable[str]) -> TopicRules:
        """Raises ConfigurationError when the policy, patterns or settings are invalid."""
        return topic_rules(flow, self.id.target, SourceSettings.of(flow.connectors.source), seen)

    def selection(self, rules: TopicRules, source_topics: Mapping[str, int]) -> TopicSelection:
        return select_topics(rules, source_topics)
