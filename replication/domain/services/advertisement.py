"""The advertisement of a service (docs/contracts/service-advertisement.md), and its state by age."""

from dataclasses import dataclass
from typing import Literal

ServiceProtocol = Literal["http", "https"]
AdvertisementState = Literal["live", "stale", "gone"]

STALE_INTERVALS = 3
GONE_INTERVALS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Advertisement:
    """The address of a service and the target clusters whose flows it reports.

    `interval_ms` is the time between two advertisements. `started_ms` and `sent_ms` are times of the service's clock.
    """

    id: str
    protocol: ServiceProtocol
    host: str
    port: int
    root_path: str = ""
    targets: tuple[str, ...]
    version: str
    started_ms: int
    sent_ms: int
    interval_ms: int

    @property
    def address(self) -> str:
        """The URL below which the service answers, without a final slash."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.protocol}://{host}:{self.port}{self.root_path.rstrip('/')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenAdvertisement:
    """An advertisement with the time at which the target cluster stored it."""

    advertisement: Advertisement
    stored_ms: int

    @property
    def clock_difference_ms(self) -> int:
        """The lead of the service's clock over the cluster's, in ms; negative if it is behind."""
        return self.advertisement.sent_ms - self.stored_ms

    def age_ms(self, now_ms: int) -> int:
        """Return the time since the cluster stored it, in ms; a clock that is behind the cluster's makes it 0."""
        return max(0, now_ms - self.stored_ms)

    def state(self, now_ms: int) -> AdvertisementState:
        """Return `stale` after 3 intervals of the service and `gone` after 20."""
        age_ms = self.age_ms(now_ms)
        if age_ms > GONE_INTERVALS * self.advertisement.interval_ms:
            return "gone"
        return "stale" if age_ms > STALE_INTERVALS * self.advertisement.interval_ms else "live"
