"""Finds where partitions begin that have no stored position: brand new ones, and those whose position was lost.

Copying silently from the start again would double a remote topic, so a remote partition that holds records is evidence:
our offset runs show how far it was copied; without them a person has to say where to continue. Under an equal name
others may have written the records: there an offset sync of the partition is the evidence that we copied it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import structlog

from replication.domain.errors import Cause
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import OFFSET_RUNS
from replication.domain.offsets.gap_policy import copies_from_start
from replication.domain.offsets.positions import Position
from replication.domain.offsets.start_position import starts_at
from replication.domain.plan.slot import PlannedPartition
from replication.domain.settings.registry.flow import START_OFFSETS
from replication.ports.fetch.metadata import OffsetAt
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LostPosition:
    """A partition whose place is unknown; what was copied for certain ends at `copied_to` (0: unknown)."""

    cause: Cause
    copied_to: int


@dataclass(slots=True)
class Beginnings:
    """The answer; a partition in neither cannot be asked for now and is tried again."""

    positions: dict[TopicPartition, Position] = field(default_factory=dict)
    lost: dict[TopicPartition, LostPosition] = field(default_factory=dict)
    # these may have been copied before and start over all the same: the flow's policy, or no evidence
    again: set[TopicPartition] = field(default_factory=set)

    def start_at(self, upstream: TopicPartition, position: Position) -> None:
        """Start the partition at this position."""
        self.positions[upstream] = position

    def note_lost(self, upstream: TopicPartition, lost: LostPosition) -> None:
        """Note a partition that a person has to give a position."""
        self.lost[upstream] = lost

    def note_again(self, upstream: TopicPartition) -> None:
        """Note a partition that starts over."""
        self.again.add(upstream)


class StartPositions:
    """Asks both clusters, only for partitions without a stored position."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._runs_topic = OFFSET_RUNS.name(context.spec.flow.source)

    async def of(self, fresh: Collection[PlannedPartition], stored: Mapping[TopicPartition, Position]) -> Beginnings:
        """`stored` are all positions of the flow."""
        found = Beginnings()
        if not fresh:
            return found
        remotes = {_remote(planned) for planned in fresh}
        ends = await self._context.ports.target.offsets(dict.fromkeys(remotes, "latest"))
        empty = [planned for planned in fresh if ends.get(_remote(planned)) == 0]
        filled = [planned for planned in fresh if ends.get(_remote(planned), 0) > 0]
        if filled:
            empty += await self._copied_before(filled, found)
        await self._begin(empty, stored, found)
        return found

    async def _copied_before(self, filled: list[PlannedPartition], found: Beginnings) -> list[PlannedPartition]:
        """Find positions in offset runs; return those that may begin as if nothing had been copied."""
        context, policy = self._context, self._context.spec.gap_policy
        runs = await context.ports.history.last_runs(self._runs_topic, {planned.upstream for planned in filled})
        chosen = dict(context.spec.start_offsets)
        known = await self._synced([each.upstream for each in filled if each.upstream not in {**runs, **chosen}])
        synced = known or {}
        others: list[PlannedPartition] = []
        for planned in filled:
            run = runs.get(planned.upstream)
            if run is not None:
                log.warning(
                    "position recovered from offset runs",
                    flow=str(context.spec.flow),
                    topic=planned.upstream.topic,
                    partition=planned.upstream.partition,
                    offset=run.upstream_end,
                )
                position = Position(
                    next_offset=run.upstream_end, topic_id=run.topic_id, downstream_next=run.downstream_end
                )
                found.start_at(planned.upstream, position)
            elif planned.upstream in chosen:
                others.append(planned)
            elif _is_shared(planned) and planned.upstream not in synced:
                others.append(planned)
                if known is None:
                    found.note_again(planned.upstream)  # there is no evidence, so a gap record says it
            elif copies_from_start(policy):
                others.append(planned)
                found.note_again(planned.upstream)
            else:
                found.note_lost(planned.upstream, self._lost(planned, synced.get(planned.upstream, 0)))
        return others

    async def _synced(self, upstreams: Collection[TopicPartition]) -> Mapping[TopicPartition, int] | None:
        """Return the offset behind each partition's newest offset sync; None where syncs are not written or read."""
        if not upstreams:
            return {}
        context = self._context
        syncs = await context.ports.history.last_syncs(context.spec.offset_syncs_topic, upstreams)
        if syncs is None or not (syncs or context.spec.writes_offset_syncs):
            return None
        return {upstream: offset + 1 for upstream, offset in syncs.items()}

    def _lost(self, planned: PlannedPartition, copied_to: int) -> LostPosition:
        upstream = planned.upstream
        known = f" (at least to offset {copied_to}, says the newest offset sync)" if copied_to else ""
        cause = Cause(
            code="positions_lost",
            text=(
                f"{planned.remote_topic}-{upstream.partition} holds records, but no position says up to "
                f"where {upstream} was copied{known}; reset the partition to an offset, or set {START_OFFSETS} = "
                f"{upstream.topic}:{upstream.partition}=<offset>"
            ),
            topic=upstream.topic,
            partition=upstream.partition,
            since_ms=self._context.ports.loop.now_ms(),
        )
        return LostPosition(cause, copied_to)

    async def _begin(
        self, fresh: list[PlannedPartition], stored: Mapping[TopicPartition, Position], found: Beginnings
    ) -> None:
        spec = self._context.spec
        chosen = dict(spec.start_offsets)
        oldest: dict[str, int] = {}
        for upstream, position in stored.items():
            oldest[upstream.topic] = min(position.generation, oldest.get(upstream.topic, position.generation))
        ask: dict[TopicPartition, OffsetAt] = {}
        starts: dict[TopicPartition, int] = {}
        for planned in fresh:
            if planned.upstream in chosen:
                starts[planned.upstream] = chosen[planned.upstream]
            else:
                known = oldest.get(planned.upstream.topic)
                ask[planned.upstream] = starts_at(planned.upstream.partition, planned.joined, known, spec.start)
        starts |= await self._offsets(ask)
        for planned in fresh:
            start = starts.get(planned.upstream)
            if start is not None and start >= 0:
                found.start_at(planned.upstream, Position(next_offset=start, topic_id=planned.topic_id))

    async def _offsets(self, ask: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        """Ask for offsets by ListOffsets; a timestamp behind the last record means the end."""
        if not ask:
            return {}
        source = self._context.ports.source
        found = await source.offsets(ask)
        behind_the_end = [upstream for upstream, offset in found.items() if offset < 0]
        return {**found, **await source.offsets(dict.fromkeys(behind_the_end, "latest"))} if behind_the_end else found


def _remote(planned: PlannedPartition) -> TopicPartition:
    return TopicPartition(planned.remote_topic, planned.upstream.partition)


def _is_shared(planned: PlannedPartition) -> bool:
    """True under an identity policy: others may write to the remote topic, so its records prove nothing."""
    return planned.remote_topic == planned.upstream.topic
