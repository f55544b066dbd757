"""The pauses before batches are sent again."""

FIRST_BACKOFF_S = 0.1
LONGEST_BACKOFF_S = 5.0
FIRST_EXCLUSION_S = 5.0
LONGEST_EXCLUSION_S = 60.0
DENIED_S = 3.0  # before a partition without the right to join a transaction asks again
_MOST_DOUBLINGS = 6


def resend_backoff_s(attempts: int, longest_ms: int) -> float:
    """Return the pause after so many failed attempts, at most `longest_ms`, the flow's `errors.retry.delay.max.ms`."""
    longest_s = min(LONGEST_BACKOFF_S, longest_ms / 1000)
    return min(longest_s, FIRST_BACKOFF_S * 2.0 ** min(attempts - 1, _MOST_DOUBLINGS))


def exclusion_s(exclusions: int) -> float:
    """Return the time for which a partition is excluded from transactions, after so many exclusions in a row."""
    return min(LONGEST_EXCLUSION_S, FIRST_EXCLUSION_S * 2.0**exclusions)
