"""The most that a flow's fetches may take; the engine sizes them below that automatically."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.settings.registry.clients import FETCH_MAX_BYTES, FETCH_MAX_WAIT, MAX_PARTITION_FETCH_BYTES

LEAST_BYTES = 1024  # below that a fetch brings less than it costs; the first batch comes whole in any case


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """None where there is no limit."""

    max_bytes: int | None = None
    partition_max_bytes: int | None = None
    max_wait_ms: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "FetchLimits":
        """Return the limits in a flow's settings. Raises SettingError."""
        return cls(
            max_bytes=FETCH_MAX_BYTES.read(settings),
            partition_max_bytes=MAX_PARTITION_FETCH_BYTES.read(settings),
            max_wait_ms=FETCH_MAX_WAIT.read(settings),
        )

    def bytes_of(self, wished: int) -> int:
        return wished if self.max_bytes is None else max(LEAST_BYTES, min(wished, self.max_bytes))

    def partition_bytes_of(self, wished: int) -> int:
        return wished if self.partition_max_bytes is None else max(LEAST_BYTES, min(wished, self.partition_max_bytes))

    def wait_ms_of(self, wished: int) -> int:
        return wished if self.max_wait_ms is None else min(wished, self.max_wait_ms)
