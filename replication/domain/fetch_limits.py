"""What somebody allows a flow's fetches to take at most; the engine sizes them below that by itself."""

from collections.abc import Mapping
from dataclasses import dataclass

_KEYS = {
    "max_bytes": "consumer.fetch.max.bytes",
    "partition_max_bytes": "consumer.max.partition.fetch.bytes",
    "max_wait_ms": "consumer.fetch.max.wait.ms",
}
LEAST_BYTES = 1024  # below that a fetch brings less than it costs; the first batch comes whole in any case


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """None where nobody said anything."""

    max_bytes: int | None = None
    partition_max_bytes: int | None = None
    max_wait_ms: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "FetchLimits":
        """From a flow's consumer settings under Java's names. ValueError names the key."""
        return cls(**{field: _number(settings, key) for field, key in _KEYS.items()})

    def bytes_of(self, wished: int) -> int:
        return wished if self.max_bytes is None else max(LEAST_BYTES, min(wished, self.max_bytes))

    def partition_bytes_of(self, wished: int) -> int:
        return wished if self.partition_max_bytes is None else max(LEAST_BYTES, min(wished, self.partition_max_bytes))

    def wait_ms_of(self, wished: int) -> int:
        return wished if self.max_wait_ms is None else min(wished, self.max_wait_ms)


def _number(settings: Mapping[str, str], key: str) -> int | None:
    text = settings.get(key, "").strip()
    if not text:
        return None
    if not text.isdigit():
        raise ValueError(f"{key}={text!r} is not a whole number: correct it in the flow's settings")
    return int(text)
