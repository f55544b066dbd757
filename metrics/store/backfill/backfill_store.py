"""The store as the driver of a backfill sees it: it takes over the steps that the tasks have folded."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from metrics.counting.flow_totals import FlowChange, FlowTotals
from metrics.counting.group_rows import LatestReport, SeriesKey
from metrics.schemas import (
    BACKFILL_COVERED,
    BACKFILL_NOW,
    BACKFILL_TILE,
    COVERED,
    FLOW_TOPIC,
    PARTITION_NOW,
    SERIES,
    TILE_COLUMNS,
    WHOLE_TOPIC,
    Table,
)
from metrics.store.backfill.backfill_range import HOUR_MS, BackfillRange, hour_of, tile_rows
from metrics.store.backfill.running import Part, check_runs
from metrics.store.batch_commit import PreparedShard
from metrics.store.connection import Connection, Row
from metrics.store.staging import delete_staged_of, take_over
from metrics.store.statements import REPORT_COLUMNS, insert_sql, upsert_from_sql

_STATE_OF: Mapping[str, Table] = {PARTITION_NOW.name: BACKFILL_NOW, COVERED.name: BACKFILL_COVERED}
_TILE_NAMES = ", ".join(column.name for column in TILE_COLUMNS)

Touched = set[tuple[Part, int]]  # parts of `backfill_tile` and the series that were added to in them


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenStep:
    """The effect of a step: the topics' sums after it, and the series whose tiles the driver has written."""

    flows: FlowChange
    touched: Touched


class BackfillStore:
    """All calls are within a transaction of the caller's, and raise JobError if another backfill has begun."""

    def __init__(self, target: str, backfill: BackfillRange) -> None:
        self._target = target
        self._backfill = backfill

    def take(
        self, connection: Connection, step: int, shards: Sequence[PreparedShard], flows: FlowTotals, now_ms: int
    ) -> TakenStep:
        """Add the tiles of a step and replace the states; `flows` is as it was before the step."""
        check_runs(connection, self._target, self._backfill.backfill_id)
        touched: Touched = set()
        for shard in shards:
            for name, rows in shard.enclosed():
                touched |= self._add(connection, step, name, rows)
        staged = {shard.attempt: shard.counts for shard in shards if shard.counts}
        if staged:
            take_over(connection, staged, lambda name, source: self._moving(step, name, source))
            delete_staged_of(connection, "= ?", (self._backfill.backfill_id,))
        change = flows.change(
            (shard.flows for shard in shards), lambda topics: self._members(connection, topics), now_ms
        )
        parts = self._backfill.parts("flow", change.tiles)
        rows = tile_rows(parts, self._flow_ids(connection, {key for key, _ in parts}))
        touched |= self._add(connection, step, self._backfill.relation("flow"), rows)
        return TakenStep(flows=change, touched=touched)

    def partitions(self, connection: Connection) -> int:
        """Return the number of partitions counted so far."""
        found = connection.rows(
            "SELECT COUNT(*) FROM backfill_covered WHERE backfill_id = ?", (self._backfill.backfill_id,)
        )
        return int(found[0][0])

    def _add(self, connection: Connection, step: int, name: str, rows: Sequence[Row]) -> Touched:
        backfill_id = self._backfill.backfill_id
        if name in _STATE_OF:
            connection.upsert(_STATE_OF[name], [(backfill_id, *row) for row in rows])
            return set()
        if rows:
            connection.add(BACKFILL_TILE, [(backfill_id, name, hour_of(row[1]), step, *row) for row in rows])
        return {((name, hour_of(row[1])), row[0]) for row in rows}

    def _moving(self, step: int, name: str, source: str) -> str:
        """SQL that takes staged rows over."""
        backfill_id = self._backfill.backfill_id
        if name in _STATE_OF:
            rows = f"(SELECT {backfill_id} AS backfill_id, t.* FROM (SELECT * FROM {source}) AS t) AS staged"  # noqa: S608 - our own names
            return upsert_from_sql(_STATE_OF[name], rows)
        columns = f"backfill_id, relation, hour_ms, step, {_TILE_NAMES}"
        values = f"{backfill_id}, relation, time_ms / {HOUR_MS} * {HOUR_MS}, {step}, {_TILE_NAMES}"
        return f"INSERT INTO backfill_tile ({columns}) SELECT {values} FROM {source}"  # noqa: S608 - our own names

    def _flow_ids(self, connection: Connection, flows: Collection[SeriesKey]) -> dict[SeriesKey, int]:
        if not flows:
            return {}
        connection.run_many(insert_sql(SERIES, ignore_conflict=True), sorted(flows))
        rows = connection.rows(
            "SELECT source, target, topic, remote_topic, partition, consumer_group, id FROM series "
            "WHERE target = ? AND topic = ? AND consumer_group = ''",
            (self._target, FLOW_TOPIC),
        )
        return {SeriesKey(*row[:6]): row[6] for row in rows}

    def _members(self, connection: Connection, topics: Collection[SeriesKey]) -> dict[SeriesKey, list[LatestReport]]:
        """The partitions of topics as the backfill has last heard of them."""
        among, names = connection.among(sorted({topic.topic for topic in topics}))
        rows = connection.rows(
            f"SELECT s.source, s.target, s.topic, s.remote_topic, {REPORT_COLUMNS} "  # noqa: S608 - our own names
            "FROM series s JOIN backfill_now n ON n.series_id = s.id "
            f"WHERE s.target = ? AND n.backfill_id = ? AND s.partition >= 0 AND s.topic {among}",
            (self._target, self._backfill.backfill_id, names),
        )
        found: defaultdict[SeriesKey, list[LatestReport]] = defaultdict(list)
        for row in rows:
            topic = SeriesKey(row[0], row[1], row[2], row[3], WHOLE_TOPIC)
            if topic in topics:
                found[topic].append(LatestReport(*row[4:]))
        return dict(found)
