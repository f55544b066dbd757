"""Waiting with a deadline instead of sleeping for luck."""

import time
from collections.abc import Callable

_EVERY_S = 0.1


def eventually(holds: Callable[[], object], limit_s: float, what: str) -> None:
    """Return as soon as `holds` is true; AssertionError after the limit, with the last answer."""
    deadline_s = time.monotonic() + limit_s
    answer = holds()
    while not answer:
        assert time.monotonic() < deadline_s, f"not within {limit_s:.0f} s: {what} (last answer: {answer!r})"
        time.sleep(_EVERY_S)
        answer = holds()
