"""The source connector's settings under their MirrorMaker 2 names, with the defaults that hold here."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.error_handling import DEAD_LETTERS, read_error_handling
from replication.domain.errors import ConfigurationError
from replication.domain.filters import NameFilter, split_list
from replication.domain.topic_config import EXCLUDED_CONFIGS, ConfigRules

BROKER_DEFAULT = -1  # as a replication factor
OFFSETS_PARTITIONS = 25
STATUS_PARTITIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Replication factors of the topics a flow creates."""

    remote_topics: int = 2
    offset_syncs: int = 3
    heartbeats: int = 3
    offsets: int = 3
    configs: int = 3
    status: int = 3

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "Factors":
        return cls(
            remote_topics=_integer(settings, "replication.factor", 2),
            offset_syncs=_integer(settings, "offset-syncs.topic.replication.factor", 3),
            heartbeats=_integer(settings, "heartbeats.topic.replication.factor", 3),
            offsets=_integer(settings, "offset.storage.replication.factor", 3),
            configs=_integer(settings, "config.storage.replication.factor", 3),
            status=_integer(settings, "status.storage.replication.factor", 3),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """Topics are looked for much more often than MirrorMaker does: it costs three requests and moves no running task.

    Configs and ACLs keep MirrorMaker's ten minutes.
    """

    factors: Factors = field(default_factory=Factors)
    offsets_partitions: int = OFFSETS_PARTITIONS
    status_partitions: int = STATUS_PARTITIONS
    refreshes_topics: bool = True
    refresh_interval_s: int = 10
    heartbeats_replication: bool = True
    offset_syncs_on_target: bool = False
    writes_offset_syncs: bool = True
    config_rules: ConfigRules
    syncs_configs: bool = True
    config_interval_s: int = 600
    syncs_acls: bool = True
    acl_interval_s: int = 600
    prunes_acls: bool = False
    original_driver_check: bool = True
    original_driver_group: str | None = None  # None: MirrorMaker's `<source>-mm2`
    loop_protection: bool = True
    dead_letters: str | None = None  # the topic, "" for our own name of it, None where refused records are not kept

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "SourceSettings":
        """Raises ConfigurationError naming the key."""
        return cls(
            factors=Factors.of(settings),
            offsets_partitions=_integer(settings, "offset.storage.partitions", OFFSETS_PARTITIONS),
            status_partitions=_integer(settings, "status.storage.partitions", STATUS_PARTITIONS),
            refreshes_topics=_boolean(settings, "refresh.topics.enabled", True),
            refresh_interval_s=_integer(settings, "refresh.topics.interval.seconds", 10),
            heartbeats_replication=_boolean(settings, "heartbeats.replication.enabled", True),
            offset_syncs_on_target=settings.get("offset-syncs.topic.location", "source") == "target",
            writes_offset_syncs=_boolean(settings, "emit.offset-syncs.enabled", True),
            config_rules=_config_rules(settings),
            syncs_configs=_boolean(settings, "sync.topic.configs.enabled", True),
            config_interval_s=_integer(settings, "sync.topic.configs.interval.seconds", 600),
            syncs_acls=_boolean(settings, "sync.topic.acls.enabled", True),
            acl_interval_s=_integer(settings, "sync.topic.acls.interval.seconds", 600),
            prunes_acls=_boolean(settings, "srm.acl.prune", False),
            original_driver_check=_boolean(settings, "srm.original.driver.check.enabled", True),
            original_driver_group=settings.get("group.id", "").strip() or None,
            dead_letters=_dead_letters(settings),
            loop_protection=settings.get("srm.loop.protection", "auto").strip().lower() not in ("off", "false", "none"),
        )


def clamped(factor: int, brokers: int) -> int:
    """A replication factor the cluster can give."""
    return factor if factor == BROKER_DEFAULT else max(1, min(factor, brokers))


def _config_rules(settings: Mapping[str, str]) -> ConfigRules:
    excluded = settings.get("config.properties.exclude")
    defaults_from = settings.get("use.defaults.from", "target").strip() or "target"
    if defaults_from not in ("source", "target"):
        raise ConfigurationError(f"use.defaults.from must be source or target, not {defaults_from!r}")
    return ConfigRules(
        excluded=NameFilter.of(EXCLUDED_CONFIGS if excluded is None else split_list(excluded)),
        defaults_from_source=defaults_from == "source",
    )


def _dead_letters(settings: Mapping[str, str]) -> str | None:
    try:
        keeps = read_error_handling(settings, "").policy == "dead_letter"
    except ValueError as error:
        raise ConfigurationError(str(error)) from error
    return settings.get(DEAD_LETTERS, "").strip() if keeps else None


def _integer(settings: Mapping[str, str], key: str, default: int) -> int:
    text = settings.get(key, "").strip()
    if not text:
        return default
    try:
        number = int(text)
    except ValueError as error:
        raise ConfigurationError(f"{key} must be a whole number, not {text!r}") from error
    if number < 1 and not (number == BROKER_DEFAULT and key.endswith("factor")):
        raise ConfigurationError(f"{key} must be above 0, not {number}")
    return number


def _boolean(settings: Mapping[str, str], key: str, default: bool) -> bool:
    text = settings.get(key, "").strip().lower()
    if text not in ("", "true", "false"):
        raise ConfigurationError(f"{key} must be true or false, not {text!r}")
    return default if not text else text == "true"
