"""A flow's choice of topics, from its desired state and the names seen on its clusters."""

from collections.abc import Iterable
from dataclasses import replace

from replication.config.policies import flow_policy, internal_topics
from replication.connectors.source_settings import SourceSettings
from replication.domain.desired import DesiredFlow
from replication.domain.filters import NameFilter
from replication.domain.naming import TemplatePolicy
from replication.domain.provenance import seen_aliases
from replication.domain.topic_plan import TopicRules


def topic_rules(flow: DesiredFlow, target: str, settings: SourceSettings, seen: Iterable[str] = ()) -> TopicRules:
    """`seen` are topic names that tell further aliases. Raises InvalidPolicyError and InvalidPatternError."""
    policy = flow_policy(flow.policy, flow.connectors.source, flow.source, target)
    if isinstance(policy, TemplatePolicy):
        policy = replace(policy, others=seen_aliases(seen) - {flow.source, target})
    return TopicRules(
        source=flow.source,
        target=target,
        policy=policy,
        topics=NameFilter.of(flow.topics.allow, flow.topics.deny),
        heartbeats=settings.heartbeats_replication,
        internal=internal_topics(flow.policy, flow.connectors.source),
    )
