"""From fetched bytes to queue entries: one decision per batch, passed on as it is or rebuilt.

Queued batches carry no producer yet: `ProducerStamp` gives it to them when they go out.
"""

from collections.abc import Container, Iterable

from replication.codecs.batch_rows import Answer, scan, singly
from replication.codecs.record_batch import CorruptBatchError, is_abort_marker
from replication.domain.batch import AbortedTransactions, BatchAction, BatchRow, TargetRules, alike_bytes, decide
from replication.domain.compression import codec_id
from replication.domain.identifiers import TopicPartition
from replication.domain.rebatching import Rebatching
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
        rules = self._rules(copy)
        answer = scan(view, alike_bytes=alike_bytes(rules) if copy.merging and not fetched.aborted else 0)
        self.batches_taken += answer.data_batches
        if not self._merges(copy, answer) and len(answer.rows) < answer.data_batches:
            answer = scan(view)
        stretch = BatchStretch(self._path, rules, copy, view, frame=frame, now_ms=now_ms, on_refused=self._on_refused)
        broken = answer.broken
        try:
            self._decide_each(copy, view, fetched.aborted, answer.rows, stretch)
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
        rows: Iterable[BatchRow],
        stretch: BatchStretch,
    ) -> None:
        aborted = AbortedTransactions(aborted_list) if aborted_list else None
        for row in rows:
            if row.batches > 1 and row.first.base_offset < copy.fetch_offset:
                self._decide_each(copy, view, aborted_list, singly(view, row), stretch)
                continue
            header = row.first
            action = decide(
                header,
                position=copy.fetch_offset,
                aborted=aborted is not None and aborted.covers(header),
                target=stretch.rules,
                looped=header.producer_id in self._looped,
                merging=copy.merging,
            )
            if action is BatchAction.PASS or not action.drops:
                stretch.add(row, action)
                continue
            if action is BatchAction.DROP_LOOPED:
                copy.looped_total += row.records
            elif aborted is not None and header.is_control and is_abort_marker(view, row.at, header):
                aborted.abort_marker(header.producer_id)
            stretch.skip(row)

    def _rules(self, copy: PartitionCopy) -> TargetRules:
        planned = copy.planned
        return TargetRules(
            max_message_bytes=planned.max_message_bytes,
            timestamp_type=planned.timestamp_type,
            codec=self._codec,
            every_record=self._path.looks_at(copy.upstream.topic),
        )

    def _merges(self, copy: PartitionCopy, answer: Answer) -> bool:
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
