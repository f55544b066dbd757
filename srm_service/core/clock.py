"""The wall clock of the service, in epoch milliseconds."""

import time
from datetime import datetime


def now_ms() -> int:
    """Epoch milliseconds."""
    return time.time_ns() // 1_000_000


def epoch_ms(moment: datetime) -> int:
    """Epoch milliseconds of an aware time."""
    return int(moment.timestamp() * 1000)
