"""The replication policy of a flow: ours by kind, or a custom one by the name of its Python entry point.

A package offers a policy in the entry-point group `srm.replication_policies`: a callable
`factory(*, source, target, settings)` that returns an object with the methods of
`replication.domain.names.replication_policy.ReplicationPolicy`. A flow chooses it by `srm.replication.policy = <name>`.
`replication.domain.names.policy_suite` holds its requirements: the author runs the suite in tests, and the driver
runs it before a flow uses the policy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from replication.domain.desired.desired_flow import DesiredFlow, PolicyChoice
from replication.domain.errors import InvalidPolicyError
from replication.domain.groups.returned_topics import ReturnedTopics
from replication.domain.groups.shared_topics import SharedTopics
from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.internal_topic_filter import InternalTopicFilter
from replication.domain.names.policy_suite import broken_rules
from replication.domain.names.replication_policy import PolicyKind, ReplicationPolicy, policy_for
from replication.domain.settings.registry.consumer_groups import REVERSE_CHECKPOINTING
from replication.domain.settings.registry.flow import POLICY_TEMPLATE
from replication.domain.settings.registry.planning import CUSTOM_POLICY
from replication.domain.settings.registry.topic_filters import INTERNAL_SEPARATOR, INTERNAL_TOPICS_RULE

GROUP = "srm.replication_policies"
_PACKAGES = ("org.apache.kafka.connect.mirror.", "com.cloudera.dim.kafka.replication.", "com.cloudera.kafka.connect.")
_JAVA_POLICIES: dict[str, PolicyKind] = {
    "DefaultReplicationPolicy": "default",
    "IdentityReplicationPolicy": "identity",
}
_EQUIVALENTS = {
    "LegacyReplicationPolicy": "it keeps names as they are, which IdentityReplicationPolicy does",
    "MigratingReplicationPolicy": "it keeps names as they are, which IdentityReplicationPolicy does",
}
Result = TypeVar("Result")


def java_policy(name: str) -> PolicyKind | None:
    """Return the kind that equals a Java class; None where there is none."""
    return _JAVA_POLICIES.get(_simple_name(name))


def java_class(kind: PolicyKind) -> str | None:
    """Return the Java class that equals a kind; None where there is none."""
    return next((f"{_PACKAGES[0]}{name}" for name, known in _JAVA_POLICIES.items() if known == kind), None)


def refusal(name: str) -> str:
    """Return what to write instead of a Java class that cannot be loaded."""
    equivalent = _EQUIVALENTS.get(_simple_name(name))
    if equivalent is not None:
        return f"the class {name} cannot be loaded here; {equivalent}"
    return (
        f"the class {name} cannot be loaded here; use DefaultReplicationPolicy, IdentityReplicationPolicy, "
        f"{POLICY_TEMPLATE}, or a Python entry point of the group {GROUP} by {CUSTOM_POLICY}"
    )


def flow_policy(choice: PolicyChoice, settings: Mapping[str, str], source: str, target: str) -> ReplicationPolicy:
    """Return the policy of a flow with these source settings. Raises InvalidPolicyError with the remedy."""
    custom = CUSTOM_POLICY.read(settings)
    if custom is not None:
        return _custom(custom, settings, source, target)
    return policy_for(choice.kind, separator=choice.separator, template=choice.template, source=source, target=target)


def returned_topics(flow: DesiredFlow, target: str) -> ReturnedTopics:
    """Return which copies on the flow's source lead groups back to topics of its target.

    Raises InvalidPolicyError, SettingError and InvalidPatternError.
    """
    return ReturnedTopics.of(
        flow_policy(flow.policy, flow.connectors.source, flow.source, target),
        target,
        topics=flow.topics,
        listed=flow.reverse_topics,
        is_on=REVERSE_CHECKPOINTING.read(flow.connectors.checkpoint),
    )


def shared_topics(reverse: DesiredFlow | None, target: str) -> SharedTopics | None:
    """Return which topics the flow the other way, into `target`, copies back under equal names; None without one.

    Raises InvalidPolicyError and InvalidPatternError.
    """
    if reverse is None or not reverse.enabled:
        return None
    policy = flow_policy(reverse.policy, reverse.connectors.source, reverse.source, target)
    return SharedTopics.of(policy, reverse.source, reverse.topics)


def internal_separator(choice: PolicyChoice, settings: Mapping[str, str]) -> str:
    """Return the separator in names of internal topics. Raises SettingError."""
    return choice.separator if INTERNAL_SEPARATOR.read(settings) else DEFAULT_SEPARATOR


def internal_topic_filter(choice: PolicyChoice, settings: Mapping[str, str]) -> InternalTopicFilter:
    """Return which topics the flow never copies. Raises SettingError."""
    separator = internal_separator(choice, settings)
    return InternalTopicFilter(rule=INTERNAL_TOPICS_RULE.read(settings), separator=separator)


def _custom(name: str, settings: Mapping[str, str], source: str, target: str) -> ReplicationPolicy:
    offered = {each.name: each for each in entry_points(group=GROUP)}
    if name not in offered:
        known = ", ".join(sorted(offered)) or "none is installed"
        raise InvalidPolicyError(
            f"{CUSTOM_POLICY}: no installed package offers a policy {name!r} in the entry-point group {GROUP} ({known})"
        )
    return GuardedPolicy(name, _make(offered[name], settings, source, target))


def _make(entry: EntryPoint, settings: Mapping[str, str], source: str, target: str) -> ReplicationPolicy:
    try:
        policy: ReplicationPolicy = entry.load()(source=source, target=target, settings=dict(settings))
    except Exception as error:
        raise InvalidPolicyError(
            f"the policy {entry.name} ({entry.value}) cannot be made: {type(error).__name__}: {error}"
        ) from error
    missing = [name for name in ("format_remote_topic", "topic_source", "upstream_topic") if not hasattr(policy, name)]
    if missing:
        raise InvalidPolicyError(f"the policy {entry.name} ({entry.value}) lacks the method {missing[0]}")
    broken = broken_rules(policy, source, target)
    if broken:
        raise InvalidPolicyError(f"the policy {entry.name} ({entry.value}) cannot name topics: {'; '.join(broken)}")
    return policy


@dataclass(frozen=True, slots=True)
class GuardedPolicy:
    """A custom policy; its exceptions become an InvalidPolicyError that names the policy and the topic."""

    name: str
    inner: ReplicationPolicy

    def format_remote_topic(self, source: str, topic: str) -> str:
        return self._guarded(lambda: str(self.inner.format_remote_topic(source, topic)), topic)

    def topic_source(self, topic: str) -> str | None:
        return self._guarded(lambda: self.inner.topic_source(topic), topic)

    def upstream_topic(self, topic: str) -> str | None:
        return self._guarded(lambda: self.inner.upstream_topic(topic), topic)

    def _guarded(self, call: Callable[[], Result], topic: str) -> Result:
        try:
            return call()
        except Exception as error:
            raise InvalidPolicyError(
                f"the policy {self.name} fails for the topic {topic!r}: {type(error).__name__}: {error}"
            ) from error


def _simple_name(name: str) -> str:
    for package in _PACKAGES:
        if name.startswith(package):
            return name.removeprefix(package)
    return name
