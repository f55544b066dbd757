"""The metrics store for a task: reads the state of its topics and prepares rows.

Nothing that a task does here can be seen before the driver's transaction, but the ids of new series. Anything it
read is checked there: the epoch, the borders of the roll-up, and the revision that changes of another hand increase.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from metrics.counting.batch import TileKey
from metrics.counting.coverage import Reach
from metrics.counting.group_rows import LatestReport, SeriesKey, topic_of
from metrics.counting.series_state import PartitionProgress, SeriesState
from metrics.counting.shards import ShardFold
from metrics.counting.sums.tile_sums import TileSums
from metrics.errors import StoreUnavailableError, WriterFencedError
from metrics.schemas import COVERED, HOUR_EXCHANGED, PARTITION_NOW, SERIES, Table
from metrics.store.connection import Connection, Row, SharedConnection
from metrics.store.rollup import rolled_to
from metrics.store.staging import stage
from metrics.store.statements import REPORT_COLUMNS, insert_sql
from metrics.store.tile_writer import RolledTo, new_tiles, unaffected
from replication.domain.reporting.metric_defs import TileLevel

_LOOK_EVERY_S = 0.01
# Longer than any commit: a query whose commit fails ends, and with it the tasks that wait here.
_COMMIT_LIMIT_S = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAt:
    """The conditions that must still hold when the rows are written."""

    rolled: RolledTo
    revision: int

    @property
    def series_revision(self) -> int:
        """Changes when series are deleted; hours that are exchanged leave series as they are."""
        return series_revision(self.revision)

    def holds(self, times: Collection[int], rolled: RolledTo, revision: int) -> bool:
        """Return True if rows of these times, made from what was read, are correct under other conditions.

        Only hours that the roll-up has passed are exchanged, so rows of later times are added to none of their tiles.
        """
        if self.series_revision != series_revision(revision):
            return False
        is_exchanged = self.revision != revision and any(time_ms < self.rolled.hour_ms for time_ms in times)
        return not is_exchanged and unaffected(times, self.rolled, rolled)


def series_revision(revision: int) -> int:
    """Return the part of a revision that counts deletions of series."""
    return revision % HOUR_EXCHANGED


@dataclass(slots=True)
class ShardState:
    """The state of a shard's topics: ids of their series, states of their partitions."""

    topics: set[SeriesKey] = field(default_factory=set)
    ids: dict[SeriesKey, int] = field(default_factory=dict)
    series_state: SeriesState = field(default_factory=SeriesState)


class ShardStore:
    """Raises WriterFencedError as soon as another process has claimed the target."""

    def __init__(self, connection: SharedConnection, target: str, epoch: int) -> None:
        self._connection = connection
        self._target = target
        self._epoch = epoch
        # Not the target: tasks that stage wait neither for each other nor for the driver, and no one waits for them.
        self._queue = f"staging of {target}"

    def wait_for(self, offsets: Mapping[tuple[str, int], int]) -> None:
        """Wait until the ledger holds these offsets, so that all that follows is read after the commit of them.

        Raises StoreUnavailableError if the commit does not come.
        """
        end_s = time.monotonic() + _COMMIT_LIMIT_S
        while offsets and not self._holds(offsets):
            if time.monotonic() > end_s:
                raise StoreUnavailableError(f"the former batch of target {self._target} is still not committed")
            time.sleep(_LOOK_EVERY_S)

    def _holds(self, offsets: Mapping[tuple[str, int], int]) -> bool:
        with self._connection.reading() as connection:
            self._check_epoch(connection)
            rows = connection.rows(
                "SELECT topic, partition, next_offset FROM ingest_offset WHERE target = ?", (self._target,)
            )
        found = {(topic, partition): int(next_offset) for topic, partition, next_offset in rows}
        return all(found.get(raw, -1) >= offset for raw, offset in offsets.items())

    def read_at(self) -> ReadAt:
        """Return the conditions; call it before any other read."""
        with self._connection.reading() as connection:
            revision = self._check_epoch(connection)
            return ReadAt(rolled=rolled_to(connection, self._target), revision=revision)

    def load(self, state: ShardState, topics: Collection[SeriesKey]) -> None:
        """Add topics to a state."""
        if not topics:
            return
        with self._connection.reading() as connection:
            condition, names = connection.among(sorted({topic.topic for topic in topics}))
            rows = connection.rows(
                "SELECT s.source, s.target, s.topic, s.remote_topic, s.partition, s.id, "  # noqa: S608 - our own names
                f"c.topic_id, c.first_offset, c.next_offset, {REPORT_COLUMNS} "
                f"FROM series s {self._states()} "
                f"WHERE s.target = ? AND s.consumer_group = '' AND s.topic {condition}",
                (self._target, names),
            )
        states: dict[SeriesKey, PartitionProgress] = {}
        for row in rows:
            key = SeriesKey(*row[:5])
            if topic_of(key) in topics:
                state.ids[key] = row[5]
                if row[6] is not None and row[9] is not None:
                    states[key] = PartitionProgress(Reach(*row[6:9]), LatestReport(*row[9:]))
        state.series_state.update(states)
        state.topics.update(topics)

    def assign_ids(self, state: ShardState, keys: Collection[SeriesKey]) -> None:
        """Create ids for series that have none. Ids without a later row are deleted with the forgotten series."""
        missing = sorted(key for key in keys if key not in state.ids)
        if not missing:
            return
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            connection.run_many(insert_sql(SERIES, ignore_conflict=True), missing)
        self.load(state, {topic_of(key) for key in missing})

    def rows(
        self, fold: ShardFold, ids: Mapping[SeriesKey, int], rolled: RolledTo, *, partition_ten_seconds: bool
    ) -> Iterator[tuple[Table, list[Row]]]:
        """Yield the rows of the shard's tiles, partitions and topics, some thousand at a time."""
        levels: tuple[TileLevel, ...] = ("partition", "topic")
        for level, tiles in zip(levels, (fold.partitions, fold.topics), strict=True):
            yield from self._tile_rows(
                level, tiles, ids, rolled, ten_seconds=partition_ten_seconds or level != "partition"
            )
        nows: list[Row] = [(ids[key], *state.now) for key, state in fold.states.items()]
        nows += [(ids[key], *now) for key, now in fold.topic_nows()]
        yield PARTITION_NOW, nows
        yield COVERED, [(ids[key], *state.reach) for key, state in fold.states.items()]

    def stage(self, batch: int, attempt: int, rows: Iterable[tuple[Table, list[Row]]]) -> dict[str, int]:
        """Write rows to the staging tables under this attempt, and return the number of rows per table."""
        made = list(rows)  # read before the writing begins
        with self._connection.writing(self._queue) as connection:
            self._check_epoch(connection)
            return stage(connection, attempt, (self._target, self._epoch, batch), made)

    def _tile_rows(
        self,
        level: TileLevel,
        tiles: Mapping[TileKey, TileSums],
        ids: Mapping[SeriesKey, int],
        rolled: RolledTo,
        *,
        ten_seconds: bool,
    ) -> Iterator[tuple[Table, list[Row]]]:
        of_ids = {(ids[key], time_ms): sums for (key, time_ms), sums in tiles.items()}
        with self._connection.reading() as connection:
            yield from new_tiles(connection, level, of_ids, rolled, ten_seconds=ten_seconds)

    def _states(self) -> str:
        """The joins that find the states of the series `s`."""
        return "LEFT JOIN covered c ON c.series_id = s.id LEFT JOIN partition_now n ON n.series_id = s.id"

    def _check_epoch(self, connection: Connection) -> int:
        found = connection.rows("SELECT epoch, owner, revision FROM writer WHERE target = ?", (self._target,))
        if not found or found[0][0] != self._epoch:
            owner = found[0][1] if found else "no one"
            raise WriterFencedError(f"the metrics of target {self._target} are written by {owner} now")
        return int(found[0][2])
