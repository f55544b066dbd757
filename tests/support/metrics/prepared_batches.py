"""Batches as a task on an executor prepares them, for tests of the store."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metrics.counting.flow_totals import FlowPart
from metrics.counting.group_rows import TileGroup
from metrics.counting.head_totals import HeadTotals
from metrics.counting.series_state import SeriesState
from metrics.counting.shards import flow_times, shard_folded
from metrics.store.batch_commit import PreparedBatch
from metrics.store.connection import Row, SharedConnection
from metrics.store.shard_store import ReadAt, ShardState, ShardStore

_NO_HEADS = HeadTotals()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One shard with its rows, or their counts where they are staged."""

    attempt: int
    read_at: ReadAt
    times: frozenset[int]
    flows: FlowPart
    counts: Mapping[str, int] = field(default_factory=dict)
    rows: Sequence[tuple[str, list[Row]]] = ()

    def enclosed(self) -> Iterator[tuple[str, list[Row]]]:
        yield from self.rows


def prepared(
    connection: SharedConnection,
    target: str,
    epoch: int,
    groups: Sequence[TileGroup] = (),
    *,
    heads: HeadTotals = _NO_HEADS,
    knows_state: bool = False,
    ten_seconds: bool = True,
    staged: int | None = None,
    number: int = 1,
) -> PreparedBatch:
    """A batch of one shard. `staged` is the number of the attempt whose rows wait in the store."""
    if not groups:
        return PreparedBatch(number=number, heads=heads)
    store = ShardStore(connection, target, epoch)
    read_at = store.read_at()
    state = ShardState()
    store.load(state, {group.topic for group in groups})
    found = shard_folded(groups, state.series_state if knows_state else SeriesState(), flow_times(groups))
    store.assign_ids(state, {*found.states, *(each.topic for each in found.topic_totals)})
    rows = [*store.rows(found, state.ids, read_at.rolled, partition_ten_seconds=ten_seconds)]
    counts = {} if staged is None else store.stage(number, staged, rows)
    shard = Shard(
        attempt=staged or 0,
        read_at=read_at,
        times=frozenset(group.time_ms for group in groups),
        flows=FlowPart(tiles=found.flows, totals=found.flow_totals, topics=found.topic_totals),
        counts=counts,
        rows=[(table.name, part) for table, part in rows] if staged is None else [],
    )
    return PreparedBatch(number=number, heads=heads, shards=[shard])
