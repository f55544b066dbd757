"""The topics a flow keeps its own books in."""

from collections.abc import Collection, Mapping, Sequence

from replication.connectors.source_settings import SourceSettings, clamped
from replication.domain.error_handling import dead_letters_topic
from replication.domain.errors import AuthorizationError, ConfigurationError
from replication.domain.naming import (
    HEARTBEATS_TOPIC,
    applied_topic,
    connect_configs_topic,
    connect_status_topic,
    gaps_topic,
    metrics_topic,
    offset_runs_topic,
    offsets_topic,
)
from replication.domain.producer_registry import PRODUCERS_TOPIC
from replication.domain.rights import BOOK_OPERATIONS, Right, grant_commands
from replication.domain.topic_config import ConfigChange
from replication.ports.admin import ClusterAdmin, NewTopic, Refused

_COMPACT = {"cleanup.policy": "compact"}
# Each start of a slot reads these from their beginning. A broker compacts no segment it still writes to, by default one
# of 1 GB in each partition, which is hours of commits; and commit markers stay for `delete.retention.ms` after that.
_BOOKS = {
    "segment.bytes": str(32 * 1024 * 1024),
    "min.cleanable.dirty.ratio": "0.1",
    "max.compaction.lag.ms": "600000",
    "delete.retention.ms": "3600000",
}
_ONE_DAY = {"cleanup.policy": "delete", "retention.ms": "86400000"}


def heartbeats_topic(settings: SourceSettings, brokers: int) -> NewTopic:
    return _topic(HEARTBEATS_TOPIC, 1, settings.factors.heartbeats, brokers, _COMPACT)


def target_topics(source: str, settings: SourceSettings, brokers: int) -> tuple[NewTopic, ...]:
    """On the target, without which the flow cannot run."""
    own = settings.factors.offsets
    letters = () if settings.dead_letters is None else (settings.dead_letters or dead_letters_topic(source),)
    return (
        *(_topic(name, 1, own, brokers, {}) for name in letters),
        _topic(offsets_topic(source), settings.offsets_partitions, own, brokers, _COMPACT),
        _topic(offset_runs_topic(source), 4, own, brokers, _COMPACT),
        _topic(gaps_topic(source), 1, own, brokers, _COMPACT),
        _topic(metrics_topic(source), 4, own, brokers, _ONE_DAY),
        heartbeats_topic(settings, brokers),
    )


def optional_target_topics(source: str, settings: SourceSettings, brokers: int) -> tuple[NewTopic, ...]:
    """On the target, for conveniences: giving the flow back to MirrorMaker, and taking back what we have set."""
    return (
        _topic(connect_configs_topic(source), 1, settings.factors.configs, brokers, _COMPACT),
        _topic(connect_status_topic(source), settings.status_partitions, settings.factors.status, brokers, _COMPACT),
        _topic(applied_topic(source), 1, settings.factors.offsets, brokers, _COMPACT),
    )


def offset_syncs(name: str, settings: SourceSettings, brokers: int) -> NewTopic:
    """On the source, or on the target where the flow says so."""
    return _topic(name, 1, settings.factors.offset_syncs, brokers, _COMPACT)


def producers(settings: SourceSettings, brokers: int) -> NewTopic:
    """On the target: whose producers wrote what, for flows from there (`SourceLoops`)."""
    return _topic(PRODUCERS_TOPIC, 1, settings.factors.offsets, brokers, _COMPACT)


def ensure(admin: ClusterAdmin, existing: Mapping[str, int], topics: Sequence[NewTopic]) -> None:
    """Create what is missing; the flow cannot run without. Raises what the caller of ClusterAdmin must expect."""
    refused = create_missing(admin, existing, topics)
    if not refused:
        return
    forbidden = [each.topic for each in refused if "AUTHORIZATION" in each.code]
    first = refused[0]
    text = f"cluster {admin.alias} refused to create the topic {first.topic}: {first.text} ({first.code})"
    if not forbidden:
        raise ConfigurationError(text, cluster=admin.alias, topic=first.topic)
    raise AuthorizationError(f"{text}; {_remedy(admin, forbidden)}", cluster=admin.alias, topic=first.topic)


def create_missing(admin: ClusterAdmin, existing: Mapping[str, int], topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
    """Create what is missing; returns what was refused."""
    missing = [topic for topic in topics if topic.name not in existing]
    return admin.create_topics(missing) if missing else ()


def keep_short(admin: ClusterAdmin, source: str) -> tuple[Refused, ...] | None:
    """Let the books be compacted often, also those made before us or by MirrorMaker; what somebody chose there stays.

    Apart from their creation, because some clusters allow no or not all of these configs, and the flow runs without,
    though its starts take longer and longer. Returns what was refused, None while the topics cannot be seen.
    """
    found = admin.topic_configs((offsets_topic(source), offset_runs_topic(source)))
    changes: list[ConfigChange] = []
    for name, configs in found.items():
        policy = configs.get("cleanup.policy")
        if policy is not None and "compact" in (policy.value or ""):
            chosen = {key for key, config in configs.items() if config.source == "topic"}
            changes += [
                ConfigChange(topic=name, set={key: value}) for key, value in _BOOKS.items() if key not in chosen
            ]
    return tuple(refused for change in changes for refused in admin.alter_topic_configs([change])) if found else None


def _remedy(admin: ClusterAdmin, forbidden: Collection[str]) -> str:
    rights = [
        Right(kind="topic", name=name, operation=operation)
        for name in forbidden
        for operation in ("create", *BOOK_OPERATIONS)
    ]
    return "grant it, or create the topic: " + " && ".join(grant_commands(admin.servers, admin.principal, rights))


def _topic(name: str, partitions: int, factor: int, brokers: int, configs: Mapping[str, str]) -> NewTopic:
    return NewTopic(name=name, partitions=partitions, replication_factor=clamped(factor, brokers), configs=configs)
