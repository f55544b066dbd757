"""One setting: its key, the type of its values, its default, whose it is, and where it has an effect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from replication.domain.settings.setting_error import SettingError
from replication.domain.settings.value_types import ValueType, shown

SettingRole = Literal["flow", "source", "consumer", "producer", "checkpoint", "heartbeat", "worker", "manager"]
Effect = Literal[
    "flow",
    "planning",
    "drivers",
    "engine",
    "topic creation",
    "consumer groups",
    "heartbeats",
    "audits",
    "metrics",
    "none",
]
Change = Literal["live", "restart"]
ValueT = TypeVar("ValueT", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Generic[ValueT]):
    """`role` says whose setting it is: the flow's own, a connector's, a Kafka client's or the Connect worker's.

    `change` says whether running slots take a new value or restart; `slot_field` names the field of `SlotSpec` that
    holds the value, a nested one as `records.linger_ms`. A setting whose effect is "none" says `why`; every other one
    has a `doc`.
    """

    key: str
    values: ValueType[ValueT]
    default: ValueT
    role: SettingRole
    effect: Effect
    change: Change = "live"
    slot_field: str | None = None
    doc: str = ""
    why: str = ""

    def read(self, settings: Mapping[str, str]) -> ValueT:
        """Return the value in these settings, or the default. Raises SettingError."""
        text = settings.get(self.key)
        return self.default if text is None else self.parse(text)

    def parse(self, text: str) -> ValueT:
        """Return the value of this text. Raises SettingError."""
        try:
            return self.values.parse(text.strip())
        except ValueError as error:
            detail = str(error) if self.values.has_parts else ""
            raise SettingError(self.key, text.strip(), self.values.allowed, detail) from error

    def parse_or_default(self, text: str | None) -> ValueT:
        """Return the value of this text; the default without one, and for an invalid one, which others report."""
        try:
            return self.default if text is None else self.parse(text)
        except SettingError:
            return self.default

    @property
    def default_text(self) -> str:
        """The default as a file would spell it; empty where there is none."""
        return self.values.none if self.default is None else shown(self.default)

    def __str__(self) -> str:
        return self.key
