"""Records the target does not take."""

from dataclasses import dataclass

from replication.domain.error_handling import ErrorsPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRecord:
    """A record that the target refused, or a batch that could not be taken apart; `offset` is the first upstream."""

    topic: str
    partition: int
    offset: int
    records: int
    error: str
    policy: ErrorsPolicy
    at_ms: int
