"""Plans the remote topics to create or grow: the difference between what a flow wants and what the target has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from replication.domain.names.filters import NameFilter
from replication.domain.names.internal_topic_filter import InternalTopicFilter
from replication.domain.names.provenance import RoundTrip, heartbeat_round_trip, provenance
from replication.domain.names.replication_policy import (
    ReplicationPolicy,
    TemplatePolicy,
    is_cycle,
    is_heartbeats_topic,
)
from replication.domain.names.topic_name import is_legal_topic_name
from replication.domain.plan.plan_document import SkippedTopic
from replication.domain.settings.registry.flow import POLICY_TEMPLATE

DEFAULT_HEARTBEAT_HOPS = 3


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
    """The topics of the source that a flow copies."""

    wanted: tuple[WantedTopic, ...]
    skipped: tuple[SkippedTopic, ...] = ()
    round_trips: tuple[RoundTrip, ...] = ()  # heartbeats of another deployment on the same clusters, not copied


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRules:
    """A flow's choice of topics."""

    source: str
    target: str
    policy: ReplicationPolicy
    topics: NameFilter
    heartbeats: bool = True
    heartbeat_hops: int = DEFAULT_HEARTBEAT_HOPS  # most aliases in the name of a copied heartbeats topic
    internal: InternalTopicFilter = field(default_factory=InternalTopicFilter)

    def replicates(self, topic: str) -> bool:
        """MirrorSourceConnector.shouldReplicateTopic; heartbeats pass regardless of the filter."""
        is_allowed = self.topics.accepts(topic)
        if not (is_allowed or self.is_heartbeats(topic)) or self.internal.matches(topic):
            return False
        return not is_cycle(self.policy, topic, self.target)

    def is_heartbeats(self, topic: str) -> bool:
        """Return True for heartbeats that are copied without any pattern."""
        return self.heartbeats and is_heartbeats_topic(self.policy, topic)

    def is_too_far(self, topic: str) -> bool:
        """Return True for heartbeats that came through as many clusters as the limit allows."""
        is_heartbeat = is_heartbeats_topic(self.policy, topic)
        return is_heartbeat and len(provenance(self.policy, topic)) >= self.heartbeat_hops


def select_topics(rules: TopicRules, source_topics: Mapping[str, int]) -> TopicSelection:
    """The remote topics for the source's topics (name -> partitions), and those that cannot have one."""
    wanted: dict[str, WantedTopic] = {}
    skipped: list[SkippedTopic] = []
    round_trips: list[RoundTrip] = []
    for upstream, partitions in sorted(source_topics.items()):
        if not rules.replicates(upstream):
            continue
        round_trip = heartbeat_round_trip(rules.policy, upstream, rules.source, rules.target)
        if round_trip is not None:
            round_trips.append(round_trip)
            continue
        if rules.is_too_far(upstream):
            continue
        remote = rules.policy.format_remote_topic(rules.source, upstream)
        problem = _naming_problem(rules, upstream, remote, wanted)
        if problem is None:
            wanted[remote] = WantedTopic(upstream=upstream, remote=remote, partitions=partitions)
        else:
            skipped.append(SkippedTopic(topic=upstream, reason=problem))
    return TopicSelection(wanted=tuple(wanted.values()), skipped=tuple(skipped), round_trips=tuple(round_trips))


def _naming_problem(rules: TopicRules, upstream: str, remote: str, taken: Mapping[str, WantedTopic]) -> str | None:
    """Why the upstream topic cannot be copied under this name."""
    if not is_legal_topic_name(remote):
        return f"the remote name {remote!r} is longer than 249 characters or not a legal topic name"
    if rules.internal.matches(remote):
        return f"the remote name {remote!r} is that of an internal topic; leave the topic out or rename it"
    if remote in taken:
        return f"its remote name {remote!r} is already that of {taken[remote].upstream}; leave one of the two out"
    is_blind = isinstance(rules.policy, TemplatePolicy) and not rules.policy.names_source
    if is_blind and rules.policy.topic_source(upstream) is not None:
        return (
            "its name looks like that of a copy, and the template does not tell of which cluster, so it might go in "
            "circles; put {source} into "
            f"{POLICY_TEMPLATE} to copy on"
        )
    return None


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
