"""Records that the target rejects."""

from dataclasses import dataclass

from replication.domain.settings.choices import ErrorsPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedRecord:
    """A record that the target rejected, or a batch that could not be split; `offset` is the first upstream."""

    topic: str
    partition: int
    offset: int
    records: int
    error: str
    policy: ErrorsPolicy
    at_ms: int
