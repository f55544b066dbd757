"""From fetched bytes to queue entries: one decision per batch, passed on as it is or rebuilt.

Queued batches carry no producer yet: `ProducerStamp` gives it to them when they go out.
"""

from collections.abc import Container
from typing import NamedTuple

from replication.codecs.record_batch import CorruptBatchError, batches, is_abort_marker
from replication.domain.batch import (
    CONTROL_BIT,
    AbortedTransactions,
    BatchAction,
    TargetRules,
    decide,
    is_whole_and_small,
)
from replication.domain.compression import codec_id
from replication.domain.identifiers import TopicPartition
from replication.domain.rebatching import Rebatching
from replication.ports.record_path import SourceBatch
from replication.ports.source_reader import FetchedPartition, Frame
from replication.tasks.batch_stretch import BatchStretch, OnRefused, RecordRefusedError
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

__all__ = ["BatchIntake", "CorruptBatchError", "RecordRefusedError"]


class BatchIntake:
    """Feeds the queues of one slot."""

    def __init__(
        self, context: SlotContext, *, looped: Container[int] = (), on_refused: OnRefused | None = None
    ) -> None:
        """`looped` are the producers whose batches came from the target. `on_refused` is told of the records that a
        transform cannot handle and that are left out; without it such a record stops its partition."""
        self._context = context
        self._path = context.ports.record_path
        codec = context.spec.records.compression
        self._codec = None if codec is None else codec_id(codec)
        self._looped = looped
        self._on_refused = on_refused
        self.batches_taken = 0  # since somebody set it back
        self._rebatching: dict[TopicPartition, Rebatching] = {}

    def take(self, copy: PartitionCopy, fetched: FetchedPartition, frame: Frame | None, now_ms: int) -> None:
        """Queue every whole batch. Raises CorruptBatchError or RecordRefusedError; what stands before is queued."""
        view = fetched.records
        if view is None or not len(view):
            return
        answer = _scan(view)
        self.batches_taken += answer.data_batches
        stretch = BatchStretch(
            self._path, self._rules(copy), copy, view, frame=frame, now_ms=now_ms, on_refused=self._on_refused
        )
        broken = answer.broken
        try:
            self._decide_each(copy, view, fetched.aborted, answer, stretch)
        except CorruptBatchError as error:
            broken = error
        stretch.flush()
        if broken is not None:
            raise broken

    def _decide_each(
        self,
        copy: PartitionCopy,
        view: memoryview,
        aborted_list: tuple[tuple[int, int], ...],
        answer: "_Answer",
        stretch: BatchStretch,
    ) -> None:
        aborted = AbortedTransactions(aborted_list) if aborted_list else None
        rules, merging, looped = stretch.rules, self._merges(copy, answer), self._looped
        likeness: tuple[int, int] | None = None  # of a small batch, when what is like it is merged as well
        for place in answer.found:
            at, header = place
            if (header.attributes, header.producer_id) == likeness and is_whole_and_small(header, rules):
                stretch.add_small(place)
                continue
            action = decide(
                header,
                position=copy.fetch_offset,
                aborted=aborted is not None and aborted.covers(header),
                target=rules,
                looped=header.producer_id in looped,
                merging=merging,
            )
            is_small = action is BatchAction.REBUILD_SMALL and aborted is None
            likeness = (header.attributes, header.producer_id) if is_small else None
            if not action.drops:
                stretch.add(at, header, action)
                continue
            if action is BatchAction.DROP_LOOPED:
                copy.looped_total += header.records
            elif aborted is not None and header.is_control and is_abort_marker(view, at, header):
                aborted.abort_marker(header.producer_id)
            stretch.skip(header)

    def _rules(self, copy: PartitionCopy) -> TargetRules:
        planned = copy.planned
        return TargetRules(
            max_message_bytes=planned.max_message_bytes,
            timestamp_type=planned.timestamp_type,
            codec=self._codec,
            every_record=self._path.looks_at(copy.upstream.topic),
        )

    def _merges(self, copy: PartitionCopy, answer: "_Answer") -> bool:
        state = self._rebatching.get(copy.upstream)
        if state is None:
            state = self._rebatching[copy.upstream] = Rebatching(self._context.spec.records.rebatching)
        copy.merging = state.observe(
            batches=answer.data_batches,
            records=answer.records,
            size_bytes=answer.size_bytes,
            waiting=len(copy.queue),
            round_trip_ms=self._context.round_trip_ms,
        )
        return copy.merging


class _Answer(NamedTuple):
    """The batches of one answer, up to the first that makes no sense."""

    found: list[SourceBatch]
    data_batches: int
    records: int
    size_bytes: int
    broken: CorruptBatchError | None


def _scan(view: memoryview) -> _Answer:
    found: list[SourceBatch] = []
    data_batches = records = size_bytes = 0
    broken = None
    try:
        for place in batches(view):
            found.append(place)
            header = place[1]
            if header.records > 0 and not header.attributes & CONTROL_BIT:
                data_batches += 1
                records += header.records
                size_bytes += header.length
    except CorruptBatchError as error:
        broken = error
    return _Answer(found, data_batches, records, size_bytes, broken)
