"""The contract of a transform: one decision about one record of one flow.

A transform never sees or changes topic and partition of the copy: names belong to the replication policy, and a record
in another partition would have no position. Implementations must be free of side effects, because a batch that comes
back from the target may be built a second time.
"""

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from replication.domain.batches.record import Record
from replication.domain.errors import ConfigurationError, ReplicationError
from replication.domain.identifiers import TopicPartition


class TransformError(ReplicationError):
    """This record cannot be transformed; the flow's errors policy says what becomes of it."""

    code = "transform_failed"


class TransformSettingsError(ConfigurationError, ValueError):
    """The transforms of a flow cannot be made from its settings; a ValueError like that of any other setting."""

    code = "invalid_transform"


class Transform(Protocol):
    """Made once per slot from its options; called for every record, by one thread at a time, so it must be quick."""

    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        """The record to copy, or None to leave it out. Raises TransformError when the record cannot be handled.

        The offset must stay as it is.
        """
        ...


@runtime_checkable
class OpensContent(Protocol):
    """A transform that says what it opens; of any other one, key and value count."""

    def opened(self, record: Record) -> Iterable[bytes | None]:
        """Return the parts of the record that `apply` reads."""
        ...


class TransformFactory(Protocol):
    """Makes a transform of one type; what the entry point group `srm.transforms` names."""

    def __call__(self, options: dict[str, str]) -> Transform:
        """Raises ValueError for an option that is missing, unknown or invalid; its text is shown to the operator."""
        ...
