"""Creates the internal topics of a flow (`replication.domain.names.internal_topics`)."""

from collections.abc import Collection, Mapping, Sequence

from replication.connectors.plan.source_settings import Factors, SourceSettings, clamped
from replication.domain.errors import AuthorizationError, ConfigurationError
from replication.domain.names.internal_topic import InternalTopic
from replication.domain.names.internal_topics import (
    APPLIED_SETTINGS,
    CONNECT_CONFIGS,
    CONNECT_STATUS,
    DEAD_LETTERS,
    GAPS,
    HEARTBEATS,
    OFFSET_RUNS,
    POSITIONS,
    PRODUCERS,
    RAW_METRICS,
)
from replication.domain.plan.rights import INTERNAL_TOPIC_OPERATIONS, Right, grant_commands
from replication.domain.plan.topic_config import ConfigChange
from replication.domain.settings.registry.consumer_groups import CHECKPOINTS_FACTOR
from replication.domain.settings.registry.topic_creation import (
    CONFIGS_FACTOR,
    HEARTBEATS_FACTOR,
    OFFSET_SYNCS_FACTOR,
    OFFSETS_FACTOR,
    OFFSETS_PARTITIONS,
    STATUS_FACTOR,
    STATUS_PARTITIONS,
)
from replication.ports.admin import ClusterAdmin, NewTopic, Refused

# Each start of a slot reads these from their beginning. A broker compacts no segment it still writes to, by default one
# of 1 GB in each partition, which is hours of commits; and commit markers stay for `delete.retention.ms` after that.
_REQUIRED = (POSITIONS, OFFSET_RUNS, GAPS, RAW_METRICS, PRODUCERS, HEARTBEATS)
_OPTIONAL = (CONNECT_CONFIGS, CONNECT_STATUS, APPLIED_SETTINGS)
_FREQUENT_COMPACTION = {
    "segment.bytes": str(32 * 1024 * 1024),
    "min.cleanable.dirty.ratio": "0.1",
    "max.compaction.lag.ms": "600000",
    "delete.retention.ms": "3600000",
}


def new_topic(
    topic: InternalTopic, settings: SourceSettings, brokers: int, *, alias: str = "", name: str = ""
) -> NewTopic:
    """The topic as the flow's settings want it; `name` is one chosen by a person, or one with the flow's separator."""
    return NewTopic(
        name=name or topic.name(alias),
        partitions=_partitions(topic, settings),
        replication_factor=clamped(_factor(topic, settings.factors), brokers),
        configs=topic.configs,
    )


def target_topics(source: str, settings: SourceSettings, brokers: int) -> tuple[NewTopic, ...]:
    """Topics on the target without which the flow cannot run."""
    letters = settings.dead_letters  # empty for the name in the registry
    wanted = [new_topic(each, settings, brokers, alias=source) for each in _REQUIRED]
    if letters is not None:
        wanted.insert(0, new_topic(DEAD_LETTERS, settings, brokers, alias=source, name=letters))
    return tuple(wanted)


def optional_target_topics(source: str, settings: SourceSettings, brokers: int) -> tuple[NewTopic, ...]:
    """Topics on the target for giving the flow back to MirrorMaker, and for removing what the flow has set."""
    return tuple(new_topic(each, settings, brokers, alias=source) for each in _OPTIONAL)


def _partitions(topic: InternalTopic, settings: SourceSettings) -> int:
    by_setting = {
        OFFSETS_PARTITIONS.key: settings.offsets_partitions,
        STATUS_PARTITIONS.key: settings.status_partitions,
    }
    return topic.partitions if topic.partitions_setting is None else by_setting[topic.partitions_setting.key]


def _factor(topic: InternalTopic, factors: Factors) -> int:
    by_setting = {
        OFFSETS_FACTOR.key: factors.offsets,
        CONFIGS_FACTOR.key: factors.configs,
        STATUS_FACTOR.key: factors.status,
        OFFSET_SYNCS_FACTOR.key: factors.offset_syncs,
        CHECKPOINTS_FACTOR.key: factors.checkpoints,
        HEARTBEATS_FACTOR.key: factors.heartbeats,
    }
    if topic.factor_setting is None:
        raise ValueError(f"{topic.template} is created by another program")
    return by_setting[topic.factor_setting.key]


def ensure(admin: ClusterAdmin, existing: Mapping[str, int], topics: Sequence[NewTopic]) -> None:
    """Create missing required topics. Raises AuthorizationError or ConfigurationError when one is refused."""
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
    """Create missing topics; returns the refused ones."""
    missing = [topic for topic in topics if topic.name not in existing]
    return admin.create_topics(missing) if missing else ()


def tune_compaction(admin: ClusterAdmin, source: str) -> tuple[Refused, ...] | None:
    """Make brokers compact positions and offset runs often, in existing topics too; configs that a person set stay.

    Separate from topic creation, because some clusters refuse these configs, and the flow runs without them, although
    its starts become slower. Returns the refused changes, or None while the topics cannot be described.
    """
    found = admin.topic_configs((POSITIONS.name(source), OFFSET_RUNS.name(source)))
    changes: list[ConfigChange] = []
    for name, configs in found.items():
        policy = configs.get("cleanup.policy")
        if policy is not None and "compact" in (policy.value or ""):
            chosen = {key for key, config in configs.items() if config.source == "topic"}
            changes += [
                ConfigChange(topic=name, set={key: value})
                for key, value in _FREQUENT_COMPACTION.items()
                if key not in chosen
            ]
    return tuple(refused for change in changes for refused in admin.alter_topic_configs([change])) if found else None


def _remedy(admin: ClusterAdmin, forbidden: Collection[str]) -> str:
    rights = [
        Right(kind="topic", name=name, operation=operation)
        for name in forbidden
        for operation in ("create", *INTERNAL_TOPIC_OPERATIONS)
    ]
    return "grant it, or create the topic: " + " && ".join(grant_commands(admin.servers, admin.principal, rights))
