"""The fetching half of a source task: one coroutine per source broker feeds the partitions' queues."""

from collections import defaultdict
from collections.abc import Callable, Mapping

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error import OFFSET_OUT_OF_RANGE, TOPIC_AUTHORIZATION_FAILED, error_name
from replication.domain.linger import Linger
from replication.domain.rebatching import CROWDED_BATCHES, ROOMY_BATCHES
from replication.ports.loop import Signal, Spawned
from replication.ports.source_reader import Fetched, FetchedPartition, Frame
from replication.tasks.batch_intake import BatchIntake, CorruptBatchError, RecordRefusedError
from replication.tasks.named_answers import NamedAnswers
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_gaps import SourceGaps
from replication.tasks.source_loops import SourceLoops

log = structlog.get_logger(__name__)

LONG_POLL_MS = 500
SHORT_POLL_MS = 20  # while a partition is held back: it must come back soon
NOTHING_TO_FETCH_S = 0.25
NO_ROOM_S = 0.02
AFTER_ERROR_S = 0.5
LONGEST_THROTTLE_S = 0.5
LONG_STEP_S = 0.01
MOST_READS = 3  # of a batch that makes no sense: what a bad moment on the way did is over with the next fetch


class SourceFetch:
    """Which partitions are read at which broker, and what their answers mean."""

    def __init__(
        self,
        context: SlotContext,
        intake: BatchIntake,
        gaps: SourceGaps,
        loops: SourceLoops,
        filled: Callable[[PartitionCopy], None],
    ) -> None:
        """`filled` is called when a partition's queue got something."""
        self._context = context
        self._filled = filled
        self._intake = intake
        self._gaps = gaps
        self._producers = loops
        self._named = NamedAnswers(context)
        self._loops: dict[int, Spawned] = {}
        self._lingers: dict[int, Linger] = defaultdict(lambda: Linger(context.spec.records.linger_ms))
        self._wake: dict[int, Signal] = {}
        self._asked_at: dict[TopicPartition, tuple[int, bytes, int]] = {}  # broker, topic id, offset
        self._held: set[TopicPartition] = set()
        self._round: dict[int, int] = defaultdict(int)  # fetches sent, by broker
        self._heard_s: dict[int, float] = {}  # when its last answer came
        self._valid_from: dict[TopicPartition, int] = {}  # answers to earlier fetches were asked from another offset
        self._corrupt: dict[TopicPartition, tuple[bytes, int, int]] = {}  # topic id, offset, how often it was so

    def resume(self, copy: PartitionCopy) -> None:
        """Read this partition (again), at its leader of now."""
        if copy.held_back or copy.source_leader < 0 or copy.special_state is not None or copy.hold is not None:
            return
        node = copy.read_node
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
        self._asked_at[copy.upstream] = (copy.read_node, copy.topic_id, copy.fetch_offset)
        self._context.ports.reader.want(copy.read_node, copy.fetch_position)

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

    def let_go(self, copy: PartitionCopy) -> None:
        """Its fetch offset went back: read it again when something of it is acknowledged."""
        self._take_out(copy)
        self._held.discard(copy.upstream)
        copy.held_back = True

    def acknowledged(self, copy: PartitionCopy) -> None:
        """Some of the partition's bytes are done: it may be read again."""
        is_roomy = not copy.merging or len(copy.queue) <= ROOMY_BATCHES
        if copy.held_back and is_roomy and copy.pending_bytes <= self._context.tuning.hold_bytes // 2:
            copy.held_back = False
            self._held.discard(copy.upstream)
            self.resume(copy)

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
                self._unreachable(node, error)
                await context.loop.sleep(AFTER_ERROR_S)
                continue
            except Exception as error:
                context.fail(error)
                return
            context.settled("fetch")
            self._note_pace(fetched)
            try:
                if not context.stopping:
                    await self._answered_all(node, fetched)
            except Exception as error:
                context.fail(error)
            finally:
                if fetched.frame is not None:
                    fetched.frame.release()
            self._note_gathered(node, fetched)

    async def _answered_all(self, node: int, fetched: Fetched) -> None:
        loop = self._context.loop
        self._heard_s[node] = loop.monotonic_s()
        doubts = await self._named.doubts(node, fetched.partitions)
        for partition in fetched.partitions:
            began_s = loop.monotonic_s()
            await self._answered(node, partition, fetched.frame, doubts)
            if loop.monotonic_s() - began_s > LONG_STEP_S:
                await loop.sleep(0)  # records were decoded: let others have the loop

    async def _may_fetch(self, node: int) -> bool:
        """False after a wait: nothing to fetch, no memory for it, or the throttle does not allow it yet."""
        context, reader = self._context, self._context.ports.reader
        if not reader.wants_any(node):
            await self._wake[node].wait(NOTHING_TO_FETCH_S)
            return False
        if not reader.has_room(node) or not (context.memory is None or context.memory.has_room):
            began_s = context.loop.monotonic_s()
            await context.loop.sleep(NO_ROOM_S)
            context.without_memory_s += context.loop.monotonic_s() - began_s
            return False
        wait_s = context.pace.wait_s(context.loop.now_ms())
        if wait_s > 0:
            await context.pause(min(wait_s, LONGEST_THROTTLE_S))
            return False
        linger_s = self._lingers[node].wait_s
        if linger_s > 0:
            await context.loop.sleep(linger_s)
        return not context.stopping

    async def _ask_broker(self, node: int) -> Fetched:
        context, limits = self._context, self._context.spec.fetch_limits
        return await context.ports.reader.fetch(
            node,
            max_wait_ms=limits.wait_ms_of(SHORT_POLL_MS if self._held else LONG_POLL_MS),
            max_bytes=context.pace.most_bytes(limits.bytes_of(context.tuning.fetch_max_bytes)),
            partition_max_bytes=limits.partition_bytes_of(context.tuning.partition_max_bytes),
        )

    def _note_gathered(self, node: int, fetched: Fetched) -> None:
        size_bytes = sum(len(part.records) for part in fetched.partitions if part.records is not None)
        batches, self._intake.batches_taken = self._intake.batches_taken, 0
        self._lingers[node].answered(batches, size_bytes, self._context.loop.monotonic_s())

    def _note_pace(self, fetched: Fetched) -> None:
        context, now_ms = self._context, self._context.loop.now_ms()
        context.pace.quota(context.spec.flow.source, fetched.throttle_time_ms, now_ms)
        context.pace.read(sum(len(part.records) for part in fetched.partitions if part.records is not None), now_ms)

    def _unreachable(self, node: int, error: ReplicationError) -> None:
        cause = self._context.trouble("fetch", error)
        log.warning("fetch failed", flow=str(self._context.spec.flow), node=node, error=str(error))
        for copy in self._context.copies.values():
            if copy.fetching and copy.read_node == node:
                copy.near_replica = -1
                self._stall(copy, cause)
        self._context.refresh_signal.set()

    async def _answered(
        self, node: int, fetched: FetchedPartition, frame: Frame | None, doubts: Mapping[TopicPartition, Cause]
    ) -> None:
        copy = self._context.copies.get(TopicPartition(fetched.topic, fetched.partition))
        if copy is None or copy.is_dead or not copy.fetching or fetched.topic_id not in (b"", copy.topic_id):
            return
        if copy.read_node != node:
            return
        if fetched.error_code == 0:
            self._note_ends(copy, fetched)
        if self._valid_from.get(copy.upstream, 0) > self._round[node]:
            return
        if copy.upstream in doubts:
            self._stall(copy, doubts[copy.upstream])
            self._context.refresh_signal.set()
        elif fetched.error_code != 0:
            await self._failed(copy, node, fetched.error_code)
        elif fetched.preferred_replica >= 0:
            self._read_from(copy, fetched.preferred_replica)
        elif fetched.diverging_end is not None:
            self._gaps.diverged(copy, fetched.diverging_end)
            self._filled(copy)
            self._go_on(copy)
        else:
            await self._take_known(copy, fetched, frame)

    async def _failed(self, copy: PartitionCopy, node: int, code: int) -> None:
        if node == copy.near_replica:
            self._read_from(copy, -1)  # a follower may be behind or leaving; what its leader says counts
        elif code == OFFSET_OUT_OF_RANGE:
            await self._out_of_range(copy)
        else:
            self._stall(copy, self._refusal(copy, error_name(code)))
            self._context.refresh_signal.set()

    def _read_from(self, copy: PartitionCopy, replica: int) -> None:
        """Go on at this follower, or at the leader (-1)."""
        self._take_out(copy)
        copy.near_replica = replica
        self.resume(copy)

    async def _take_known(self, copy: PartitionCopy, fetched: FetchedPartition, frame: Frame | None) -> None:
        """Take the batches once it is known which the flow back has written; else they are fetched again.

        Meanwhile an aborted transaction or a reset may have moved the partition: then this answer is another place's.
        """
        asked_for = self._place(copy)
        try:
            await self._producers.get_to_know(fetched.records, self._heard_s[copy.read_node])
        except ReplicationError as error:
            self._stall(copy, self._context.trouble("loops", error))
            self._context.refresh_signal.set()
            return
        self._context.settled("loops")
        is_current = self._context.copies.get(copy.upstream) is copy and self._place(copy) == asked_for
        if is_current and copy.fetching and not copy.is_dead:
            self._take(copy, fetched, frame)

    def _place(self, copy: PartitionCopy) -> tuple[int, bytes, int, int]:
        """What an answer must have been asked from to be of use."""
        return copy.read_node, copy.topic_id, copy.fetch_offset, self._valid_from.get(copy.upstream, 0)

    def _note_ends(self, copy: PartitionCopy, fetched: FetchedPartition) -> None:
        """A session's answers name a partition's ends only when they changed, so none may be missed."""
        committed_only = self._context.spec.isolation_level == "read_committed"
        copy.log_end = fetched.last_stable_offset if committed_only else fetched.high_watermark
        copy.high_watermark = fetched.high_watermark
        copy.log_start = fetched.log_start_offset

    def _take(self, copy: PartitionCopy, fetched: FetchedPartition, frame: Frame | None) -> None:
        before = copy.fetch_offset
        try:
            self._intake.take(copy, fetched, frame, self._context.loop.now_ms())
        except CorruptBatchError as error:
            self._corrupted(copy, error)
        except RecordRefusedError as error:
            text = f"{copy.upstream}: {error}; correct the transform, or let the flow's errors policy leave it out"
            copy.stop_for("failed", self._cause("record_refused", text, copy))
        except Exception as error:  # of one partition: the others of the slot go on
            log.exception("unreadable batch", flow=str(self._context.spec.flow), partition=str(copy.upstream))
            self._corrupted(copy, CorruptBatchError(f"a batch cannot be read ({type(error).__name__}: {error})"))
        else:
            copy.fetch_waits = None
        if copy.fetch_offset != before or copy.is_dead:
            self._filled(copy)
            self._go_on(copy)

    def _corrupted(self, copy: PartitionCopy, error: CorruptBatchError) -> None:
        """Only a batch that makes no sense again and again stops its partition."""
        topic_id, offset, reads = self._corrupt.get(copy.upstream, (b"", -1, 0))
        reads = reads + 1 if (topic_id, offset) == (copy.topic_id, copy.fetch_offset) else 1
        self._corrupt[copy.upstream] = (copy.topic_id, copy.fetch_offset, reads)
        log.warning("corrupt batch", flow=str(self._context.spec.flow), partition=str(copy.upstream), error=str(error))
        if reads < MOST_READS:
            self._stall(copy, self._cause("corrupt_answer", f"{copy.upstream}: {error}; it is fetched again", copy))
            self._context.refresh_signal.set()
            return
        del self._corrupt[copy.upstream]
        text = f"{copy.upstream}: {error}, {reads} times in a row; repair or skip it at the source"
        copy.stop_for("failed", self._cause("corrupt_batch", text, copy))

    def _go_on(self, copy: PartitionCopy) -> None:
        """Ask for what comes next, or leave the partition out when it may not go on."""
        if copy.special_state is not None:
            self.leave_out(copy)
        elif copy.pending_bytes > self._context.tuning.hold_bytes or self._lets_gather(copy):
            self._take_out(copy)
            copy.held_back = True
            self._held.add(copy.upstream)
        else:
            self._ask(copy)

    def _lets_gather(self, copy: PartitionCopy) -> bool:
        """A far target takes few batches a second: what comes next is fetched in one piece, and merged."""
        return copy.merging and len(copy.queue) >= CROWDED_BATCHES

    async def _out_of_range(self, copy: PartitionCopy) -> None:
        self.leave_out(copy)
        missing = (copy.topic_id, copy.fetch_offset)
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
        if (copy.topic_id, copy.fetch_offset) != missing:
            self.resume(copy)  # an aborted transaction or a reset moved it meanwhile: that place is judged by itself
        elif copy.upstream in starts and copy.upstream in ends:
            self._gaps.out_of_range(copy, starts[copy.upstream], ends[copy.upstream])
            self._filled(copy)
            self.resume(copy)
        else:
            text = f"source partition {copy.upstream} gives no offsets yet"
            self._stall(copy, self._cause("leader_not_available", text, copy))
            self._context.refresh_signal.set()

    def _refusal(self, copy: PartitionCopy, answer: str) -> Cause:
        if answer == TOPIC_AUTHORIZATION_FAILED:
            text = f"reading {copy.upstream} at the source is not allowed ({answer}); grant READ and DESCRIBE on it"
            return self._cause("authorization_failed", text, copy)
        return self._cause(answer.lower(), f"{copy.upstream}: the source answers {answer}", copy)

    def _stall(self, copy: PartitionCopy, cause: Cause) -> None:
        copy.stop_for("stalled", cause)
        copy.fetch_waits = copy.cause
        self.leave_out(copy)

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        return Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)
