"""How long a transaction of an exactly-once flow takes records before it is committed."""

from collections.abc import Mapping

OURS = "srm.transaction.interval.ms"
CONNECTS = "transaction.boundary.interval.ms"
TRANSACTION_INTERVALS = (OURS, CONNECTS)
DEFAULT_MS = 200
SHORTEST_MS, LONGEST_MS = 10, 10_000  # longer would near the transaction's time-out of 60 s


def transaction_interval_ms(settings: Mapping[str, str]) -> int:
    """Ours before Kafka Connect's. ValueError names the setting and what it takes."""
    for name in TRANSACTION_INTERVALS:
        text = settings.get(name)
        if text is None:
            continue
        if not text.strip().isdecimal() or not SHORTEST_MS <= int(text) <= LONGEST_MS:
            raise ValueError(
                f"{name}={text!r} is not a number of ms from {SHORTEST_MS} to {LONGEST_MS}: "
                "correct it in the flow's settings"
            )
        return int(text)
    return DEFAULT_MS
