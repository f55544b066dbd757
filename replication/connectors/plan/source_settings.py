"""The settings of a flow that the planner reads."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.names.filters import NameFilter
from replication.domain.plan.topic_config import ConfigRules
from replication.domain.rejected_records.error_policy import read_errors_policy
from replication.domain.settings.flow_check import check_settings
from replication.domain.settings.registry.consumer_groups import CHECKPOINTS_FACTOR
from replication.domain.settings.registry.errors import DEAD_LETTERS_TOPIC
from replication.domain.settings.registry.planning import (
    ACL_PRUNE,
    ORIGINAL_DRIVER_CHECK,
    ORIGINAL_DRIVER_GROUP,
    REFRESH_TOPICS,
    REFRESH_TOPICS_INTERVAL,
    SYNC_ACLS,
    SYNC_ACLS_INTERVAL,
    SYNC_CONFIGS,
    SYNC_CONFIGS_INTERVAL,
)
from replication.domain.settings.registry.records import LOOP_PROTECTION, OFFSET_SYNCS, OFFSET_SYNCS_LOCATION
from replication.domain.settings.registry.topic_creation import (
    CONFIGS_FACTOR,
    HEARTBEATS_FACTOR,
    OFFSET_SYNCS_FACTOR,
    OFFSETS_FACTOR,
    OFFSETS_PARTITIONS,
    REPLICATION_FACTOR,
    STATUS_FACTOR,
    STATUS_PARTITIONS,
)
from replication.domain.settings.registry.topic_filters import (
    CONFIG_PROPERTIES_EXCLUDE,
    HEARTBEATS_HOPS,
    HEARTBEATS_REPLICATION,
    USE_DEFAULTS_FROM,
)
from replication.domain.settings.value_types import BROKER_DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Replication factors of the topics a flow creates."""

    remote_topics: int
    offset_syncs: int
    checkpoints: int
    heartbeats: int
    offsets: int
    configs: int
    status: int

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "Factors":
        return cls(
            remote_topics=REPLICATION_FACTOR.read(settings),
            offset_syncs=OFFSET_SYNCS_FACTOR.read(settings),
            checkpoints=CHECKPOINTS_FACTOR.read(settings),
            heartbeats=HEARTBEATS_FACTOR.read(settings),
            offsets=OFFSETS_FACTOR.read(settings),
            configs=CONFIGS_FACTOR.read(settings),
            status=STATUS_FACTOR.read(settings),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """The settings that select a flow's topics, create their remote topics and keep those in step."""

    factors: Factors
    offsets_partitions: int
    status_partitions: int
    refreshes_topics: bool
    refresh_interval_s: int
    heartbeats_replication: bool
    heartbeat_hops: int
    offset_syncs_on_target: bool
    writes_offset_syncs: bool
    config_rules: ConfigRules
    syncs_configs: bool
    config_interval_s: int
    syncs_acls: bool
    acl_interval_s: int
    prunes_acls: bool
    original_driver_check: bool
    original_driver_group: str | None  # None: MirrorMaker's `<source>-mm2`
    loop_protection: bool
    dead_letters: str | None  # the topic, "" for our own name of it, None where rejected records are not kept

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "SourceSettings":
        """Raises ConfigurationError for any invalid setting: no plan is made that the slots would reject."""
        check_settings(settings)
        keeps_letters = read_errors_policy(settings) == "dead_letter"
        return cls(
            factors=Factors.of(settings),
            offsets_partitions=OFFSETS_PARTITIONS.read(settings),
            status_partitions=STATUS_PARTITIONS.read(settings),
            refreshes_topics=REFRESH_TOPICS.read(settings),
            refresh_interval_s=REFRESH_TOPICS_INTERVAL.read(settings),
            heartbeats_replication=HEARTBEATS_REPLICATION.read(settings),
            heartbeat_hops=HEARTBEATS_HOPS.read(settings),
            offset_syncs_on_target=OFFSET_SYNCS_LOCATION.read(settings) == "target",
            writes_offset_syncs=OFFSET_SYNCS.read(settings),
            config_rules=ConfigRules(
                excluded=NameFilter.of(CONFIG_PROPERTIES_EXCLUDE.read(settings)),
                defaults_from_source=USE_DEFAULTS_FROM.read(settings) == "source",
            ),
            syncs_configs=SYNC_CONFIGS.read(settings),
            config_interval_s=SYNC_CONFIGS_INTERVAL.read(settings),
            syncs_acls=SYNC_ACLS.read(settings),
            acl_interval_s=SYNC_ACLS_INTERVAL.read(settings),
            prunes_acls=ACL_PRUNE.read(settings),
            original_driver_check=ORIGINAL_DRIVER_CHECK.read(settings),
            original_driver_group=ORIGINAL_DRIVER_GROUP.read(settings),
            loop_protection=LOOP_PROTECTION.read(settings) != "off",
            dead_letters=(DEAD_LETTERS_TOPIC.read(settings) or "") if keeps_letters else None,
        )


def planning_settings(flow: DesiredFlow) -> SourceSettings:
    """Return the settings of a flow's planner; those of its checkpoints are among them. Raises ConfigurationError."""
    return SourceSettings.of({**flow.connectors.checkpoint, **flow.connectors.source})


def clamped(factor: int, brokers: int) -> int:
    """Return a replication factor that the cluster can give."""
    return factor if factor == BROKER_DEFAULT else max(1, min(factor, brokers))
