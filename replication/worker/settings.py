"""What a driver process is told by its environment; the only place of the driver that reads it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.fernet import Fernet, MultiFernet

from replication.domain.assignment import ROLES, Role
from replication.domain.lease import OnCoordinatorLoss

ALL_TARGETS = "*"
_REDIS_URL_EXAMPLE = "redis://:password@host:port/0"
_DRIVER_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class SettingsError(ValueError):
    """The environment cannot be used; the text names the variable and the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """`targets` is empty when the process serves every target cluster it finds."""

    driver: str
    role: Role
    targets: frozenset[str]
    redis_url: str
    home: Path
    transport_keys: tuple[str, ...]
    on_coordinator_loss: OnCoordinatorLoss = "continue"
    log_level: str = "INFO"

    @property
    def queue(self) -> str:
        return f"srm.driver.{self.driver}.{self.role}"

    def serves(self, target: str) -> bool:
        return not self.targets or target in self.targets

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "WorkerSettings":
        """SettingsError for the first variable that is missing or wrong."""
        driver = _required(environment, "SRM_DRIVER_ID", "a name that stays the same across restarts")
        if not _DRIVER_ID.fullmatch(driver):
            raise SettingsError(f"SRM_DRIVER_ID={driver!r} is no id: use up to 64 letters, digits, '.', '_' or '-'")
        targets = {name.strip() for name in environment.get("SRM_DRIVER_TARGETS", ALL_TARGETS).split(",")}
        return cls(
            driver=driver,
            role=_role(environment),
            targets=frozenset() if ALL_TARGETS in targets else frozenset(targets - {""}),
            redis_url=_redis_url(environment),
            home=Path(environment.get("SRM_HOME") or ".srm").absolute(),
            transport_keys=_transport_keys(environment),
            on_coordinator_loss=_on_coordinator_loss(environment),
            log_level=environment.get("SRM_LOG_LEVEL") or "INFO",
        )


def _required(environment: Mapping[str, str], name: str, meaning: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise SettingsError(f"{name} is not set: give {meaning}")
    return value


def _redis_url(environment: Mapping[str, str]) -> str:
    url = _required(environment, "SRM_REDIS_URL", _REDIS_URL_EXAMPLE)
    if not url.startswith(("redis://", "rediss://", "unix://")):
        raise SettingsError(f"SRM_REDIS_URL is no address of a Redis: give {_REDIS_URL_EXAMPLE}")
    return url


def _transport_keys(environment: Mapping[str, str]) -> tuple[str, ...]:
    text = _required(environment, "SRM_TRANSPORT_KEYS", "the Fernet keys the service publishes with")
    keys = tuple(key.strip() for key in text.split(",") if key.strip())
    try:
        MultiFernet([Fernet(key) for key in keys])
    except ValueError as error:
        raise SettingsError(
            "SRM_TRANSPORT_KEYS holds no Fernet keys (32 bytes in URL-safe base64): give those of the service"
        ) from error
    return keys


def _role(environment: Mapping[str, str]) -> Role:
    value = environment.get("SRM_DRIVER_ROLE", "")
    role = next((known for known in ROLES if known == value), None)
    if role is None:
        raise SettingsError(f"SRM_DRIVER_ROLE={value!r} is no role: set it to 'control' or 'data'")
    return role


def _on_coordinator_loss(environment: Mapping[str, str]) -> OnCoordinatorLoss:
    match environment.get("SRM_ON_COORDINATOR_LOSS") or "continue":
        case "continue":
            return "continue"
        case "stop":
            return "stop"
        case other:
            raise SettingsError(f"SRM_ON_COORDINATOR_LOSS={other!r}: set it to 'continue' or 'stop'")
