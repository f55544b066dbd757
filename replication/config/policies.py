"""The replication policy of a flow: ours by kind, or somebody's own by the name of its Python entry point.

A package offers a policy in the entry-point group `srm.replication_policies`: a callable
`factory(*, source, target, settings)` that returns an object with the methods of
`replication.domain.naming.ReplicationPolicy`. A flow chooses it by `srm.replication.policy = <name>`. What it must do
is in `replication.domain.policy_kit`, which its author runs in his tests and we run before a flow uses it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from replication.domain.desired_flow import PolicyChoice
from replication.domain.errors import InvalidPolicyError
from replication.domain.internal_topic import InternalTopicRule, InternalTopics
from replication.domain.naming import PolicyKind, ReplicationPolicy, policy_for
from replication.domain.policy_kit import broken_rules

GROUP = "srm.replication_policies"
POLICY_KEY = "srm.replication.policy"
RULE_KEY = "srm.internal.topics.rule"
SEPARATOR_KEY = "replication.policy.internal.topic.separator.enabled"
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
    """The kind that equals a Java class; None where there is none."""
    return _JAVA_POLICIES.get(_simple_name(name))


def refusal(name: str) -> str:
    """What to tell about a Java class that cannot be loaded."""
    equivalent = _EQUIVALENTS.get(_simple_name(name))
    if equivalent is not None:
        return f"the class {name} cannot be loaded here; {equivalent}"
    return (
        f"the class {name} cannot be loaded here; use DefaultReplicationPolicy, IdentityReplicationPolicy, "
        f"srm.replication.policy.template, or a Python entry point of the group {GROUP} by {POLICY_KEY}"
    )


def flow_policy(choice: PolicyChoice, settings: Mapping[str, str], source: str, target: str) -> ReplicationPolicy:
    """The policy of a flow with these source settings. Raises InvalidPolicyError with the remedy."""
    custom = settings.get(POLICY_KEY, "").strip()
    if custom:
        return _custom(custom, settings, source, target)
    return policy_for(choice.kind, separator=choice.separator, template=choice.template, source=source, target=target)


def internal_separator(choice: PolicyChoice, settings: Mapping[str, str]) -> str:
    """The separator in names of internal topics."""
    return "." if settings.get(SEPARATOR_KEY, "true").strip().lower() == "false" else choice.separator


def internal_topics(choice: PolicyChoice, settings: Mapping[str, str]) -> InternalTopics:
    """What the flow never copies. Raises InvalidPolicyError."""
    text = settings.get(RULE_KEY, "srm").strip()
    rules: dict[str, InternalTopicRule] = {"srm": "srm", "kafka3": "kafka3", "kafka4": "kafka4"}
    if text not in rules:
        raise InvalidPolicyError(f"{RULE_KEY} must be one of {', '.join(rules)}, not {text!r}")
    return InternalTopics(rule=rules[text], separator=internal_separator(choice, settings))


def _custom(name: str, settings: Mapping[str, str], source: str, target: str) -> ReplicationPolicy:
    offered = {each.name: each for each in entry_points(group=GROUP)}
    if name not in offered:
        known = ", ".join(sorted(offered)) or "none is installed"
        raise InvalidPolicyError(
            f"{POLICY_KEY}: no installed package offers a policy {name!r} in the entry-point group {GROUP} ({known})"
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
    """Somebody else's policy: what it raises becomes an InvalidPolicyError that names it and the topic."""

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
