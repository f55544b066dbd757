"""Decides which topics are internal and never replicated. There are three rules: MirrorMaker changed its own in 4.0."""

from dataclasses import dataclass
from typing import Literal

from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.internal_topics import CHECKPOINTS

InternalTopicRule = Literal["srm", "kafka3", "kafka4"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopicFilter:
    """`separator` is the one in internal names (`replication.policy.internal.topic.separator.enabled`).

    `srm` and `kafka3` treat every `*.internal` and `*-internal` as internal, as the original replication manager and
    ReplicationPolicy.isInternalTopic up to Kafka 3.9 do; `kafka4` treats only MirrorMaker's own names so, and copies
    the topics of, for example, a Kafka Connect cluster. Ours are internal under every rule.
    """

    rule: InternalTopicRule = "srm"
    separator: str = DEFAULT_SEPARATOR

    def matches(self, topic: str) -> bool:
        if topic.startswith(("__", ".")) or self._is_ours(topic):
            return True
        suffix = f"{self.separator}internal"
        if self.rule == "kafka4":
            is_checkpoints = topic.endswith(CHECKPOINTS.name(separator=self.separator))
            return is_checkpoints or (topic.startswith("mm2") and topic.endswith(suffix))
        return topic.endswith((suffix, ".internal", "-internal"))

    def _is_ours(self, topic: str) -> bool:
        return topic.startswith("srm-") and topic.endswith(".internal")
