"""Which remote topics to create or grow: the difference between what a flow wants and what the target has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from replication.domain.filters import NameFilter
from replication.domain.naming import (
    ReplicationPolicy,
    is_cycle,
    is_heartbeats_topic,
    is_internal_topic,
    is_legal_topic_name,
)
from replication.domain.plan import SkippedTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedTopic:
    """A remote topic that should exist."""

    upstream: str
    remote: str
    partitions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTopic:
    """Step: the remote topic does not exist."""

    topic: WantedTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPartitions:
    """Step: the remote topic is narrower than its upstream. Nothing is ever shrunk or deleted."""

    remote: str
    count: int


TopicStep = CreateTopic | AddPartitions


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSelection:
    """What of the source's topics a flow copies."""

    wanted: tuple[WantedTopic, ...]
    skipped: tuple[SkippedTopic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRules:
    """A flow's choice of topics."""

    source: str
    target: str
    policy: ReplicationPolicy
    topics: NameFilter
    heartbeats: bool = True

    def replicates(self, topic: str) -> bool:
        """MirrorSourceConnector.shouldReplicateTopic; heartbeats pass whatever the filter says."""
        is_allowed = self.topics.accepts(topic)
        is_heartbeat = self.heartbeats and is_heartbeats_topic(self.policy, topic)
        if not (is_allowed or is_heartbeat) or is_internal_topic(topic):
            return False
        return not is_cycle(self.policy, topic, self.target)


def select_topics(rules: TopicRules, source_topics: Mapping[str, int]) -> TopicSelection:
    """The remote topics for the source's topics (name -> partitions), and those that cannot have one."""
    wanted: list[WantedTopic] = []
    skipped: list[SkippedTopic] = []
    for upstream, partitions in sorted(source_topics.items()):
        if not rules.replicates(upstream):
            continue
        remote = rules.policy.format_remote_topic(rules.source, upstream)
        if is_legal_topic_name(remote):
            wanted.append(WantedTopic(upstream=upstream, remote=remote, partitions=partitions))
        else:
            reason = f"the remote name {remote!r} is longer than 249 characters or not a legal topic name"
            skipped.append(SkippedTopic(topic=upstream, reason=reason))
    return TopicSelection(wanted=tuple(wanted), skipped=tuple(skipped))


def diff_topics(wanted: Iterable[WantedTopic], actual: Mapping[str, int]) -> tuple[TopicStep, ...]:
    """Steps that bring the target (name -> partitions) to what is wanted; none when it is there already."""
    steps: list[TopicStep] = []
    for topic in wanted:
        existing = actual.get(topic.remote)
        if existing is None:
            steps.append(CreateTopic(topic=topic))
        elif existing < topic.partitions:
            steps.append(AddPartitions(remote=topic.remote, count=topic.partitions))
    return tuple(steps)
