"""Takes a flow over from MirrorMaker 2: decides from the records on both clusters where each partition continues.

MirrorMaker writes its positions every `offset.flush.interval.ms`. After a clean stop they are exact; after a crash the
target holds more than they say, and a start from them copies that range twice. The newest offset sync and the
last record of the remote partition show how far copying really was.
"""

from dataclasses import dataclass
from typing import Literal

from replication.domain.identifiers import TopicPartition

Standing = Literal["stored", "refined", "not_started", "expired", "beyond_end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionEvidence:
    """One source partition as found. Offsets are next offsets unless they say otherwise; None: there is none."""

    upstream: TopicPartition
    stored: int | None  # the position MirrorMaker wrote
    log_start: int
    log_end: int
    last_remote: int | None  # offset of the remote partition's last record
    sync: tuple[int, int] | None  # newest offset sync: upstream and downstream offset of one record


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptedPartition:
    """The offset at which the flow continues, and the consequences."""

    upstream: TopicPartition
    next_offset: int | None  # None: the flow's start setting decides
    standing: Standing
    lag: int
    repeated: int  # records that will be on the target twice, at most
    lost: int  # source offsets that are gone already

    @property
    def differs_from_stored(self) -> bool:
        return self.standing == "refined"


def candidate(evidence: PartitionEvidence) -> int | None:
    """The source offset of the last record on the target, as the newest sync suggests; to be proved by comparing both.

    None where nothing newer than the stored position is suggested.
    """
    if evidence.stored is None or evidence.sync is None or evidence.last_remote is None:
        return None
    upstream, downstream = evidence.sync
    if evidence.last_remote < downstream:
        return None
    last_copied = upstream + evidence.last_remote - downstream
    in_reach = evidence.stored <= last_copied < evidence.log_end and last_copied >= evidence.log_start
    return last_copied if in_reach else None


def adopt(evidence: PartitionEvidence, *, proved_last: int | None) -> AdoptedPartition:
    """`proved_last` is the candidate when the record there and the remote partition's last one are the same."""
    stored = evidence.stored
    if stored is None:
        return _adopted(evidence, None, "not_started")
    if stored > evidence.log_end:
        return _adopted(evidence, stored, "beyond_end")
    if proved_last is not None and proved_last + 1 > stored:
        return _adopted(evidence, proved_last + 1, "refined")
    if stored < evidence.log_start:
        return _adopted(evidence, stored, "expired")
    suspected = candidate(evidence)
    repeated = 0 if suspected is None or proved_last is not None else suspected + 1 - stored
    return _adopted(evidence, stored, "stored", repeated)


def _adopted(
    evidence: PartitionEvidence, next_offset: int | None, standing: Standing, repeated: int = 0
) -> AdoptedPartition:
    reached = evidence.log_start if next_offset is None else next_offset
    return AdoptedPartition(
        upstream=evidence.upstream,
        next_offset=next_offset,
        standing=standing,
        lag=max(0, evidence.log_end - max(reached, evidence.log_start)),
        repeated=repeated,
        lost=max(0, evidence.log_start - reached) if standing == "expired" else 0,
    )
