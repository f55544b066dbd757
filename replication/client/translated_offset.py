"""Checkpoints and offsets of consumer groups of other clusters, as a client of a target cluster sees them."""

from dataclasses import dataclass

from replication.domain.groups.translation import TranslationKind, TranslationReason
from replication.domain.identifiers import TopicPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCheckpoint:
    """The newest checkpoint of a group and remote partition."""

    group: str
    remote: TopicPartition
    upstream_offset: int
    downstream_offset: int
    metadata: str
    written_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedOffset:
    """The offset at which a group continues in a remote partition.

    `kind` and `reason` are those of the translation; None where a checkpoint alone says the offset. At most `rereads`
    records come again, None where that is unknown. `offset` is None where `kind` is `impossible`.
    """

    offset: int | None
    metadata: str = ""
    kind: TranslationKind | None = None
    reason: TranslationReason | None = None
    rereads: int | None = None
