"""The rules of a flow for its drivers: the labels they need, and how long tasks wait for one that left."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.settings.registry.drivers import CONNECT_REBALANCE_DELAY, DRIVER_LABELS, REBALANCE_DELAY
from replication.domain.settings.setting_error import SettingError

DEFAULT_DELAY_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRules:
    """`labels` are those that the drivers of source slots need.

    Tasks wait `announced_ms` for a driver that said that it returns, and `departed_ms` for any other one.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    announced_ms: int = DEFAULT_DELAY_MS
    departed_ms: int = 0

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "FlowRules":
        """Read the rules from a flow's settings; invalid values, which others report, take their defaults."""
        try:
            announced, departed = REBALANCE_DELAY.read(settings), CONNECT_REBALANCE_DELAY.read(settings)
            labels = DRIVER_LABELS.read(settings)
        except SettingError:
            return cls()
        if announced is None:
            announced = DEFAULT_DELAY_MS if departed is None else departed
        return cls(labels=dict(labels), announced_ms=announced, departed_ms=departed or 0)
