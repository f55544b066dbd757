"""The web side's one wall clock, in the unit of every wire format."""

import time


def now_ms() -> int:
    """Epoch milliseconds."""
    return time.time_ns() // 1_000_000
