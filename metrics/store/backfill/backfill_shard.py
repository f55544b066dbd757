"""The metrics store as the task of a backfill sees it: states and tiles of the backfill instead of the target's."""

from collections.abc import Collection, Iterator, Mapping

from metrics.counting.batch import TileKey
from metrics.counting.group_rows import SeriesKey
from metrics.counting.sums.tile_sums import TileSums
from metrics.errors import BatchOutdatedError
from metrics.schemas import Table
from metrics.store.backfill.backfill_range import BackfillRange, tile_rows
from metrics.store.backfill.running import check_runs
from metrics.store.connection import Connection, Row, SharedConnection
from metrics.store.shard_store import ReadAt, ShardState, ShardStore
from metrics.store.staging import TABLE_OF
from metrics.store.tile_writer import RolledTo
from replication.domain.reporting.metric_defs import TileLevel

_ANY_BORDER = RolledTo(minute_ms=0, hour_ms=0)  # the range lies before all borders


class BackfillShard(ShardStore):
    """Raises JobError as soon as another backfill of the target has begun."""

    def __init__(self, connection: SharedConnection, target: str, backfill: BackfillRange) -> None:
        super().__init__(connection, target, backfill.backfill_id)
        self._backfill = backfill
        self._queue = f"backfill of {target}"  # what is staged is in no writer's way

    def read_at(self) -> ReadAt:
        with self._connection.reading() as connection:
            return ReadAt(rolled=_ANY_BORDER, revision=self._check_epoch(connection))

    def assign_ids(self, state: ShardState, keys: Collection[SeriesKey]) -> None:
        """BatchOutdatedError when a series has no id and the target's writers wait for this task."""
        if self._backfill.writers_wait and any(key not in state.ids for key in keys):
            raise BatchOutdatedError(f"a series of target {self._target} was deleted meanwhile")
        super().assign_ids(state, keys)

    def _tile_rows(
        self,
        level: TileLevel,
        tiles: Mapping[TileKey, TileSums],
        ids: Mapping[SeriesKey, int],
        rolled: RolledTo,
        *,
        ten_seconds: bool,
    ) -> Iterator[tuple[Table, list[Row]]]:
        parts = self._backfill.parts(level, tiles)
        if parts:
            yield TABLE_OF[self._backfill.relation(level)], tile_rows(parts, ids)

    def _states(self) -> str:
        backfill_id = self._backfill.backfill_id
        return (
            f"LEFT JOIN backfill_covered c ON c.series_id = s.id AND c.backfill_id = {backfill_id} "
            f"LEFT JOIN backfill_now n ON n.series_id = s.id AND n.backfill_id = {backfill_id}"
        )

    def _check_epoch(self, connection: Connection) -> int:
        return check_runs(connection, self._target, self._backfill.backfill_id)
