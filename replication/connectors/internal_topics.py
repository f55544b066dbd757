"""The topics a flow keeps its own books in."""

from collections.abc import Mapping, Sequence

from replication.connectors.source_settings import SourceSettings, clamped
from replication.domain.errors import AuthorizationError, ConfigurationError
from replication.domain.naming import (
    HEARTBEATS_TOPIC,
    connect_configs_topic,
    connect_status_topic,
    gaps_topic,
    metrics_topic,
    offset_runs_topic,
    offsets_topic,
)
from replication.ports.admin import ClusterAdmin, NewTopic

_COMPACT = {"cleanup.policy": "compact"}
_ONE_DAY = {"cleanup.policy": "delete", "retention.ms": "86400000"}


def heartbeats_topic(settings: SourceSettings, brokers: int) -> NewTopic:
    return _topic(HEARTBEATS_TOPIC, 1, settings.heartbeats_factor, brokers, _COMPACT)


def target_topics(source: str, settings: SourceSettings, brokers: int) -> tuple[NewTopic, ...]:
    """On the target. Connect's own topics are among them, so that MirrorMaker can take the flow back."""
    own = settings.offsets_factor
    return (
        _topic(offsets_topic(source), 25, settings.offsets_factor, brokers, _COMPACT),
        _topic(connect_configs_topic(source), 1, settings.configs_factor, brokers, _COMPACT),
        _topic(connect_status_topic(source), 5, settings.status_factor, brokers, _COMPACT),
        _topic(offset_runs_topic(source), 4, own, brokers, _COMPACT),
        _topic(gaps_topic(source), 1, own, brokers, _COMPACT),
        _topic(metrics_topic(source), 4, own, brokers, _ONE_DAY),
        heartbeats_topic(settings, brokers),
    )


def offset_syncs(name: str, settings: SourceSettings, brokers: int) -> NewTopic:
    """On the source, or on the target where the flow says so."""
    return _topic(name, 1, settings.offset_syncs_factor, brokers, _COMPACT)


def ensure(admin: ClusterAdmin, existing: Mapping[str, int], topics: Sequence[NewTopic]) -> None:
    """Create what is missing; the flow cannot run without. Raises what the caller of ClusterAdmin must expect."""
    missing = [topic for topic in topics if topic.name not in existing]
    if not missing:
        return
    for refused in admin.create_topics(missing):
        text = f"cluster {admin.alias} refused to create the topic {refused.topic}: {refused.text} ({refused.code})"
        is_permission = "AUTHORIZATION" in refused.code
        kind = AuthorizationError if is_permission else ConfigurationError
        raise kind(text, cluster=admin.alias, topic=refused.topic)


def _topic(name: str, partitions: int, factor: int, brokers: int, configs: Mapping[str, str]) -> NewTopic:
    return NewTopic(name=name, partitions=partitions, replication_factor=clamped(factor, brokers), configs=configs)
