"""Every policy keeps the rules of the kit, somebody's own one as well; a broken one is refused in words."""

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from replication.config.flows import policies
from replication.config.flows.policies import flow_policy
from replication.domain.desired.desired_document import PolicyChoice
from replication.domain.errors import InvalidPolicyError
from replication.domain.names.policy_suite import broken_rules
from replication.domain.names.replication_policy import DefaultPolicy, IdentityPolicy, ReplicationPolicy, TemplatePolicy
from replication.domain.settings.registry.planning import CUSTOM_POLICY

HERE = "tests.contract.test_replication_policies"


class Upper:
    """`ORDERS` becomes `EAST_ORDERS`: a sound policy of somebody's own."""

    def __init__(self, *, source: str, target: str, settings: dict[str, str]) -> None:
        self._aliases = (source, target)
        self._mark = settings.get("example.mark", "~").replace("~", "_")

    def format_remote_topic(self, source: str, topic: str) -> str:
        return f"{source.upper()}{self._mark}{topic}"

    def topic_source(self, topic: str) -> str | None:
        return next((alias for alias in self._aliases if topic.startswith(alias.upper() + self._mark)), None)

    def upstream_topic(self, topic: str) -> str | None:
        source = self.topic_source(topic)
        return None if source is None else topic[len(source) + len(self._mark) :]


class Forgetful(Upper):
    def topic_source(self, topic: str) -> str | None:
        return None


class Failing(Upper):
    def upstream_topic(self, topic: str) -> str | None:
        raise LookupError(topic)


class Lossy(Upper):
    def format_remote_topic(self, source: str, topic: str) -> str:
        return "everything"


class Silent:
    def __init__(self, **_: Any) -> None:
        """Has no methods at all."""


@pytest.fixture(autouse=True)
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a package with these entry points were installed."""
    found = [
        EntryPoint(name=name, value=f"{HERE}:{name}", group=policies.GROUP)
        for name in ("Upper", "Forgetful", "Failing", "Lossy", "Silent", "Missing")
    ]
    monkeypatch.setattr(policies, "entry_points", lambda group: found)


@pytest.mark.parametrize(
    "policy",
    [
        DefaultPolicy(),
        DefaultPolicy("__"),
        IdentityPolicy("a"),
        TemplatePolicy("{source}.{topic}", "a", "b"),
        TemplatePolicy("{topic}.from.{source}", "a", "b"),
        Upper(source="a", target="b", settings={}),
    ],
)
def test_a_sound_policy_breaks_no_rule(policy: ReplicationPolicy) -> None:
    assert broken_rules(policy, "a", "b") == ()


def test_a_template_without_source_cannot_see_cycles_and_the_kit_says_so() -> None:
    (broken,) = broken_rules(TemplatePolicy("{topic}-copy", "a", "b"), "a", "b")

    assert "would be copied back" in broken


def test_a_flow_uses_the_policy_it_names_with_its_settings() -> None:
    policy = flow_policy(PolicyChoice(), {CUSTOM_POLICY.key: "Upper", "example.mark": "-"}, "east", "west")

    assert policy.format_remote_topic("east", "t") == "EAST-t"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Forgetful", "topic_source('EAST_orders') is None, not 'east'"),
        ("Failing", "it raises LookupError"),
        ("Lossy", "have the same remote name 'everything'"),
        ("Silent", "lacks the method format_remote_topic"),
        ("Missing", "cannot be made: AttributeError"),
        ("Nowhere", "no installed package offers a policy 'Nowhere'"),
    ],
)
def test_an_unusable_policy_is_refused_in_words(name: str, part: str) -> None:
    with pytest.raises(InvalidPolicyError) as caught:
        flow_policy(PolicyChoice(), {CUSTOM_POLICY.key: name}, "east", "west")
    assert part in caught.value.text


def test_what_a_policy_raises_later_names_it_and_the_topic() -> None:
    policy = flow_policy(PolicyChoice(), {CUSTOM_POLICY.key: "Upper"}, "east", "west")

    with pytest.raises(InvalidPolicyError, match="the policy Upper fails for the topic"):
        policy.topic_source(None)  # type: ignore[arg-type]  # makes it fail
