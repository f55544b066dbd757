"""The fetching half of a source task: one coroutine per source broker feeds the partitions' queues."""

from collections import defaultdict
from collections.abc import Callable

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error import error_name
from replication.ports.loop import Signal, Spawned
from replication.ports.source_reader import FetchedPartition, Frame
from replication.tasks.batch_intake import BatchIntake, CorruptBatchError
from replication.tasks.partition_copy import HOLD_BYTES, RESUME_BYTES, PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_gaps import SourceGaps

log = structlog.get_logger(__name__)

LONG_POLL_MS = 500
SHORT_POLL_MS = 20  # while a partition is held back: it must come back soon
NOTHING_TO_FETCH_S = 0.25
NO_ROOM_S = 0.02
AFTER_ERROR_S = 0.5

OFFSET_OUT_OF_RANGE = 1


class SourceFetch:
    """Which partitions are read at which broker, and what their answers mean."""

    def __init__(
        self,
        context: SlotContext,
        intake: BatchIntake,
        gaps: SourceGaps,
        filled: Callable[[PartitionCopy], None],
    ) -> None:
        """`filled` is called when a partition's queue got something."""
        self._context = context
        self._filled = filled
        self._intake = intake
        self._gaps = gaps
        self._loops: dict[int, Spawned] = {}
        self._wake: dict[int, Signal] = {}
        self._asked_at: dict[TopicPartition, tuple[int, bytes, int]] = {}  # broker, topic id, offset
        self._held: set[TopicPartition] = set()
        self._round: dict[int, int] = defaultdict(int)  # fetches sent, by broker
        self._valid_from: dict[TopicPartition, int] = {}  # answers to earlier fetches were asked from another offset

    def resume(self, copy: PartitionCopy) -> None:
        """Read this partition (again), at its leader of now."""
        if copy.is_dead or copy.held_back or copy.source_leader < 0 or copy.special_state is not None:
            return
        node = copy.source_leader
        asked_now = (node, copy.topic_id, copy.fetch_offset)
        if self._asked_at.get(copy.upstream) == asked_now:
            return
        self._take_out(copy)
        copy.fetching = True
        self._valid_from[copy.upstream] = self._round[node] + 1
        self._ask(copy)
        if node not in self._loops or self._loops[node].done:
            self._wake[node] = self._context.loop.signal()
            self._loops[node] = self._context.loop.spawn(self._read(node))
        self._wake[node].set()

    def _ask(self, copy: PartitionCopy) -> None:
        self._asked_at[copy.upstream] = (copy.source_leader, copy.topic_id, copy.fetch_offset)
        self._context.ports.reader.want(copy.source_leader, copy.fetch_position)

    def leave_out(self, copy: PartitionCopy) -> None:
        """Read this partition no more, until `resume`."""
        copy.held_back = False
        self._held.discard(copy.upstream)
        self._take_out(copy)

    def _take_out(self, copy: PartitionCopy) -> None:
        asked = self._asked_at.pop(copy.upstream, None)
        if asked is None:
            return
        node, topic_id, _offset = asked
        copy.fetching = False
        self._context.ports.reader.forget(node, copy.upstream.topic, topic_id, copy.upstream.partition)

    def acknowledged(self, copy: PartitionCopy) -> None:
        """Some of the partition's bytes are done: it may be read again."""
        if copy.held_back and copy.pending_bytes <= RESUME_BYTES:
            copy.held_back = False
            self._held.discard(copy.upstream)
            self.resume(copy)

    def stop(self) -> None:
        """Wake the coroutines so that they see the stop flag."""
        for signal in self._wake.values():
            signal.set()

    async def _read(self, node: int) -> None:
        context, reader = self._context, self._context.ports.reader
        while not context.stopping:
            if not reader.wants_any(node):
                await self._wake[node].wait(NOTHING_TO_FETCH_S)
                continue
            if not reader.has_room(node):
                await context.loop.sleep(NO_ROOM_S)
                continue
            self._round[node] += 1
            try:
                fetched = await reader.fetch(node, max_wait_ms=SHORT_POLL_MS if self._held else LONG_POLL_MS)
            except ReplicationError as error:
                self._unreachable(node, error)
                await context.loop.sleep(AFTER_ERROR_S)
                continue
            except Exception as error:
                context.fail(error)
                return
            context.settled("fetch")
            try:
                if not context.stopping:
                    for partition in fetched.partitions:
                        await self._answered(node, partition, fetched.frame)
            except Exception as error:
                context.fail(error)
            finally:
                if fetched.frame is not None:
                    fetched.frame.release()

    def _unreachable(self, node: int, error: ReplicationError) -> None:
        cause = self._context.trouble("fetch", error)
        log.warning("fetch failed", flow=str(self._context.spec.flow), node=node, error=str(error))
        for copy in self._context.copies.values():
            if copy.fetching and copy.source_leader == node:
                self._stall(copy, cause)
        self._context.refresh_signal.set()

    async def _answered(self, node: int, fetched: FetchedPartition, frame: Frame | None) -> None:
        copy = self._context.copies.get(TopicPartition(fetched.topic, fetched.partition))
        if copy is None or copy.is_dead or not copy.fetching or fetched.topic_id not in (b"", copy.topic_id):
            return
        if copy.source_leader != node:
            return
        if fetched.error_code == 0:
            self._note_ends(copy, fetched)
        if self._valid_from.get(copy.upstream, 0) > self._round[node]:
            return
        if fetched.error_code == OFFSET_OUT_OF_RANGE:
            await self._out_of_range(copy)
        elif fetched.error_code != 0:
            code = error_name(fetched.error_code).lower()
            text = f"{copy.upstream}: the source answers {error_name(fetched.error_code)}"
            self._stall(copy, self._cause(code, text, copy))
            self._context.refresh_signal.set()
        elif fetched.diverging_end is not None:
            self._gaps.diverged(copy, fetched.diverging_end)
            self._filled(copy)
            self._go_on(copy)
        else:
            self._take(copy, fetched, frame)

    def _note_ends(self, copy: PartitionCopy, fetched: FetchedPartition) -> None:
        """A session's answers name a partition's ends only when they changed, so none may be missed."""
        committed_only = self._context.spec.isolation_level == "read_committed"
        copy.log_end = fetched.last_stable_offset if committed_only else fetched.high_watermark
        copy.log_start = fetched.log_start_offset

    def _take(self, copy: PartitionCopy, fetched: FetchedPartition, frame: Frame | None) -> None:
        before = copy.fetch_offset
        try:
            self._intake.take(copy, fetched, frame, self._context.loop.now_ms())
        except CorruptBatchError as error:
            text = f"{copy.upstream}: {error}; repair or skip it at the source"
            copy.stop_for("failed", self._cause("corrupt_batch", text, copy))
        if copy.fetch_offset != before or copy.is_dead:
            self._filled(copy)
            self._go_on(copy)

    def _go_on(self, copy: PartitionCopy) -> None:
        """Ask for what comes next, or leave the partition out when it may not go on."""
        if copy.is_dead:
            self.leave_out(copy)
        elif copy.pending_bytes > HOLD_BYTES:
            self._take_out(copy)
            copy.held_back = True
            self._held.add(copy.upstream)
        else:
            self._ask(copy)

    async def _out_of_range(self, copy: PartitionCopy) -> None:
        self.leave_out(copy)
        try:
            reader = self._context.ports.reader
            starts = await reader.offsets({copy.upstream: "earliest"})
            ends = await reader.offsets({copy.upstream: "latest"})
        except ReplicationError as error:
            self._stall(copy, self._context.trouble("fetch", error))
            self._context.refresh_signal.set()
            return
        if copy.is_dead or self._context.copies.get(copy.upstream) is not copy:
            return
        if copy.upstream in starts and copy.upstream in ends:
            self._gaps.out_of_range(copy, starts[copy.upstream], ends[copy.upstream])
            self._filled(copy)
            self.resume(copy)
        else:
            text = f"source partition {copy.upstream} gives no offsets yet"
            self._stall(copy, self._cause("leader_not_available", text, copy))
            self._context.refresh_signal.set()

    def _stall(self, copy: PartitionCopy, cause: Cause) -> None:
        copy.stop_for("stalled", cause)
        self.leave_out(copy)

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        return Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)
