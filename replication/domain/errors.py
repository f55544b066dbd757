"""Errors split by what the caller may do about them, not by where they came from.

retry later -> `RetriableError`; ask a person to change something -> `ConfigurationError` or `BlockedError`;
give the work up because another owner has it -> `FencedError`; stop this task -> `FatalError`.
"""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from replication.domain.sentences import sentence


class ReplicationError(Exception):
    """Base of all. `code` is stable and machine readable, the text is one line for an operator."""

    code: ClassVar[str] = "error"

    def __init__(
        self, text: str, *, cluster: str | None = None, topic: str | None = None, partition: int | None = None
    ) -> None:
        super().__init__(text)
        self.text = text
        self.cluster = cluster
        self.topic = topic
        self.partition = partition


class RetriableError(ReplicationError):
    """The same call may succeed later; nothing needs to be changed by a person."""

    code = "retriable"


class ClusterUnreachableError(RetriableError):
    """No broker of the cluster answered in time."""

    code = "cluster_unreachable"


class RequestTimedOutError(RetriableError):
    """The cluster is known to be there but did not finish this request in time."""

    code = "request_timed_out"


class TransactionAbortedError(RetriableError):
    """The coordinator would not commit the slot's transaction, so it was aborted: nothing of it counts, do it again."""

    code = "transaction_aborted"


class TopicMissingError(RetriableError):
    """The topic does not exist (yet, or not any more)."""

    code = "topic_missing"


class ConfigurationError(ReplicationError):
    """Retrying is pointless until a person changes a setting."""

    code = "configuration"


class AuthenticationError(ConfigurationError):
    """The cluster rejected our credentials, or the TLS handshake failed."""

    code = "authentication_failed"


class AuthorizationError(ConfigurationError):
    """The credentials are good but lack a permission."""

    code = "authorization_failed"


class InvalidPatternError(ConfigurationError):
    """An allow or deny pattern is not a regular expression we can honour."""

    code = "invalid_pattern"


class InvalidPolicyError(ConfigurationError):
    """The replication policy cannot name remote topics."""

    code = "invalid_policy"


class BlockedError(ReplicationError):
    """A precaution of ours holds the work back; it continues automatically once the stated reason is gone."""

    code = "blocked"


class OriginalDriverActiveError(BlockedError):
    """A MirrorMaker or original replication manager driver copies the same flow right now."""

    code = "original_driver_active"


class PreflightError(BlockedError):
    """Something found before the first record would lose or repeat data, or let it go in circles."""

    code = "preflight"


class FencedError(ReplicationError):
    """Another owner has taken the work over: stop, do not retry."""

    code = "fenced"


class FatalError(ReplicationError):
    """This task cannot continue; only a restart of the task helps."""

    code = "fatal"


class MalformedRecordError(ReplicationError):
    """Bytes that do not follow the record format; skip the record and count it."""

    code = "malformed_record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why something does not work. `text` is a clause, which other texts may contain."""

    code: str
    text: str
    topic: str | None
    partition: int | None
    since_ms: int

    @classmethod
    def of(cls, error: BaseException, since_ms: int) -> "Cause":
        """Describe any error; those that are not ours become `internal_error` with their type's name."""
        if isinstance(error, ReplicationError):
            return cls(
                code=error.code, text=error.text, topic=error.topic, partition=error.partition, since_ms=since_ms
            )
        text = f"internal error, the log of the driver has its place: {type(error).__name__}: {error}"
        return cls(code="internal_error", text=text, topic=None, partition=None, since_ms=since_ms)

    @property
    def sentence(self) -> str:
        """The text for people."""
        return sentence(self.text, self.topic)

    def as_reported(self) -> dict[str, Any]:
        """Return the `cause` of a live state (docs/contracts/live-state.md)."""
        return {**asdict(self), "text": self.sentence}
