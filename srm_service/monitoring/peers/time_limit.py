"""The time that one request may spend waiting for other services."""

import time

from django.conf import settings

_SHARE = 1.75  # of the limit for one service: a first choice that is silent, then another one, then its metrics
_LEAST_S = 0.1


class TimeLimit:
    """Begins when it is made."""

    def __init__(self) -> None:
        self._end_s = time.monotonic() + settings.SRM_REMOTE.timeout_ms / 1000 * _SHARE

    def left_s(self) -> float:
        """Return the seconds left, and a moment when there are none."""
        return max(_LEAST_S, self._end_s - time.monotonic())
