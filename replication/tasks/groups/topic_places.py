"""The places of a flow's topics on the target, as its plan tells."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.config.flows.policies import returned_topics, shared_topics
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.groups.returned_topics import ReturnedTopics
from replication.domain.groups.shared_topics import SharedTopics
from replication.domain.identifiers import TopicPartition
from replication.domain.names.filters import NameFilter
from replication.domain.plan.plan_document import PlanDocument, PlanTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPlaces:
    """The copied topics by their upstream names, and why others are not copied."""

    topics: Mapping[str, PlanTopic]
    remote_of: Mapping[str, str]
    upstream_of: Mapping[str, str]  # by remote topic
    skipped: Mapping[str, str]
    accepted: NameFilter
    returned: ReturnedTopics | None = None
    shared: SharedTopics | None = None
    _remotes: dict[TopicPartition, TopicPartition] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, flow: DesiredFlow, plan: PlanDocument, reverse: DesiredFlow | None = None) -> "TopicPlaces":
        """`reverse` is the flow the other way. Raises InvalidPatternError and InvalidPolicyError."""
        return cls(
            topics={topic.upstream: topic for topic in plan.topics},
            remote_of={topic.upstream: topic.remote for topic in plan.topics},
            upstream_of={topic.remote: topic.upstream for topic in plan.topics},
            skipped={each.topic: each.reason for each in plan.skipped},
            accepted=NameFilter.of(flow.topics.allow, flow.topics.deny),
            returned=returned_topics(flow, plan.target),
            shared=shared_topics(reverse, plan.source),
        )

    @property
    def keeps_names(self) -> bool:
        """True if a remote topic has the name of its upstream topic, so that a flow the other way may share it."""
        return any(topic.remote == name for name, topic in self.topics.items())

    @property
    def reads_reverse(self) -> bool:
        """True if places depend on how a flow the other way copies."""
        return self.keeps_names or (self.returned is not None and self.returned.is_on)

    def original(self, copy: str) -> str | None:
        """Return the topic of the target that a topic of the source is a copy of, if that leads groups back."""
        return None if self.returned is None else self.returned.original(copy)

    def concerns(self, topic: str) -> bool:
        """Return False for copies that came from the flow's own target and do not lead their groups back."""
        is_copy = self.returned is not None and topic not in self.topics and self.returned.came_back(topic)
        return not is_copy or self.original(topic) is not None

    def is_shared(self, topic: str) -> bool:
        """Return True if the flow the other way copies the target's records into this topic of the source."""
        return self.shared is not None and self.remote_of.get(topic) == topic and self.shared.accepts(topic)

    def remote(self, upstream: TopicPartition) -> TopicPartition | None:
        """Return the partition on the target, which is the copy or the original; None if the flow has neither.

        It is one object for all groups: 10,000 of them name each partition many times.
        """
        found = self._remotes.get(upstream)
        if found is None:
            found = self._remote(upstream)
            if found is not None:
                self._remotes[upstream] = found
        return found

    def _remote(self, upstream: TopicPartition) -> TopicPartition | None:
        topic = self.topics.get(upstream.topic)
        original = None if topic is not None else self.original(upstream.topic)
        if original is not None:
            return TopicPartition(original, upstream.partition)
        if topic is None or upstream.partition >= topic.partitions:
            return None
        return TopicPartition(topic.remote, upstream.partition)

    def upstream(self, remote: TopicPartition) -> TopicPartition | None:
        topic = self.upstream_of.get(remote.topic)
        if topic is None and self.returned is not None:
            topic = self.returned.copy_of(remote.topic)
        return None if topic is None else TopicPartition(topic, remote.partition)

    def absence(self, upstream: TopicPartition) -> str:
        """Return why the flow does not copy the partition."""
        topic = upstream.topic
        if topic in self.topics:
            return f"the remote topic has only {self.topics[topic].partitions} partitions"
        if topic in self.skipped:
            return self.skipped[topic]
        return "it is not copied yet" if self.accepted.accepts(topic) else "the flow's lists do not allow the topic"
