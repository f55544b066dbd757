"""Finds configs of remote topics that differ from those of their upstream topics, and sets chosen ones again."""

from collections.abc import Callable, Sequence

import structlog

from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.plan.plan_document import PlanTopic
from replication.domain.plan.topic_config import ConfigRules
from replication.domain.questions.config_drift import (
    ConfigDrift,
    Configs,
    DriftedConfig,
    SetAgain,
    SetAgainResult,
    change_again,
    compared,
    drifted,
)
from replication.domain.settings.registry.topic_filters import CONFIG_PROPERTIES_EXCLUDE
from replication.ports.admin import Refused

log = structlog.get_logger(__name__)
MOST_TOPICS = 2_000
_ALL: tuple[str, ...] = ()
Compare = Callable[[str, str, Configs, Configs, ConfigRules], list[DriftedConfig]]


def report_drift(request: FlowRequest, topics: Sequence[str] = _ALL, *, with_equal: bool = False) -> ConfigDrift:
    """Compare the chosen topics (all without a choice). Raises the errors of ClusterAdmin and ConfigurationError."""
    chosen = _chosen(request, topics)
    found, unread = _drift(request, chosen[:MOST_TOPICS], compared if with_equal else drifted)
    items = [each for drift in found.values() for each in drift]
    counts = {
        "items": len(items),
        "topics": len(chosen),
        "compared": min(len(chosen), MOST_TOPICS),
        "unread": len(unread),
    }
    return ConfigDrift(
        source=request.id.source,
        target=request.id.target,
        items=tuple(items[: request.most_names]),
        unread=tuple(unread[: request.most_names]),
        counts=counts,
    )


def set_again(request: FlowRequest, topics: Sequence[str], keys: frozenset[str]) -> SetAgain:
    """Set the chosen configs of the chosen topics to the values that the flow sets; one topic never stops another."""
    planned = {topic.upstream: topic for topic in _chosen(request, topics)}
    drift, unread = _drift(request, list(planned.values()))
    results = [
        _set_topic(request, name, planned.get(name), drift.get(name), keys, is_unread=name in unread)
        for name in dict.fromkeys(topics)
    ]
    return SetAgain(source=request.id.source, target=request.id.target, items=tuple(results))


def _chosen(request: FlowRequest, topics: Sequence[str]) -> list[PlanTopic]:
    planned = () if request.plan is None else request.plan.topics
    wanted = frozenset(topics)
    return [topic for topic in planned if not wanted or topic.upstream in wanted]


def _drift(
    request: FlowRequest, topics: Sequence[PlanTopic], compare: Compare = drifted
) -> tuple[dict[str, list[DriftedConfig]], list[str]]:
    """Return the configs by upstream topic, and the topics whose configs cannot be read on one side."""
    rules = SourceSettings.of(request.flow.connectors.source).config_rules
    upstream = request.source.topic_configs([topic.upstream for topic in topics])
    remote = request.target.topic_configs([topic.remote for topic in topics])
    readable = [topic for topic in topics if topic.upstream in upstream and topic.remote in remote]
    names = {topic.upstream for topic in readable}
    found = {
        topic.upstream: compare(topic.upstream, topic.remote, upstream[topic.upstream], remote[topic.remote], rules)
        for topic in readable
    }
    return found, [topic.upstream for topic in topics if topic.upstream not in names]


def _set_topic(
    request: FlowRequest,
    name: str,
    topic: PlanTopic | None,
    drift: Sequence[DriftedConfig] | None,
    keys: frozenset[str],
    *,
    is_unread: bool,
) -> SetAgainResult:
    if topic is None:
        text = f"{request.id} does not copy {name}"
        return SetAgainResult(topic=name, remote=None, state="refused", keys=(), text=text)
    if is_unread or drift is None:
        text = "its configs cannot be read on one of the clusters: grant DESCRIBE_CONFIGS on both topics"
        return SetAgainResult(topic=name, remote=topic.remote, state="refused", keys=(), text=text)
    change = change_again(topic.remote, drift, keys)
    if change is None:
        others = [f"{each.key} ({each.reason})" for each in drift if each.key in keys and not each.is_synced]
        if others:
            text = f"the flow does not set {', '.join(others)}"
            return SetAgainResult(topic=name, remote=topic.remote, state="refused", keys=(), text=text)
        return SetAgainResult(topic=name, remote=topic.remote, state="unchanged", keys=(), text="nothing differs")
    refused = request.target.alter_topic_configs([change])
    names = tuple(sorted(change.set))
    if refused:
        return SetAgainResult(
            topic=name, remote=topic.remote, state="refused", keys=names, text=_refusal(request, refused[0])
        )
    log.info("topic configs set again", flow=str(request.id), topic=topic.remote, set=dict(change.set))
    return SetAgainResult(topic=name, remote=topic.remote, state="set", keys=names, text=f"set {', '.join(names)}")


def _refusal(request: FlowRequest, refused: Refused) -> str:
    return (
        f"cluster {request.target.alias} refused it: {refused.text} ({refused.code}); grant ALTER_CONFIGS on "
        f"{refused.topic}, or exclude the key by {CONFIG_PROPERTIES_EXCLUDE}"
    )
