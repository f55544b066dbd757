"""The flow's rules for every record on the record path: loops, transforms, our headers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from replication.domain.batches.record import Record
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.transforms.catalogue import NamedTransform
from replication.domain.transforms.contract import TransformError

SOURCE_OFFSET_HEADER = "srm.source.offset"  # 8 bytes, big-endian: the record's offset in the flow's source
PROVENANCE_HEADER = "srm.provenance"  # the aliases of the clusters the record came through, oldest first
CHAIN_SEPARATOR = ","


class SkipReason(Enum):
    """Why a record is not copied."""

    FILTERED = "a transform dropped it"
    LOOPED = "it was on the target before"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRules:
    """In this order: a record that was on the target is skipped, transforms run, headers are added."""

    flow: FlowId
    transforms: Sequence[NamedTransform] = ()
    provenance: bool = False
    source_offset: bool = False

    def __bool__(self) -> bool:
        """True when there is any rule to apply."""
        return bool(self.transforms) or self.provenance or self.source_offset

    def applies_to(self, topic: str) -> bool:
        """Return True when records of this upstream topic have to be decoded."""
        if self.provenance or self.source_offset:
            return True
        return any(transform.is_meant_for(topic) for transform in self.transforms)

    def apply(self, upstream: TopicPartition, record: Record) -> Record | SkipReason:
        """Raises TransformError."""
        chain: list[str] = []
        if self.provenance:
            chain = provenance(record)
            if self.flow.target in chain:
                return SkipReason.LOOPED
        made = record
        for transform in self.transforms:
            if transform.is_meant_for(upstream.topic):
                kept = transform.apply(upstream, made)
                if kept is None:
                    return SkipReason.FILTERED
                made = kept
        return self._with_headers(made, chain)

    def _with_headers(self, record: Record, chain: list[str]) -> Record:
        if not (self.provenance or self.source_offset):
            return record
        ours = {SOURCE_OFFSET_HEADER} if self.source_offset else set()
        if self.provenance:
            ours.add(PROVENANCE_HEADER)
        headers = [header for header in record.headers if header[0] not in ours]
        if self.source_offset:
            headers.append((SOURCE_OFFSET_HEADER, record.offset.to_bytes(8, "big")))
        if self.provenance:
            headers.append((PROVENANCE_HEADER, CHAIN_SEPARATOR.join([*chain, self.flow.source]).encode()))
        return record._replace(headers=headers)


def provenance(record: Record) -> list[str]:
    """The aliases a record came through."""
    for name, value in record.headers:
        if name == PROVENANCE_HEADER and value:
            return value.decode(errors="replace").split(CHAIN_SEPARATOR)
    return []


__all__ = ["PROVENANCE_HEADER", "SOURCE_OFFSET_HEADER", "RecordRules", "SkipReason", "TransformError", "provenance"]
