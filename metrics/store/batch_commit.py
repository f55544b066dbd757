"""A batch as the driver commits it: heads, the rows that tasks prepared, and sums of flows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from metrics.counting.flow_totals import FlowPart
from metrics.counting.head_totals import HeadTotals
from metrics.store.connection import Connection, Row
from metrics.store.shard_store import ReadAt
from metrics.store.staging import TABLE_OF, take_over
from metrics.store.tile_writer import RolledTo


class PreparedShard(Protocol):
    """The rows of a shard, staged under an attempt or enclosed, and the state from which they were made."""

    @property
    def attempt(self) -> int: ...
    @property
    def read_at(self) -> ReadAt: ...
    @property
    def times(self) -> frozenset[int]: ...
    @property
    def flows(self) -> FlowPart: ...
    @property
    def counts(self) -> Mapping[str, int]: ...
    def enclosed(self) -> Iterator[tuple[str, list[Row]]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBatch:
    """The results of a batch's tasks."""

    number: int = 0
    heads: HeadTotals = field(default_factory=HeadTotals)
    shards: Sequence[PreparedShard] = ()


def still_holds(shards: Iterable[PreparedShard], rolled: RolledTo, revision: int) -> bool:
    """Return True if the state from which the rows were made has not changed in a way that affects them."""
    return all(each.read_at.holds(each.times, rolled, revision) for each in shards)


def write_shards(connection: Connection, shards: Sequence[PreparedShard]) -> int:
    """Write all rows of the shards and return the number of staged ones."""
    for shard in shards:
        for name, rows in shard.enclosed():
            connection.upsert(TABLE_OF[name], rows)
    staged = {shard.attempt: shard.counts for shard in shards if shard.counts}
    return take_over(connection, staged) if staged else 0
