"""Finds outdated offset runs: audits and lost positions need only those whose copies the remote topic still holds."""

from collections.abc import Iterator
from dataclasses import dataclass

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import RunSegment
from replication.domain.offsets.positions import NO_TOPIC_ID

MOST_OUTDATED = 20_000  # of one pass; the oldest first, the rest with the next


@dataclass(frozen=True, slots=True)
class CopiedPartition:
    """The topic that is copied now, the start of the remote partition's log, and how far segments are written.

    Segments that begin below `written_to` are never written again, so that their keys may be removed.
    """

    topic_id: bytes
    remote_log_start: int
    written_to: int


@dataclass(frozen=True, slots=True)
class _Outdated:
    upstream: TopicPartition
    topic_id: bytes
    is_gone: bool  # the remote records are deleted; else a newer topic has taken the name


class RunRetention:
    """Takes the segments of partitions in the order they were written, then says which may go.

    A segment goes when its copies are deleted, or when its topic is gone and another was copied after it. The newest
    segment of a partition always stays, and one of each former topic while the remote topic holds copies of it: an
    audit sees by that that there was one.
    """

    def __init__(self, copied: dict[TopicPartition, CopiedPartition], most: int = MOST_OUTDATED) -> None:
        self._copied = copied
        self._most = most
        self._outdated: dict[bytes, _Outdated] = {}  # by key
        self._newest: dict[TopicPartition, tuple[bytes, bytes]] = {}  # key and topic id
        self._newest_of: dict[tuple[TopicPartition, bytes], bytes] = {}  # key, by topic id too

    def add(self, key: bytes, segment: RunSegment | None) -> None:
        """The next segment, None where the key was removed."""
        if segment is None:
            self._outdated.pop(key, None)
            return
        upstream = TopicPartition(segment.topic, segment.partition)
        copied = self._copied.get(upstream)
        if copied is None:
            return
        self._newest[upstream] = key, segment.topic_id
        self._newest_of[upstream, segment.topic_id] = key
        if segment.first_upstream >= copied.written_to:
            self._outdated.pop(key, None)
            return
        is_gone = max(run.downstream_end for run in segment.runs) < copied.remote_log_start
        is_former = segment.topic_id != copied.topic_id and NO_TOPIC_ID not in (segment.topic_id, copied.topic_id)
        if not is_gone and not is_former:
            self._outdated.pop(key, None)  # an older segment began at the same offset
        elif key in self._outdated or len(self._outdated) < self._most:
            self._outdated[key] = _Outdated(upstream, segment.topic_id, is_gone)

    @property
    def is_full(self) -> bool:
        """There may be more."""
        return len(self._outdated) >= self._most

    def outdated(self) -> Iterator[tuple[TopicPartition, bytes]]:
        """Partition and key of each segment that may go, oldest first."""
        for key, each in self._outdated.items():
            newest_key, newest_id = self._newest[each.upstream]
            is_superseded = newest_id == self._copied[each.upstream].topic_id
            is_witness = key == self._newest_of[each.upstream, each.topic_id]
            if key != newest_key and (each.is_gone or (is_superseded and not is_witness)):
                yield each.upstream, key
