"""The source connector's settings under their MirrorMaker 2 names, with the defaults that hold here."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.errors import ConfigurationError
from replication.domain.filters import split_list
from replication.domain.topic_config import EXCLUDED_CONFIGS

BROKER_DEFAULT = -1  # as a replication factor


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """Intervals are much shorter than MirrorMaker's: looking costs three requests and moves no running task."""

    replication_factor: int = 2
    offset_syncs_factor: int = 3
    heartbeats_factor: int = 3
    offsets_factor: int = 3
    configs_factor: int = 3
    status_factor: int = 3
    refresh_interval_s: int = 10
    heartbeats_replication: bool = True
    offset_syncs_on_target: bool = False
    excluded_configs: tuple[str, ...] = EXCLUDED_CONFIGS
    original_driver_check: bool = True

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "SourceSettings":
        """Raises ConfigurationError naming the key."""
        excluded = settings.get("config.properties.exclude")
        return cls(
            replication_factor=_integer(settings, "replication.factor", 2),
            offset_syncs_factor=_integer(settings, "offset-syncs.topic.replication.factor", 3),
            heartbeats_factor=_integer(settings, "heartbeats.topic.replication.factor", 3),
            offsets_factor=_integer(settings, "offset.storage.replication.factor", 3),
            configs_factor=_integer(settings, "config.storage.replication.factor", 3),
            status_factor=_integer(settings, "status.storage.replication.factor", 3),
            refresh_interval_s=_integer(settings, "refresh.topics.interval.seconds", 10),
            heartbeats_replication=_boolean(settings, "heartbeats.replication.enabled", True),
            offset_syncs_on_target=settings.get("offset-syncs.topic.location", "source") == "target",
            excluded_configs=EXCLUDED_CONFIGS if excluded is None else split_list(excluded),
            original_driver_check=_boolean(settings, "srm.original.driver.check.enabled", True),
        )


def clamped(factor: int, brokers: int) -> int:
    """A replication factor the cluster can give."""
    return factor if factor == BROKER_DEFAULT else max(1, min(factor, brokers))


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
