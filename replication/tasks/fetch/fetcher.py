"""The fetcher of a slot: one coroutine per source broker feeds the partitions' queues."""

from collections import defaultdict
from collections.abc import Mapping

import structlog

from replication.domain.batches.rebatching import CROWDED_BATCHES, ROOMY_BATCHES
from replication.domain.errors import Cause, ReplicationError
from replication.domain.fetch.linger import Linger
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.kafka_errors import error_name
from replication.domain.plan.slot import SlotSpec
from replication.ports.fetch.batch_fetcher import Fetched, FetchedPartition, Frame
from replication.ports.loop import Signal, Spawned
from replication.tasks.batches.batch_intake import (
    AnswerAbandonedError,
    BatchIntake,
    CorruptBatchError,
    RecordRejectedError,
)
from replication.tasks.batches.loop_protection import LoopProtection
from replication.tasks.fetch.rejected_offsets import RejectedOffsets
from replication.tasks.fetch.topic_identity import TopicIdentity
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

LONG_POLL_S = 0.5
SHORT_POLL_S = 0.02  # while a partition is held back: it must come back soon
NOTHING_TO_FETCH_S = 0.25
NO_ROOM_S = 0.02
AFTER_ERROR_S = 0.5
LONGEST_THROTTLE_S = 0.5
LONG_STEP_S = 0.01
NO_DOUBTS: Mapping[TopicPartition, Cause] = {}
MOST_READS = 3  # of an invalid batch: damage on the way is gone with the next fetch


class Fetcher:
    """Reads each partition at its broker, and handles the answers."""

    def __init__(
        self,
        context: SlotContext,
        events: SlotEvents,
        intake: BatchIntake,
        rejected: RejectedOffsets,
        loops: LoopProtection,
        gauge: SlotGauge,
    ) -> None:
        self._context = context
        self._events = events
        self._intake = intake
        self._rejected = rejected
        self._producers = loops
        self._gauge = gauge
        self._identity = TopicIdentity(context)
        self._loops: dict[int, Spawned] = {}
        self._lingers: dict[int, Linger] = defaultdict(Linger)
        self._wake: dict[int, Signal] = {}
        self._asked_at: dict[TopicPartition, tuple[int, bytes, int, int | None]] = {}  # broker, place, most bytes
        self._held: set[TopicPartition] = set()
        self._round: dict[int, int] = defaultdict(int)  # fetches sent, by broker
        self._heard_s: dict[int, float] = {}  # when its last answer came
        self._valid_from: dict[TopicPartition, int] = {}  # answers to earlier fetches were asked from another offset
        self._corrupt: dict[TopicPartition, tuple[bytes, int, int]] = {}  # topic id, offset, how often it was so

    def resume(self, copy: PartitionCopy) -> None:
        """Read this partition (again), at its leader of now."""
        cursor = copy.cursor
        if cursor.is_held_back or cursor.source_leader < 0 or not copy.obstructions.may_fetch:
            return
        node = cursor.read_node
        self._ensure_loop(node)
        if copy.paces and self._context.topic_paces.must_wait(copy):
            self._forget(copy)
            return
        asked_now = (node, cursor.topic_id, cursor.offset, cursor.most_bytes)
        if self._asked_at.get(copy.upstream) == asked_now:
            return
        self._forget(copy)
        cursor.start_fetching()
        self._valid_from[copy.upstream] = self._round[node] + 1
        self._ask(copy)
        self._wake[node].set()

    def _ensure_loop(self, node: int) -> None:
        if node not in self._loops or self._loops[node].done:
            self._wake[node] = self._context.ports.loop.signal()
            self._loops[node] = self._context.ports.loop.spawn(self._read(node))

    def _ask(self, copy: PartitionCopy) -> None:
        cursor = copy.cursor
        self._asked_at[copy.upstream] = (cursor.read_node, cursor.topic_id, cursor.offset, cursor.most_bytes)
        self._context.ports.fetcher.want(cursor.read_node, cursor.place)

    def stop_reading(self, copy: PartitionCopy) -> None:
        """Read this partition no more, until `resume`."""
        copy.cursor.stop_holding_back()
        self._held.discard(copy.upstream)
        self._context.topic_paces.forget(copy)
        self._forget(copy)

    def leave(self, copy: PartitionCopy) -> None:
        """Forget the partition."""
        self.stop_reading(copy)
        self._valid_from.pop(copy.upstream, None)
        self._corrupt.pop(copy.upstream, None)
        self._intake.forget(copy)

    def _forget(self, copy: PartitionCopy) -> None:
        asked = self._asked_at.pop(copy.upstream, None)
        if asked is None:
            return
        node, topic_id, *_ = asked
        copy.cursor.stop_fetching()
        self._context.ports.fetcher.forget(node, copy.upstream.topic, topic_id, copy.upstream.partition)

    def hold_until_acknowledged(self, copy: PartitionCopy) -> None:
        """Its fetch offset went back: read it again when something of it is acknowledged."""
        self._forget(copy)
        self._held.discard(copy.upstream)
        copy.cursor.hold_back()

    def note_acknowledged(self, copy: PartitionCopy) -> None:
        """Some of the partition's bytes are done: it may be read again."""
        if not copy.cursor.is_held_back:
            return
        is_roomy = not copy.cursor.is_merging or len(copy.queue.waiting) <= ROOMY_BATCHES
        if is_roomy and copy.queue.pending_bytes <= self._gauge.tuning.hold_bytes // 2:
            copy.cursor.stop_holding_back()
            self._held.discard(copy.upstream)
            self._events.ready(copy)

    def stop(self) -> None:
        """Wake the coroutines so that they see the stop flag."""
        for signal in self._wake.values():
            signal.set()

    async def _read(self, node: int) -> None:
        context = self._context
        while not context.stopping:
            if not await self._may_fetch(node):
                continue
            self._round[node] += 1
            try:
                fetched = await self._ask_broker(node)
            except ReplicationError as error:
                self._note_unreachable(node, error)
                await context.ports.loop.sleep(AFTER_ERROR_S)
                continue
            except Exception as error:
                context.fail(error)
                return
            if context.causes:
                context.clear_trouble("fetch")
            size_bytes = sum(len(part.records) for part in fetched.partitions if part.records is not None)
            self._note_pace(size_bytes, fetched.throttle_time_ms)
            try:
                if not context.stopping:
                    await self._handle_answer(node, fetched)
            except Exception as error:
                context.fail(error)
            finally:
                if fetched.frame is not None:
                    fetched.frame.release()
            batches = self._intake.take_batch_count()
            self._lingers[node].answered(batches, size_bytes, context.ports.loop.monotonic_s())

    async def _handle_answer(self, node: int, fetched: Fetched) -> None:
        loop, partitions = self._context.ports.loop, fetched.partitions
        self._heard_s[node] = loop.monotonic_s()
        has_ids = not partitions or partitions[0].topic_id  # an answer names all its topics alike
        doubts = NO_DOUBTS if has_ids else await self._identity.doubts(node, partitions)
        for partition in partitions:
            began_s = loop.monotonic_s()
            await self._handle_partition(node, partition, fetched.frame, doubts)
            if loop.monotonic_s() - began_s > LONG_STEP_S:
                await loop.sleep(0)  # records were decoded: let others have the loop

    async def _may_fetch(self, node: int) -> bool:
        """False after a wait: nothing to fetch, no memory for it, or the throttle does not allow it yet."""
        context, fetcher = self._context, self._context.ports.fetcher
        if context.topic_paces.are_set:
            for copy in context.topic_paces.take_due():
                self._events.ready(copy)
        if not fetcher.wants_any(node):
            await self._wake[node].wait(self._longest_s(NOTHING_TO_FETCH_S))
            return False
        if not fetcher.claim_room(node) or not (context.ports.memory is None or context.ports.memory.has_room):
            began_s = context.ports.loop.monotonic_s()
            await context.ports.loop.sleep(NO_ROOM_S)
            self._gauge.note_memory_wait(context.ports.loop.monotonic_s() - began_s)
            return False
        wait_s = context.pace.wait_s(context.ports.loop.now_ms(), context.ports.loop.monotonic_s())
        if wait_s > 0:
            await context.pause(min(wait_s, LONGEST_THROTTLE_S))
            return False
        linger_s = self._lingers[node].wait_s(context.spec.records.linger_ms)
        if linger_s > 0:
            await context.ports.loop.sleep(linger_s)
        return not context.stopping

    def _longest_s(self, most_s: float) -> float:
        """Return how long a wait may last: until a partition that sits out of fetches is due, at most `most_s`."""
        paces = self._context.topic_paces
        return paces.next_due_s(most_s) if paces.are_set else most_s

    async def _ask_broker(self, node: int) -> Fetched:
        context, limits = self._context, self._context.spec.fetch_limits
        poll_s = SHORT_POLL_S if self._held else self._longest_s(LONG_POLL_S)
        wait_ms = limits.wait_ms_of(max(1, round(1000 * poll_s)))
        context.note_asked(node, wait_ms)
        try:
            return await context.ports.fetcher.fetch(
                node,
                max_wait_ms=wait_ms,
                max_bytes=context.pace.most_bytes(limits.bytes_of(self._gauge.tuning.fetch_max_bytes)),
                partition_max_bytes=limits.partition_bytes_of(self._gauge.tuning.partition_max_bytes),
            )
        finally:
            context.note_ended(node)

    def _note_pace(self, size_bytes: int, throttle_ms: int) -> None:
        context, pace, loop = self._context, self._context.pace, self._context.ports.loop
        if throttle_ms > 0:
            pace.note_quota(context.spec.flow.source, throttle_ms, loop.now_ms(), loop.monotonic_s())
        if pace.is_limited:
            pace.note_read(size_bytes, loop.monotonic_s())

    def _note_unreachable(self, node: int, error: ReplicationError) -> None:
        cause = self._context.note_trouble("fetch", error)
        log.warning("fetch failed", flow=str(self._context.spec.flow), node=node, error=str(error))
        for copy in self._context.roster.copies.values():
            if copy.cursor.is_fetching and copy.cursor.read_node == node:
                copy.cursor.read_from_replica(-1)
                copy.cursor.lose_end()
                self._stall(copy, cause)
        self._context.refresh_signal.set()

    async def _handle_partition(
        self, node: int, fetched: FetchedPartition, frame: Frame | None, doubts: Mapping[TopicPartition, Cause]
    ) -> None:
        copy = self._context.roster.copies.get(TopicPartition(fetched.topic, fetched.partition))
        if copy is None or not self._is_asked(copy, node, fetched.topic_id):
            return
        if fetched.error_code == KafkaErrorCode.NONE:
            self._note_ends(copy, fetched)
            if copy.paces and fetched.records is not None:
                self._context.topic_paces.note_read(copy, len(fetched.records))
        if self._valid_from.get(copy.upstream, 0) > self._round[node]:
            return
        if doubts and copy.upstream in doubts:
            self._stall_and_refresh(copy, doubts[copy.upstream])
        elif fetched.error_code != KafkaErrorCode.NONE:
            self._handle_error(copy, node, fetched.error_code)
        elif fetched.preferred_replica >= 0:
            self._read_from(copy, fetched.preferred_replica)
        elif fetched.diverging is not None:
            self.stop_reading(copy)
            self._rejected.note(copy, fetched.diverging)
        elif fetched.records is None or not self._producers.is_on or await self._knows_producers(copy, fetched.records):
            await self._queue_batches(copy, fetched, frame)

    def _is_asked(self, copy: PartitionCopy, node: int, topic_id: bytes) -> bool:
        cursor = copy.cursor
        is_wanted = cursor.is_fetching and cursor.read_node == node and not copy.obstructions.is_dead
        return is_wanted and topic_id in (b"", cursor.topic_id)

    def _handle_error(self, copy: PartitionCopy, node: int, code: int) -> None:
        if node == copy.cursor.near_replica:
            self._read_from(copy, -1)  # a follower may be behind or leaving; what its leader says counts
        elif code == KafkaErrorCode.OFFSET_OUT_OF_RANGE:
            self.stop_reading(copy)
            self._rejected.note(copy)
        else:
            self._stall_and_refresh(copy, self._cause_of(copy, error_name(code)))

    def _read_from(self, copy: PartitionCopy, replica: int) -> None:
        """Continue at this follower, or at the leader (-1)."""
        self._forget(copy)
        copy.cursor.read_from_replica(replica)
        self.resume(copy)

    async def _knows_producers(self, copy: PartitionCopy, records: memoryview) -> bool:
        """Find out which batches the flow back has written; False where the answer is of no use after that.

        Meanwhile an aborted transaction or a reset may have moved the partition: then the answer is another place's.
        """
        asked_for = self._place(copy)
        try:
            await self._producers.learn_producers(records, self._heard_s[copy.cursor.read_node])
        except ReplicationError as error:
            self._stall_and_refresh(copy, self._context.note_trouble("loops", error))
            return False
        self._context.clear_trouble("loops")
        is_current = self._context.roster.copies.get(copy.upstream) is copy and self._place(copy) == asked_for
        return is_current and copy.cursor.is_fetching and not copy.obstructions.is_dead

    def _place(self, copy: PartitionCopy) -> tuple[int, bytes, int, int]:
        """The place that an answer must have been asked from to be of use."""
        cursor = copy.cursor
        return cursor.read_node, cursor.topic_id, cursor.offset, self._valid_from.get(copy.upstream, 0)

    def _note_ends(self, copy: PartitionCopy, fetched: FetchedPartition) -> None:
        """Note a partition's ends: a session's answers name them only when they changed, so none may be missed."""
        committed_only = self._context.spec.isolation_level == "read_committed"
        end = fetched.last_stable_offset if committed_only else fetched.high_watermark
        copy.cursor.note_ends(fetched.log_start_offset, end, fetched.high_watermark)

    async def _queue_batches(self, copy: PartitionCopy, fetched: FetchedPartition, frame: Frame | None) -> None:
        before, now_ms = copy.cursor.offset, self._context.ports.loop.now_ms()
        node, topic_id, _offset, valid_from = self._place(copy)
        spec = self._context.spec  # as of the rules by which the answer is read

        def is_asked() -> bool:
            cursor, copies = copy.cursor, self._context.roster.copies
            is_same = (node, topic_id, cursor.offset, valid_from) == self._place(copy)
            is_wanted = cursor.is_fetching and not copy.obstructions.is_dead and copies.get(copy.upstream) is copy
            return is_same and is_wanted and not self._context.stopping

        is_overtaken = False
        try:
            await self._intake.queue_batches(copy, fetched, frame, now_ms, is_asked, lambda: self._events.filled(copy))
        except AnswerAbandonedError:
            is_overtaken = not is_asked()
        except CorruptBatchError as error:
            self._note_corrupt(copy, error, spec)
        except RecordRejectedError as error:
            text = f"{copy.upstream}: {error}; correct the transform, or let the flow's errors policy leave it out"
            copy.fail(self._cause("record_refused", text, copy), spec.rejection_rules)
        except Exception as error:  # of one partition: the others of the slot continue
            log.exception("unreadable batch", flow=str(self._context.spec.flow), partition=str(copy.upstream))
            text = f"a batch cannot be read ({type(error).__name__}: {error})"
            self._note_corrupt(copy, CorruptBatchError(text), spec)
        else:
            if copy.obstructions.state is not None:
                copy.obstructions.clear("fetch")
        if not is_overtaken and (copy.cursor.offset != before or copy.obstructions.is_dead):
            self._events.filled(copy)
            self._ask_for_more(copy)

    def _note_corrupt(self, copy: PartitionCopy, error: CorruptBatchError, spec: SlotSpec) -> None:
        """Stop the partition only when a batch is invalid again and again."""
        place = copy.cursor.topic_id, copy.cursor.offset
        topic_id, offset, reads = self._corrupt.get(copy.upstream, (b"", -1, 0))
        reads = reads + 1 if (topic_id, offset) == place else 1
        self._corrupt[copy.upstream] = (*place, reads)
        log.warning("corrupt batch", flow=str(self._context.spec.flow), partition=str(copy.upstream), error=str(error))
        if reads < MOST_READS:
            text = f"{copy.upstream}: {error}; it is fetched again"
            self._stall_and_refresh(copy, self._cause("corrupt_answer", text, copy))
            return
        del self._corrupt[copy.upstream]
        text = f"{copy.upstream}: {error}, {reads} times in a row; repair or skip it at the source"
        copy.fail(self._cause("corrupt_batch", text, copy), spec.rejection_rules)

    def _ask_for_more(self, copy: PartitionCopy) -> None:
        """Ask for the next bytes, or stop reading a partition that may not continue."""
        if copy.obstructions.special is not None:
            self.stop_reading(copy)
        elif copy.queue.pending_bytes > self._gauge.tuning.hold_bytes or _lets_gather(copy):
            self._forget(copy)
            copy.cursor.hold_back()
            self._held.add(copy.upstream)
        elif copy.paces and self._context.topic_paces.must_wait(copy):
            self._forget(copy)
        else:
            self._ask(copy)

    def _cause_of(self, copy: PartitionCopy, answer: str) -> Cause:
        if answer == KafkaErrorCode.TOPIC_AUTHORIZATION_FAILED.name:
            text = f"reading {copy.upstream} at the source is not allowed ({answer}); grant READ and DESCRIBE on it"
            return self._cause("authorization_failed", text, copy)
        return self._cause(answer.lower(), f"{copy.upstream}: the source answers {answer}", copy)

    def _stall(self, copy: PartitionCopy, cause: Cause) -> None:
        copy.obstructions.stall_fetch(cause)
        self.stop_reading(copy)

    def _stall_and_refresh(self, copy: PartitionCopy, cause: Cause) -> None:
        self._stall(copy, cause)
        self._context.refresh_signal.set()

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        return copy.cause(code, text, self._context.ports.loop.now_ms())


def _lets_gather(copy: PartitionCopy) -> bool:
    """A far target takes few batches a second: the next ones are fetched in one piece, and merged."""
    return copy.cursor.is_merging and len(copy.queue.waiting) >= CROWDED_BATCHES
