"""The plain way to count, with which the stages on executors must agree: one process, one fold, one transaction."""

from collections.abc import Iterable

from metrics.counting.group_rows import SeqKey, SeriesKey
from metrics.counting.records import RawRow
from metrics.counting.series_state import PartitionProgress
from metrics.counting.tiles import counted
from metrics.schemas import COVERED, PARTITION_NOW, SERIES, tile_table
from metrics.store.address import connect
from metrics.store.connection import Connection
from metrics.store.rollup import rolled_to
from metrics.store.statements import insert_sql
from metrics.store.target_store import TargetStore
from metrics.store.tile_writer import TABLE_OF, IdTiles, RolledTo, merged_tiles
from metrics.stream.ledger import LedgerEntry, RawPartition
from replication.domain.reporting.metric_defs import TileLevel, TileWidth
from tests.support.metrics.folding.whole_batch import whole_batch

_LEVELS: tuple[TileLevel, ...] = ("partition", "topic", "flow")


class ReferenceFold(TargetStore):
    """Counts batches of one target into its own store."""

    def __init__(self, url: str, target: str, *, ten_seconds: bool = True) -> None:
        super().__init__(connect(url), target, "reference")
        self._states: dict[SeriesKey, PartitionProgress] = {}
        self._seqs: dict[SeqKey, int] = {}
        self._next_offsets: dict[RawPartition, int] = {}
        self._ten_seconds = ten_seconds

    def count(self, rows: Iterable[RawRow], now_ms: int) -> None:
        """One batch."""
        heads, groups = counted(rows, self._target, self._next_offsets, self._seqs)
        if not heads:
            return
        change = whole_batch(heads, groups, self._states, now_ms)
        ledger = {raw: LedgerEntry("00", following) for raw, (_, following) in change.heads.read.items()}
        keys = {key for level in _LEVELS for key, _ in change.tiles[level]}
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            ids = self._ids_of(connection, keys)
            rolled = rolled_to(connection, self._target)
            nows = [(key, state.now) for key, state in change.states.items()] + list(change.rollup_totals.items())
            connection.upsert(PARTITION_NOW, [(ids[key], *now) for key, now in nows])
            connection.upsert(COVERED, [(ids[key], *state.reach) for key, state in change.states.items()])
            for level in _LEVELS:
                tiles = {(ids[key], time_ms): sums for (key, time_ms), sums in change.tiles[level].items()}
                _add(connection, level, tiles, rolled, ten_seconds=self._ten_seconds or level != "partition")
            self._write_side(connection, change.heads.side, rolled)
            self._write_heads(connection, change.heads, now_ms)
            self._write_ledger(connection, ledger)
        self._states |= change.states
        self._seqs |= {key: seq for key, (seq, _) in change.heads.seqs.items()}
        self._next_offsets |= {raw: entry.next_offset for raw, entry in ledger.items()}

    def _ids_of(self, connection: Connection, keys: set[SeriesKey]) -> dict[SeriesKey, int]:
        connection.run_many(insert_sql(SERIES, ignore_conflict=True), sorted(keys))
        found = self._all_ids(connection, "target = ?", (self._target,))
        return {key: found[key] for key in keys}


def _merge(
    connection: Connection, level: TileLevel, width: TileWidth, tiles: IdTiles, contained_ms: int | None = None
) -> None:
    for rows in merged_tiles(connection, level, width, tiles, contained_ms=contained_ms):
        connection.upsert(TABLE_OF[tile_table(level, width)], rows)


def _add(connection: Connection, level: TileLevel, tiles: IdTiles, rolled: RolledTo, *, ten_seconds: bool) -> None:
    """Width by width, each reading what the finer one has just written."""
    if ten_seconds:
        _merge(connection, level, "10s", tiles)
        tiles = {key: sums for key, sums in tiles.items() if key[1] < rolled.minute_ms}
    _merge(connection, level, "1m", tiles, contained_ms=rolled.minute_ms if ten_seconds else None)
    late = {key: sums for key, sums in tiles.items() if key[1] < rolled.hour_ms}
    _merge(connection, level, "1h", late, contained_ms=rolled.hour_ms)
