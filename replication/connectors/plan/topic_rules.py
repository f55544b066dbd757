"""The topic selection rules of a flow, from its desired state and the names seen on its clusters."""

from collections.abc import Iterable
from dataclasses import replace

from replication.config.flows.policies import flow_policy, internal_topic_filter
from replication.connectors.plan.source_settings import SourceSettings
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.names.filters import NameFilter
from replication.domain.names.provenance import seen_aliases
from replication.domain.names.replication_policy import TemplatePolicy
from replication.domain.plan.topic_plan import TopicRules


def topic_rules(flow: DesiredFlow, target: str, settings: SourceSettings, seen: Iterable[str] = ()) -> TopicRules:
    """`seen` are topic names that reveal further aliases. Raises InvalidPolicyError and InvalidPatternError."""
    policy = flow_policy(flow.policy, flow.connectors.source, flow.source, target)
    if isinstance(policy, TemplatePolicy):
        policy = replace(policy, others=seen_aliases(seen) - {flow.source, target})
    return TopicRules(
        source=flow.source,
        target=target,
        policy=policy,
        topics=NameFilter.of(flow.topics.allow, flow.topics.deny),
        heartbeats=settings.heartbeats_replication,
        heartbeat_hops=settings.heartbeat_hops,
        internal=internal_topic_filter(flow.policy, flow.connectors.source),
    )
