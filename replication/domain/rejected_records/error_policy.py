"""The policy for a record that the target rejects, in our terms and in Kafka Connect's.

`errors.tolerance=all` skips, a dead letter topic keeps, `none` stops the partition. Time limits bound errors that may
pass without a change; without a limit such errors are retried until they pass, as Kafka's own producer does.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.names.internal_topics import DEAD_LETTERS
from replication.domain.settings.choices import ErrorsPolicy
from replication.domain.settings.registry.errors import (
    DEAD_LETTERS_TOPIC,
    ERRORS_POLICY,
    ERRORS_TOLERANCE,
    RETRY_DELAY_MAX,
    RETRY_TIMEOUT,
    UNMASKED_LETTERS,
)

SHORTEST_DELAY_MS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorHandling:
    """One flow's rules for records that its target rejects."""

    policy: ErrorsPolicy = "stop_partition"
    dead_letter_topic: str = ""  # in the target
    retry_timeout_ms: int | None = None  # for errors that may be temporary; None: no limit
    retry_delay_max_ms: int = RETRY_DELAY_MAX.default
    unmasked_letters: bool = UNMASKED_LETTERS.default  # letters hold records as they were before transforms


def read_error_handling(settings: Mapping[str, str], source: str) -> ErrorHandling:
    """Return the rules in a flow's settings. Raises SettingError."""
    timeout_ms = RETRY_TIMEOUT.read(settings)
    return ErrorHandling(
        policy=read_errors_policy(settings),
        dead_letter_topic=DEAD_LETTERS_TOPIC.read(settings) or DEAD_LETTERS.name(source),
        retry_timeout_ms=timeout_ms if timeout_ms > 0 else None,
        retry_delay_max_ms=max(SHORTEST_DELAY_MS, RETRY_DELAY_MAX.read(settings)),
        unmasked_letters=UNMASKED_LETTERS.read(settings),
    )


def read_errors_policy(settings: Mapping[str, str]) -> ErrorsPolicy:
    """Return our policy, or the one that Kafka Connect's settings amount to. Raises SettingError."""
    own, tolerance = ERRORS_POLICY.read(settings), ERRORS_TOLERANCE.read(settings)
    if own is not None:
        return own
    if DEAD_LETTERS_TOPIC.read(settings) is not None:
        return "dead_letter"
    return "skip" if tolerance == "all" else "stop_partition"
