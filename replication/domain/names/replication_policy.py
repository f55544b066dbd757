"""Replication policies: the name of an upstream topic's copy, and the origin that a name shows.

Equal to `org.apache.kafka.connect.mirror.{Default,Identity}ReplicationPolicy`; the template policy is ours.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

from replication.domain.errors import InvalidPolicyError
from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.internal_topics import HEARTBEATS_TOPIC
from replication.domain.names.topic_name import MAX_TOPIC_NAME, has_legal_characters, is_legal_topic_name

PolicyKind = Literal["default", "identity", "template"]
DEFAULT_POLICY: PolicyKind = "default"


class ReplicationPolicy(Protocol):
    """Names of one flow's topics. Total functions: any string is a possible topic name."""

    def format_remote_topic(self, source: str, topic: str) -> str: ...

    def topic_source(self, topic: str) -> str | None:
        """Alias of the cluster the topic was copied from; None for one that is not a copy."""

    def upstream_topic(self, topic: str) -> str | None:
        """The name one hop up; None for a topic that is not a copy."""


@dataclass(frozen=True, slots=True)
class DefaultPolicy:
    """`<source><separator><topic>`."""

    separator: str = DEFAULT_SEPARATOR

    def format_remote_topic(self, source: str, topic: str) -> str:
        return f"{source}{self.separator}{topic}"

    def topic_source(self, topic: str) -> str | None:
        source, found, _ = topic.partition(self.separator)
        # Java's split drops empty strings at the end: "a." and "." have one part or none, "a..b" has three.
        has_two_parts = bool(found) and bool(topic[len(source) :].replace(self.separator, ""))
        return source if has_two_parts else None

    def upstream_topic(self, topic: str) -> str | None:
        source = self.topic_source(topic)
        return None if source is None else topic[len(source) + len(self.separator) :]


@dataclass(frozen=True, slots=True)
class IdentityPolicy:
    """Names stay as they are; only heartbeats are renamed, so that cycles of them end."""

    source: str
    separator: str = DEFAULT_SEPARATOR

    def format_remote_topic(self, source: str, topic: str) -> str:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultPolicy(self.separator).format_remote_topic(source, topic)
        return topic

    def topic_source(self, topic: str) -> str | None:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultPolicy(self.separator).topic_source(topic)
        return self.source

    def upstream_topic(self, topic: str) -> str | None:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultPolicy(self.separator).upstream_topic(topic)
        return topic


@dataclass(frozen=True, slots=True)
class TemplatePolicy:
    """A text with `{topic}` once and `{source}` at most once, such as `dr-{topic}` or `{topic}.from.{source}`.

    It needs the aliases, because a name alone does not show where an alias in it ends.
    """

    template: str
    source: str
    target: str
    separator: str = DEFAULT_SEPARATOR
    others: frozenset[str] = frozenset()  # aliases of further clusters, for chains longer than one flow

    def __post_init__(self) -> None:
        if self.template.count("{topic}") != 1 or self.template.count("{source}") > 1:
            raise InvalidPolicyError(
                f"template {self.template!r} must hold {{topic}} exactly once and {{source}} at most once"
            )
        literal = self.template.replace("{topic}", "").replace("{source}", "")
        if literal and not has_legal_characters(literal):
            raise InvalidPolicyError(f"template {self.template!r} holds characters that topic names cannot have")
        if self.template == "{topic}":
            raise InvalidPolicyError("template '{topic}' keeps names as they are; use the identity policy for that")
        _check_name(self, self.source, f"template {self.template!r}")

    def format_remote_topic(self, source: str, topic: str) -> str:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultPolicy(self.separator).format_remote_topic(source, topic)
        prefix, suffix = self._around(source)
        return f"{prefix}{topic}{suffix}"

    def topic_source(self, topic: str) -> str | None:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultPolicy(self.separator).topic_source(topic)
        aliases = (self.source, self.target, *sorted(self.others))
        return max((alias for alias in aliases if self._upstream_of(alias, topic)), key=len, default=None)

    def upstream_topic(self, topic: str) -> str | None:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultPolicy(self.separator).upstream_topic(topic)
        source = self.topic_source(topic)
        return None if source is None else self._upstream_of(source, topic)

    @property
    def names_source(self) -> bool:
        """False: a copy's name does not show its origin, so a chain of copies cannot be followed."""
        return "{source}" in self.template

    def _around(self, source: str) -> tuple[str, str]:
        prefix, _, suffix = self.template.partition("{topic}")
        return prefix.replace("{source}", source), suffix.replace("{source}", source)

    def _upstream_of(self, alias: str, topic: str) -> str | None:
        prefix, suffix = self._around(alias)
        is_copy = len(topic) > len(prefix) + len(suffix) and topic.startswith(prefix) and topic.endswith(suffix)
        return topic[len(prefix) : len(topic) - len(suffix)] if is_copy else None


def policy_for(
    kind: PolicyKind, *, separator: str, template: str | None, source: str, target: str
) -> ReplicationPolicy:
    """The policy of a flow. Raises InvalidPolicyError."""
    if not has_legal_characters(separator):
        raise InvalidPolicyError(f"separator {separator!r} must consist of characters allowed in topic names")
    if kind == "identity":
        return IdentityPolicy(source, separator)
    if kind == "template":
        return TemplatePolicy(template or "", source, target, separator)
    policy = DefaultPolicy(separator)
    _check_name(policy, source, f"separator {separator!r}")
    return policy


def _check_name(policy: ReplicationPolicy, source: str, setting: str) -> None:
    """Raise InvalidPolicyError when not even a topic of one letter gets a name that Kafka allows."""
    shortest = policy.format_remote_topic(source, "t")
    if not is_legal_topic_name(shortest):
        raise InvalidPolicyError(
            f"{setting} makes names that Kafka refuses, such as {shortest!r}: they have at most {MAX_TOPIC_NAME} "
            "letters, digits, '.', '_' and '-'"
        )


def original_topic(policy: ReplicationPolicy, topic: str) -> str:
    """Follow the name up to its first cluster."""
    current = topic
    for _ in range(MAX_TOPIC_NAME):
        upstream = policy.upstream_topic(current)
        if upstream is None or upstream == current:
            break
        current = upstream
    return current


def is_heartbeats_topic(policy: ReplicationPolicy, topic: str) -> bool:
    return original_topic(policy, topic) == HEARTBEATS_TOPIC


def is_cycle(policy: ReplicationPolicy, topic: str, target: str) -> bool:
    """Return True when the topic has been on the target before, anywhere in its provenance."""
    current = topic
    for _ in range(MAX_TOPIC_NAME):
        source = policy.topic_source(current)
        if source is None:
            return False
        if source == target:
            return True
        upstream = policy.upstream_topic(current)
        if upstream is None or upstream == current:
            return False
        current = upstream
    return False
