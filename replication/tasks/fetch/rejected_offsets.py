"""Finds the place at which a partition continues when its source does not accept the fetch offset.

Retention, a cut log and a lost epoch checkpoint concern hundreds of partitions at once. Fetching does not wait for
them: they are collected, and each question is asked once for all of them.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.leader_epochs import MOST_EPOCHS, EpochEnd, Epochs, common_end, older_epoch
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

IDLE_S = 1.0
PATIENCE_S = 30.0  # leaders that just changed, or recover their logs, reject offsets that they accept later
_Place = tuple[bytes, int]  # topic id and fetch offset


class _Question(NamedTuple):
    """A partition at the moment at which its offset was rejected."""

    copy: PartitionCopy
    place: _Place
    epoch: int
    epochs: Epochs
    diverging: EpochEnd | None

    @property
    def offset(self) -> int:
        return self.place[1]


class _Answers(NamedTuple):
    """The ends of the logs, and how far each partition's log is still that of its leader."""

    starts: Mapping[TopicPartition, int]
    ends: Mapping[TopicPartition, int]
    common: Mapping[TopicPartition, int]
    unknown: Collection[TopicPartition]  # their leaders know none of the epochs that were read
    unanswered: Collection[TopicPartition]  # their leaders were asked for an epoch and gave no answer


class RejectedOffsets:
    """One coroutine per slot."""

    def __init__(self, context: SlotContext, events: SlotEvents, gaps: GapHandler) -> None:
        self._context = context
        self._events = events
        self._gaps = gaps
        self._pending: dict[TopicPartition, _Question] = {}
        self._since_s: dict[TopicPartition, tuple[_Place, float]] = {}
        self._signal = context.ports.loop.signal()

    def note(self, copy: PartitionCopy, diverging: EpochEnd | None = None) -> None:
        """The offset is out of range, or `diverging` says where the leader's log and ours part."""
        cursor = copy.cursor
        self._pending[copy.upstream] = _Question(
            copy, (cursor.topic_id, cursor.offset), cursor.epoch, cursor.epochs, diverging
        )
        self._signal.set()

    async def run(self) -> None:
        while not self._context.stopping:
            await self._signal.wait(IDLE_S)
            pending, self._pending = self._pending, {}
            if pending and not self._context.stopping:
                await self._handle(pending)

    async def _handle(self, questions: Mapping[TopicPartition, _Question]) -> None:
        try:
            answers = await self._ask(questions)
        except ReplicationError as error:
            cause = self._context.note_trouble("fetch", error)
            for question in questions.values():
                question.copy.obstructions.stall_fetch(cause)
            self._context.refresh_signal.set()
            return
        for upstream, question in questions.items():
            self._continue(upstream, question, answers)

    async def _ask(self, questions: Mapping[TopicPartition, _Question]) -> _Answers:
        source = self._context.ports.source
        starts = await source.offsets(dict.fromkeys(questions, "earliest"))
        ends = await source.offsets(dict.fromkeys(questions, "latest"))
        readable = {
            upstream: question
            for upstream, question in questions.items()
            if upstream in starts and starts[upstream] <= question.offset
        }
        return _Answers(starts, ends, *await self._common_ends(readable))

    async def _common_ends(
        self, questions: Mapping[TopicPartition, _Question]
    ) -> tuple[dict[TopicPartition, int], set[TopicPartition], set[TopicPartition]]:
        """Ask for older and older epochs, until the leader knows one of ours."""
        common: dict[TopicPartition, int] = {}
        unknown: set[TopicPartition] = set()
        unanswered: set[TopicPartition] = set()
        ends = {upstream: each.diverging for upstream, each in questions.items() if each.diverging is not None}
        asked = {upstream: each.epoch for upstream, each in questions.items() if each.epoch >= 0 or upstream in ends}
        for _ in range(MOST_EPOCHS + 1):
            missing = asked.keys() - ends.keys()
            if missing:
                ends |= await self._context.ports.source.epoch_ends({upstream: asked[upstream] for upstream in missing})
            following: dict[TopicPartition, int] = {}
            for upstream, epoch in asked.items():
                question, end = questions[upstream], ends.get(upstream)
                if end is None:
                    unanswered.add(upstream)
                    continue
                if end.is_known:
                    found = common_end(question.epochs, common.get(upstream, question.offset), end)
                    common[upstream], ask = found
                else:
                    ask = older_epoch(question.epochs, epoch)
                if ask is not None:
                    following[upstream] = ask
                elif upstream not in common:
                    unknown.add(upstream)
            asked, ends = following, {}
            if not asked:
                break
        return common, unknown, unanswered

    def _continue(self, upstream: TopicPartition, question: _Question, answers: _Answers) -> None:
        copy, cursor = question.copy, question.copy.cursor
        if copy.obstructions.is_dead or self._context.roster.copies.get(upstream) is not copy:
            return
        start, end = answers.starts.get(upstream), answers.ends.get(upstream)
        common = answers.common.get(upstream, question.offset)
        if (cursor.topic_id, cursor.offset) != question.place:
            self._events.ready(copy)  # an aborted transaction or a reset moved it: that place is judged separately
        elif start is None or end is None:
            self._stall(copy, "leader_not_available", f"source partition {upstream} gives no offsets yet")
        elif upstream in answers.unanswered:
            self._stall(copy, "leader_not_available", f"source partition {upstream} gives no leader epochs yet")
        elif common < question.offset or (question.diverging is not None and question.offset >= start):
            self._gaps.note_divergence(copy, common, start)
            self._resume(copy)
        elif not start <= question.offset <= end:
            self._gaps.note_out_of_range(copy, start, end)
            self._resume(copy)
        else:
            self._wait(copy, question, start, is_unknown=upstream in answers.unknown)

    def _wait(self, copy: PartitionCopy, question: _Question, start: int, *, is_unknown: bool) -> None:
        """The offset is in the log, yet it is rejected: that passes, unless the log holds none of our epochs."""
        now_s = self._context.ports.loop.monotonic_s()
        known = self._since_s.get(copy.upstream)
        since_s = known[1] if known is not None and known[0] == question.place else now_s
        self._since_s[copy.upstream] = question.place, since_s
        if is_unknown and now_s - since_s >= PATIENCE_S:
            del self._since_s[copy.upstream]
            self._gaps.note_divergence(copy, question.offset, start)
            self._resume(copy)
            return
        why = f"and knows no leader epoch up to {question.epoch}" if is_unknown else "although it is in the log"
        text = f"{copy.upstream}: the source rejects offset {question.offset} as out of range, {why}; it is asked again"
        self._stall(copy, "offset_rejected", text)

    def _resume(self, copy: PartitionCopy) -> None:
        self._events.filled(copy)
        self._events.ready(copy)

    def _stall(self, copy: PartitionCopy, code: str, text: str) -> None:
        copy.obstructions.stall_fetch(copy.cause(code, text, self._context.ports.loop.now_ms()))
        self._context.refresh_signal.set()
