"""The settings of a driver process; the only module of the driver that reads the environment."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from cryptography.fernet import Fernet, MultiFernet

from replication.config.redis_access import REDIS_URL_EXAMPLE, RedisUrlError, check_redis_url
from replication.domain.assignment.assignment import ROLES, DriverRole
from replication.domain.assignment.labels import parse_labels
from replication.domain.assignment.lease import OnCoordinatorLoss
from replication.domain.scheduling.admission import SMALLEST_CAPACITY
from replication.worker.hang_watch import BEAT_FD
from replication.worker.http.http_settings import HttpSettings, read_http_settings
from replication.worker.reporting.logs import LogFormat

ALL_TARGETS = "*"
HANG_TIMEOUT_S, SHORTEST_HANG_TIMEOUT_S = 60, 10
PERIODIC_CAPACITY, MOST_PERIODIC_CAPACITY = 32, 1_000
_WHOLE_NUMBER = re.compile(r"[0-9]{1,6}")
_DRIVER_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_CAPACITY = re.compile(r"[0-9]{1,6}")


class SettingsError(ValueError):
    """The environment is invalid; the text names the variable and the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """`targets` is empty when the process serves every target cluster it finds.

    `driver` is the id of this process, `parent` that of the driver it belongs to, and `boot` that of this start.
    `capacity` is the most tasks that the process takes; None sets no limit.
    """

    driver: str
    role: DriverRole
    parent: str = ""
    boot: str = field(default_factory=lambda: uuid.uuid4().hex)
    capacity: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    targets: frozenset[str]
    redis_url: str
    home: Path
    transport_keys: tuple[str, ...]
    on_coordinator_loss: OnCoordinatorLoss = "continue"
    log_level: str = "INFO"
    log_format: LogFormat = "text"
    hang_timeout_s: int = 0
    beat_fd: int | None = None
    http: HttpSettings | None = None
    periodic_capacity: int = PERIODIC_CAPACITY

    @property
    def queue(self) -> str:
        return self.queue_of(self.boot)

    def queue_of(self, boot: str) -> str:
        """Return the Celery queue of one start of this process."""
        return f"srm.driver.{self.driver}.{self.role}.{boot}"

    def serves(self, target: str) -> bool:
        return not self.targets or target in self.targets

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "WorkerSettings":
        """Read the settings. Raises SettingsError for the first variable that is missing or invalid."""
        driver = _id(
            "SRM_DRIVER_ID", _required(environment, "SRM_DRIVER_ID", "a name that stays the same across restarts")
        )
        targets = {name.strip() for name in environment.get("SRM_DRIVER_TARGETS", ALL_TARGETS).split(",")}
        return cls(
            driver=driver,
            role=_role(environment),
            parent=_id("SRM_DRIVER_PARENT", environment.get("SRM_DRIVER_PARENT", "").strip() or driver),
            capacity=_capacity(environment),
            labels=_labels(environment),
            targets=frozenset() if ALL_TARGETS in targets else frozenset(targets - {""}),
            redis_url=_redis_url(environment),
            home=Path(environment.get("SRM_HOME") or ".srm").absolute(),
            transport_keys=_transport_keys(environment),
            on_coordinator_loss=_on_coordinator_loss(environment),
            log_level=environment.get("SRM_LOG_LEVEL") or "INFO",
            log_format=_log_format(environment),
            hang_timeout_s=hang_timeout_s(environment),
            beat_fd=_beat_fd(environment),
            http=_http(environment),
            periodic_capacity=_periodic_capacity(environment),
        )


def _log_format(environment: Mapping[str, str]) -> LogFormat:
    value = environment.get("SRM_LOG_FORMAT") or "text"
    known: LogFormat | None = next((each for each in get_args(LogFormat) if each == value), None)
    if known is None:
        raise SettingsError(f"SRM_LOG_FORMAT={value!r}: set it to 'text' or 'json'")
    return known


def _http(environment: Mapping[str, str]) -> HttpSettings | None:
    try:
        return read_http_settings(environment)
    except ValueError as error:
        raise SettingsError(str(error)) from error


def _required(environment: Mapping[str, str], name: str, meaning: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise SettingsError(f"{name} is not set: set it to {meaning}")
    return value


def _id(name: str, value: str) -> str:
    if not _DRIVER_ID.fullmatch(value):
        raise SettingsError(f"{name}={value!r} is not a valid id: use up to 64 letters, digits, '.', '_' or '-'")
    return value


def _capacity(environment: Mapping[str, str]) -> int | None:
    value = environment.get("SRM_DRIVER_CAPACITY", "").strip()
    if not value:
        return None
    if not _CAPACITY.fullmatch(value) or int(value) == 0:
        raise SettingsError(
            f"SRM_DRIVER_CAPACITY={value!r}: set it to the most tasks that the process takes, at least 1, or leave it "
            "empty"
        )
    return int(value)


def _labels(environment: Mapping[str, str]) -> Mapping[str, str]:
    try:
        return parse_labels(environment.get("SRM_DRIVER_LABELS", ""))
    except ValueError as error:
        raise SettingsError(f"SRM_DRIVER_LABELS: {error}") from error


def _redis_url(environment: Mapping[str, str]) -> str:
    url = _required(environment, "SRM_REDIS_URL", REDIS_URL_EXAMPLE)
    try:
        check_redis_url(url)
    except RedisUrlError as error:
        raise SettingsError(f"SRM_REDIS_URL: {error}") from error
    return url


def _transport_keys(environment: Mapping[str, str]) -> tuple[str, ...]:
    text = _required(environment, "SRM_TRANSPORT_KEYS", "the Fernet keys the service publishes with")
    keys = tuple(key.strip() for key in text.split(",") if key.strip())
    try:
        MultiFernet([Fernet(key) for key in keys])
    except ValueError as error:
        raise SettingsError(
            "SRM_TRANSPORT_KEYS holds an invalid Fernet key (32 bytes in URL-safe base64): use the service's keys"
        ) from error
    return keys


def _role(environment: Mapping[str, str]) -> DriverRole:
    value = environment.get("SRM_DRIVER_ROLE", "")
    role = next((known for known in ROLES if known == value), None)
    if role is None:
        raise SettingsError(f"SRM_DRIVER_ROLE={value!r} is not a role: set it to 'control' or 'data'")
    return role


def hang_timeout_s(environment: Mapping[str, str]) -> int:
    """Return the longest silence of a driver process, 0 for any. Raises SettingsError."""
    value = environment.get("SRM_HANG_TIMEOUT_S", "").strip() or str(HANG_TIMEOUT_S)
    if not _WHOLE_NUMBER.fullmatch(value) or 0 < int(value) < SHORTEST_HANG_TIMEOUT_S:
        raise SettingsError(
            f"SRM_HANG_TIMEOUT_S={value!r}: set it to a whole number of seconds of at least "
            f"{SHORTEST_HANG_TIMEOUT_S}, or to 0 to watch nothing"
        )
    return int(value)


def _beat_fd(environment: Mapping[str, str]) -> int | None:
    """The supervisor's pipe: its supervisor sets it, no one else."""
    value = environment.get(BEAT_FD, "")
    return int(value) if _WHOLE_NUMBER.fullmatch(value) else None


def _periodic_capacity(environment: Mapping[str, str]) -> int:
    value = environment.get("SRM_PERIODIC_CAPACITY", "").strip() or str(PERIODIC_CAPACITY)
    if not _WHOLE_NUMBER.fullmatch(value) or not SMALLEST_CAPACITY <= int(value) <= MOST_PERIODIC_CAPACITY:
        raise SettingsError(
            f"SRM_PERIODIC_CAPACITY={value!r}: set it to the most planning, heartbeat and checkpoint runs at once, "
            f"from {SMALLEST_CAPACITY} to {MOST_PERIODIC_CAPACITY}"
        )
    return int(value)


def _on_coordinator_loss(environment: Mapping[str, str]) -> OnCoordinatorLoss:
    value = environment.get("SRM_ON_COORDINATOR_LOSS") or "continue"
    known: OnCoordinatorLoss | None = next((each for each in get_args(OnCoordinatorLoss) if each == value), None)
    if known is None:
        raise SettingsError(f"SRM_ON_COORDINATOR_LOSS={value!r}: set it to 'continue' or 'stop'")
    return known
