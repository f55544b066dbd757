"""Topics that came back: copies on a flow's source of topics of its target, on which groups made progress.

MirrorMaker names their checkpoints after the original topics (`MirrorCheckpointTask.renameTopicPartition`).
"""

from dataclasses import dataclass, field

from replication.domain.desired.desired_flow import NamePatterns
from replication.domain.names.filters import NameFilter
from replication.domain.names.replication_policy import ReplicationPolicy, is_heartbeats_topic

NOTHING = NameFilter.of(())


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedTopics:
    """Chooses the copies of the target's topics that lead groups back. A list names them by copy or by original."""

    policy: ReplicationPolicy
    target: str
    topics: NameFilter = NOTHING  # of the flow
    listed: NameFilter = NOTHING  # reverse-checkpointed-topics
    denied: NameFilter = NOTHING
    is_on: bool = True
    _originals: dict[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls, policy: ReplicationPolicy, target: str, *, topics: NamePatterns, listed: NamePatterns, is_on: bool
    ) -> "ReturnedTopics":
        """Raises InvalidPatternError."""
        return cls(
            policy=policy,
            target=target,
            topics=NameFilter.of(topics.allow, topics.deny),
            listed=NameFilter.of(listed.allow, ()),
            denied=NameFilter.of(listed.deny, ()),
            is_on=is_on,
        )

    def original(self, copy: str) -> str | None:
        """Return the name of the target's topic that this one is a copy of; None for any other topic."""
        if not self.is_on:
            return None
        if copy not in self._originals:
            self._originals[copy] = self._find(copy)
        return self._originals[copy]

    def copy_of(self, original: str) -> str | None:
        """Return the name on the source of a topic of the target; None where it does not lead back."""
        copy = self.policy.format_remote_topic(self.target, original)
        return copy if self.original(copy) == original else None

    def came_back(self, topic: str) -> bool:
        """Return True for copies of topics of the target, which the flow does not copy there again."""
        return self.policy.topic_source(topic) == self.target and self.policy.upstream_topic(topic) not in (None, topic)

    def accepts(self, topic: str) -> bool:
        """Return True for topics of the flow, and for copies that lead back."""
        return self.original(topic) is not None if self.came_back(topic) else self.topics.accepts(topic)

    def _find(self, copy: str) -> str | None:
        original = self.policy.upstream_topic(copy)
        if original is None or not self.came_back(copy):
            return None
        names = (copy, original)
        if is_heartbeats_topic(self.policy, copy) or any(map(self.denied.accepts, names)):
            return None
        return original if self.topics.accepts(copy) or any(map(self.listed.accepts, names)) else None
