"""From fetched bytes to queue entries: one decision per batch, passed on as it is or rebuilt.

Queued batches carry no producer yet: the sender gives it to them when they go out.
"""

from collections.abc import Callable, Container, Iterable

from replication.codecs.batch_rows import Answer, last_header, scan, singly, split
from replication.codecs.record_batch import CorruptBatchError, is_abort_marker, verify
from replication.domain.batches.batch_decision import (
    CODEC_MASK,
    AbortedTransactions,
    BatchAction,
    BatchHeader,
    BatchRow,
    TargetRules,
    alike_bytes,
    decide,
)
from replication.domain.batches.compression import codec_id
from replication.domain.batches.rebatching import Rebatching
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import PlannedPartition, SlotSpec
from replication.ports.batches.record_path import Recompressed, RecordPath, TooMuchPlainError
from replication.ports.fetch.batch_fetcher import FetchedPartition, Frame
from replication.tasks.batches.loop_steps import PLAIN_BYTES, AnswerAbandonedError, AsideGate, LoopSteps
from replication.tasks.batches.rebuilding import OnRejected, Rebuilding, RecordRejectedError, unreadable
from replication.tasks.partition.entry import entry_in_frame, entry_of_recompressed
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.slot_context import SlotContext

__all__ = ["AnswerAbandonedError", "BatchIntake", "CorruptBatchError", "RecordRejectedError"]


class BatchIntake:
    """Feeds the queues of one slot."""

    def __init__(
        self,
        context: SlotContext,
        gauge: SlotGauge,
        *,
        looped: Container[int] = (),
        on_rejected: OnRejected | None = None,
    ) -> None:
        """`looped` are the producers whose batches came from the target. `on_rejected` receives the records that a
        transform cannot handle and that are skipped; without it such a record stops its partition."""
        self._context = context
        self._gauge = gauge
        self._path = context.ports.record_path
        self._looped = looped
        self._on_rejected = on_rejected
        self._batches = 0
        self._gate = AsideGate(context.ports.loop)
        self._rebatching: dict[TopicPartition, Rebatching] = {}
        self._rules: dict[TopicPartition, tuple[PlannedPartition, SlotSpec, TargetRules]] = {}

    def take_batch_count(self) -> int:
        """Return how many batches with records came since the last call."""
        batches, self._batches = self._batches, 0
        return batches

    def forget(self, copy: PartitionCopy) -> None:
        """The partition left; with the last one of its topic the record path forgets the topic."""
        self._rebatching.pop(copy.upstream, None)
        self._rules.pop(copy.upstream, None)
        topic = copy.upstream.topic
        if not any(each is not copy and each.upstream.topic == topic for each in self._context.roster.copies.values()):
            self._path.forget(topic)

    async def queue_batches(
        self,
        copy: PartitionCopy,
        fetched: FetchedPartition,
        frame: Frame | None,
        now_ms: int,
        is_asked: Callable[[], bool],
        send: Callable[[], None],
    ) -> None:
        """Queue every whole batch, in several steps of the loop if they hold much.

        `is_asked` is False once the partition wants this answer no more, `send` sends what is queued. Raises
        CorruptBatchError, RecordRejectedError or AnswerAbandonedError; what is before it is queued.
        """
        view = fetched.records
        if view is None or not len(view):
            return
        rules = self._rules_of(copy)
        merges = copy.cursor.is_merging and not fetched.aborted
        answer = scan(view, alike_bytes=alike_bytes(rules) if merges else 0)
        self._batches += answer.data_batches
        if not self._choose_merging(copy, answer) and len(answer.rows) < answer.data_batches:
            answer = scan(view)
        most_plain_bytes = self._context.spec.records.max_unpacked_bytes
        loop, most_pending_bytes = self._context.ports.loop, self._gauge.tuning.hold_bytes

        def rebuilding() -> Rebuilding:
            steps = LoopSteps(loop, self._gate, copy, is_asked, most_pending_bytes, send)
            return Rebuilding(self._path, rules, copy, view, now_ms, self._on_rejected, steps, most_plain_bytes)

        batches = AnswerBatches(self._path, rules, copy, view, frame, now_ms, rebuilding)
        broken = answer.broken
        try:
            await self._decide_each(copy, view, fetched.aborted, answer.rows, batches)
        except CorruptBatchError as error:
            broken = error
        await batches.flush()
        if broken is not None:
            raise broken

    async def _decide_each(
        self,
        copy: PartitionCopy,
        view: memoryview,
        aborted_list: tuple[tuple[int, int], ...],
        rows: Iterable[BatchRow],
        batches: "AnswerBatches",
    ) -> None:
        aborted = AbortedTransactions(aborted_list) if aborted_list else None
        cursor, rules, looped = copy.cursor, batches.rules, self._looped
        for row in rows:
            header = row.first
            if row.batches > 1 and header.base_offset < cursor.offset:
                await self._decide_each(copy, view, aborted_list, singly(view, row), batches)
                continue
            action = decide(
                header,
                position=cursor.offset,
                aborted=aborted is not None and aborted.covers(header),
                target=rules,
                looped=header.producer_id in looped,
                merging=cursor.is_merging,
            )
            if action is BatchAction.PASS and not batches.are_waiting:
                batches.pass_on(row)
                continue
            if not action.drops:
                await batches.add(row, action)
                continue
            is_looped = action is BatchAction.DROP_LOOPED
            if not is_looped and aborted is not None and header.is_control and is_abort_marker(view, row.at, header):
                aborted.abort_marker(header.producer_id)
            batches.skip(row, row.records if is_looped else 0)

    def _rules_of(self, copy: PartitionCopy) -> TargetRules:
        """The rules of the partition's remote topic, until a newer plan or other settings say otherwise."""
        planned, spec = copy.planned, self._context.spec
        known = self._rules.get(copy.upstream)
        if known is not None and known[0] is planned and known[1] is spec:
            return known[2]
        codec = spec.records.compression
        rules = TargetRules(
            max_message_bytes=planned.max_message_bytes,
            timestamp_type=planned.timestamp_type,
            codec=None if codec is None else codec_id(codec),
            every_record=self._path.decodes(copy.upstream.topic),
            errors_policy=spec.errors.policy,
        )
        self._rules[copy.upstream] = planned, spec, rules
        return rules

    def _choose_merging(self, copy: PartitionCopy, answer: Answer) -> bool:
        state, mode = self._rebatching.get(copy.upstream), self._context.spec.records.rebatching
        if state is None or state.mode != mode:
            state = self._rebatching[copy.upstream] = Rebatching(mode)
        is_merging = state.observe(
            batches=answer.data_batches,
            records=answer.records,
            size_bytes=answer.size_bytes,
            waiting=len(copy.queue.waiting),
            round_trip_ms=self._gauge.round_trip_ms,
        )
        if is_merging != copy.cursor.is_merging:
            copy.cursor.set_merging(is_merging)
        return is_merging


class AnswerBatches:
    """The batches of one answer and one partition. An error leaves all before it in the queue after `flush`.

    Batches that must be rebuilt wait for their neighbours and are built together; dropped ones in between only move
    the position once what is before them is queued.
    """

    __slots__ = (
        "_copy",
        "_end",
        "_frame",
        "_looped",
        "_may_pass",
        "_new_rebuilding",
        "_now_ms",
        "_path",
        "_queue",
        "_rebuilding_or_none",
        "_view",
        "_waiting",
        "rules",
    )

    def __init__(
        self,
        path: RecordPath,
        rules: TargetRules,
        copy: PartitionCopy,
        view: memoryview,
        frame: Frame | None,
        now_ms: int,
        new_rebuilding: Callable[[], Rebuilding],
    ) -> None:
        self._path = path
        self.rules = rules
        self._copy = copy
        self._queue = copy.queue
        self._view = view
        self._frame = frame
        self._now_ms = now_ms
        self._new_rebuilding = new_rebuilding
        self._rebuilding_or_none: Rebuilding | None = None  # most answers are passed on
        self._waiting: list[BatchRow] = []
        self._may_pass: set[range] = set()  # the places of those that may also go out as they are
        self._looped = 0  # records of dropped batches among those that wait
        self._end: BatchHeader | None = None  # the last dropped batch behind those that wait

    @property
    def _rebuilding(self) -> Rebuilding:
        if self._rebuilding_or_none is None:
            self._rebuilding_or_none = self._new_rebuilding()
        return self._rebuilding_or_none

    @property
    def are_waiting(self) -> bool:
        """True while batches wait for their neighbours."""
        return bool(self._waiting)

    async def add(self, row: BatchRow, action: BatchAction) -> None:
        """Queue batches with records to copy. Raises as `flush`."""
        if action is not BatchAction.PASS and action.rebuilds:
            self._waiting.append(row)
            self._end = None
            if action is BatchAction.REBUILD_SMALL:
                self._may_pass.add(range(row.at, row.end))
        else:
            if self._waiting:
                await self.flush()
            await self._send_whole(row)

    def skip(self, row: BatchRow, looped: int) -> None:
        """Pass over batches without records to copy; so many of their records are looped."""
        last = last_header(self._view, row)
        self._looped += looped
        if self._waiting:
            self._end = last
        else:
            self._skip_behind(last)
            self._count_looped()

    async def flush(self) -> None:
        """Queue the batches that wait. Raises CorruptBatchError, RecordRejectedError, AnswerAbandonedError."""
        waiting, end = self._waiting, self._end
        if not waiting and end is None:
            return
        self._waiting, self._end = [], None
        if len(waiting) == 1 and waiting[0].batches == 1 and self._may_pass:
            await self._send_whole(waiting[0])
        elif waiting:
            await self._build(waiting)
        self._may_pass.clear()
        if end is not None:
            self._skip_behind(end)
        self._count_looped()

    def _count_looped(self) -> None:
        looped, self._looped = self._looped, 0
        self._queue.add_dropped(0, looped)

    def pass_on(self, batch: BatchRow) -> None:
        """Queue a batch as it is. Raises CorruptBatchError."""
        header, view = batch.first, self._view
        verify(view, batch.at, header)
        self._queue.append(entry_in_frame(view[batch.at : batch.end], header, self._frame, self._now_ms))

    def _skip_behind(self, last: BatchHeader) -> None:
        if last.next_offset > self._copy.cursor.offset:
            self._queue.skip_to(last.next_offset, last.leader_epoch)

    async def _send_whole(self, batch: BatchRow) -> None:
        """Queue a batch undecoded, under another codec where the flow wants one and the batch can be opened."""
        has = batch.first.attributes & CODEC_MASK
        wants = self.rules.codec_for(has)
        if wants == has:
            self.pass_on(batch)
            return
        verify(self._view, batch.at, batch.first)
        try:
            data, plain_bytes = await self._recompressed(batch, wants)
        except TooMuchPlainError:
            self.pass_on(batch)
            return
        if len(data) > self.rules.max_message_bytes:
            await self._build([batch])
        else:
            self._queue.append(entry_of_recompressed(data, batch.first, self._now_ms))
            await self._rebuilding.steps.note_opened(plain_bytes)

    async def _recompressed(self, batch: BatchRow, codec: int) -> Recompressed:
        path, view = self._path, self._view
        try:
            try:
                return path.recompress(view, batch, codec, PLAIN_BYTES)
            except TooMuchPlainError:
                rebuilding = self._rebuilding
                most_bytes = rebuilding.most_plain_bytes
                return await rebuilding.steps.aside(lambda: path.recompress(view, batch, codec, most_bytes))
        except (AnswerAbandonedError, TooMuchPlainError):
            raise
        except Exception as error:
            raise unreadable(batch, error) from error

    async def _build(self, rows: list[BatchRow]) -> None:
        """Queue the records of these rows; a batch too large to be merged goes out whole if it may."""
        while rows:
            try:
                rows = await self._rebuilding.queue_rebuilt(rows)
            except TooMuchPlainError:
                (first,), rows = split(self._view, rows, rows[0].at + rows[0].first.size_bytes)
                if any(first.at in places for places in self._may_pass):
                    await self._send_whole(first)
                    await self._rebuilding.steps.note_opened(PLAIN_BYTES)
                else:
                    await self._rebuilding.queue_large(first)
