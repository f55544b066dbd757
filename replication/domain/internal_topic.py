"""Topics that are somebody's books and never replicated: three rules, because MirrorMaker changed its own in 4.0."""

from dataclasses import dataclass
from typing import Literal

InternalTopicRule = Literal["srm", "kafka3", "kafka4"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopics:
    """`separator` is the one in internal names (`replication.policy.internal.topic.separator.enabled`).

    `srm` and `kafka3` take every `*.internal` and `*-internal` for internal, as the original replication manager and
    ReplicationPolicy.isInternalTopic up to Kafka 3.9 do; `kafka4` takes only MirrorMaker's own names, so that the
    topics of, say, a Kafka Connect cluster are copied. Ours are internal under every rule.
    """

    rule: InternalTopicRule = "srm"
    separator: str = "."

    def holds(self, topic: str) -> bool:
        if topic.startswith(("__", ".")) or self._is_ours(topic):
            return True
        suffix = f"{self.separator}internal"
        if self.rule == "kafka4":
            is_checkpoints = topic.endswith(f"{self.separator}checkpoints{suffix}")
            return is_checkpoints or (topic.startswith("mm2") and topic.endswith(suffix))
        return topic.endswith((suffix, ".internal", "-internal"))

    def _is_ours(self, topic: str) -> bool:
        return topic.startswith("srm-") and topic.endswith(".internal")
