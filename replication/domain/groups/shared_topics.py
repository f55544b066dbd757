"""Topics that the flow the other way copies back under equal names, so that both clusters write to one topic."""

from dataclasses import dataclass

from replication.domain.desired.desired_flow import NamePatterns
from replication.domain.names.filters import NameFilter
from replication.domain.names.replication_policy import ReplicationPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTopics:
    """Chooses topics by the definition of the flow the other way, also before it has copied anything."""

    policy: ReplicationPolicy
    source: str  # of the flow the other way
    topics: NameFilter

    @classmethod
    def of(cls, policy: ReplicationPolicy, source: str, topics: NamePatterns) -> "SharedTopics":
        """Raises InvalidPatternError."""
        return cls(policy=policy, source=source, topics=NameFilter.of(topics.allow, topics.deny))

    def accepts(self, topic: str) -> bool:
        """Return True for topics that are copied back under their names."""
        return self.topics.accepts(topic) and self.policy.format_remote_topic(self.source, topic) == topic
