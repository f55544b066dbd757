"""The metrics store as the writer of one target sees it: claim, load, commit. A higher epoch fences."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from metrics.counting.flow_totals import FlowChange, FlowTotals
from metrics.counting.group_rows import LatestReport, SeqKey, SeriesKey
from metrics.counting.head_totals import HeadTotals
from metrics.counting.rollup_totals import ReportTotal, total_of
from metrics.counting.side_records import SideSums
from metrics.errors import BatchOutdatedError, WriterFencedError
from metrics.schemas import (
    BAD_RECORD,
    EVENT,
    FLOW_TOPIC,
    GAP,
    GROUP_NOW,
    INGEST_GAP,
    INGEST_OFFSET,
    PARTITION_NOW,
    QUERY_STATUS,
    SERIES,
    TASK_SEQ,
    WHOLE_TOPIC,
)
from metrics.store.batch_commit import PreparedBatch, still_holds, write_shards
from metrics.store.connection import Connection, Row, SharedConnection
from metrics.store.gauges import add_new_gauges
from metrics.store.rollup import initial_rollup, rolled_to
from metrics.store.shard_store import series_revision
from metrics.store.staging import delete_staged, vacuum_staged
from metrics.store.statements import REPORT_COLUMNS, insert_sql
from metrics.store.tile_writer import RolledTo, add_new_tiles
from metrics.stream.ledger import LedgerEntry, RawGap, RawPartition, Reconciled

_VACUUM_EVERY_ROWS = 250_000
_MAX_SAMPLE_CHARS = 600
GROUP_NUMBERS = GROUP_NOW.column_names[5:]


class TargetStore:
    """The store as the writer of one target. Each write checks the epoch in its transaction: WriterFencedError."""

    def __init__(self, connection: SharedConnection, target: str, owner: str) -> None:
        self._connection = connection
        self._target = target
        self._owner = owner
        self._epoch = 0
        self._ids: dict[SeriesKey, int] = {}  # of flows and groups; tasks give ids to partitions and topics
        self._staged = 0
        self._revision = 0  # as it was when the ids were loaded

    @property
    def epoch(self) -> int:
        return self._epoch

    def other_writer(self, heard_since_ms: int) -> str | None:
        """Return another owner that has written a heartbeat for this target since then."""
        with self._connection.reading() as connection:
            found = connection.rows("SELECT owner, heartbeat_ms FROM writer WHERE target = ?", (self._target,))
        return next((owner for owner, sent_ms in found if owner != self._owner and sent_ms >= heard_since_ms), None)

    def claim(self, now_ms: int) -> None:
        """Become the writer: from here on every older writer is refused."""
        with self._connection.writing(self._target) as connection:
            found = connection.rows(
                "INSERT INTO writer (target, epoch, owner, started_ms, heartbeat_ms, last_batch_ms, revision) "
                "VALUES (?, 1, ?, ?, ?, NULL, 0) ON CONFLICT (target) DO UPDATE SET epoch = writer.epoch + 1, "
                "owner = excluded.owner, started_ms = excluded.started_ms, heartbeat_ms = excluded.heartbeat_ms "
                "RETURNING epoch",
                (self._target, self._owner, now_ms, now_ms),
            )
            initial_rollup(connection, self._target, now_ms)
            delete_staged(connection, self._target, int(found[0][0]), -1)
        self._epoch = int(found[0][0])

    def ledger(self) -> dict[RawPartition, LedgerEntry]:
        with self._connection.reading() as connection:
            return self.ledger_within(connection)

    def ledger_within(self, connection: Connection) -> dict[RawPartition, LedgerEntry]:
        """Return the ledger within the caller's transaction."""
        rows = connection.rows(
            "SELECT topic, partition, topic_id, next_offset FROM ingest_offset WHERE target = ?", (self._target,)
        )
        return {(topic, partition): LedgerEntry(topic_id, offset) for topic, partition, topic_id, offset in rows}

    def last_seqs(self) -> dict[SeqKey, int]:
        """Return the last record counted of each task and boot in each raw partition."""
        with self._connection.reading() as connection:
            rows = connection.rows("SELECT task, boot, partition, seq FROM task_seq WHERE target = ?", (self._target,))
        return {SeqKey(task, boot, partition): seq for task, boot, partition, seq in rows}

    def topic_totals(self) -> dict[SeriesKey, ReportTotal]:
        """Return all topics ever counted, each with its sum at its newest report."""
        with self._connection.reading() as connection:
            self._load_ids(connection)
            topics = self._members(connection, None)
        return {topic: total_of(nows, max(now.last_ms for now in nows)) for topic, nows in topics.items()}

    def partitions(self) -> int:
        """Return the number of partitions ever counted."""
        return self.active_partitions(0)

    def active_partitions(self, heard_since_ms: int) -> int:
        """Return the number of partitions that reported since then."""
        with self._connection.reading() as connection:
            found = connection.rows(
                "SELECT COUNT(*) FROM series s JOIN partition_now n ON n.series_id = s.id "
                "WHERE s.target = ? AND s.partition >= 0 AND n.last_ms >= ?",
                (self._target, heard_since_ms),
            )
        return int(found[0][0])

    def adopt(self, reconciled: Reconciled, now_ms: int) -> None:
        """Write the result of the comparison with the cluster, before the first read."""
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            self._write_gaps(connection, reconciled.gaps, now_ms)
            self._write_ledger(connection, reconciled.ledger)

    def commit(
        self,
        batch: PreparedBatch,
        flows: FlowTotals,
        ledger: Mapping[RawPartition, LedgerEntry],
        gaps: Iterable[RawGap],
        *,
        now_ms: int,
        when_checked: Callable[[], None] = lambda: None,
    ) -> None:
        """Write a batch in one transaction; `ledger` holds the entries after it.

        Raises BatchOutdatedError if the state from which tasks made their rows has changed: fold the batch again.
        From `when_checked` on it has not, and cannot: the transaction holds off whoever could change it.
        """
        with self._connection.writing(self._target) as connection:
            revision = self._check_epoch(connection)
            rolled = rolled_to(connection, self._target)
            if not still_holds(batch.shards, rolled, revision):
                raise BatchOutdatedError(f"tiles of target {self._target} were changed while a batch was folded")
            when_checked()
            self._staged += write_shards(connection, batch.shards)
            change = self._flow_change(connection, batch, flows, now_ms)
            self._write_flows(connection, change, rolled)
            self._write_side(connection, batch.heads.side, rolled)
            self._write_heads(connection, batch.heads, now_ms)
            self._write_gaps(connection, gaps, now_ms)
            self._write_ledger(connection, ledger)
            delete_staged(connection, self._target, self._epoch, batch.number)
            connection.run("UPDATE writer SET last_batch_ms = ? WHERE target = ?", (now_ms, self._target))
        flows.update(change.topics)
        self._vacuum()

    def heartbeat(self, now_ms: int) -> None:
        """Record that this writer is alive."""
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            connection.run("UPDATE writer SET heartbeat_ms = ? WHERE target = ?", (now_ms, self._target))

    def report(self, figures: Mapping[str, int | float | None], warning: str, now_ms: int) -> None:
        """Replace the figures of the query's last minute and the warning about executors."""
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            row = {**figures, "target": self._target, "time_ms": now_ms, "warning": warning}
            connection.upsert(QUERY_STATUS, [tuple(row[name] for name in QUERY_STATUS.column_names)])

    def warn(self, warning: str) -> None:
        """Replace the warning about executors only."""
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            connection.run(
                "INSERT INTO query_status (target, warning) VALUES (?, ?) "
                "ON CONFLICT (target) DO UPDATE SET warning = excluded.warning",
                (self._target, warning),
            )

    def close(self) -> None:
        self._connection.close()

    def _vacuum(self) -> None:
        """Free the space of deleted staged rows once there are many."""
        if self._staged >= _VACUUM_EVERY_ROWS:
            self._staged = 0
            with self._connection.reading() as connection:
                vacuum_staged(connection)

    def _check_epoch(self, connection: Connection) -> int:
        found = connection.rows("SELECT epoch, owner, revision FROM writer WHERE target = ?", (self._target,))
        if not found or found[0][0] != self._epoch:
            owner = found[0][1] if found else "no one"
            raise WriterFencedError(f"the metrics of target {self._target} are written by {owner} now")
        revision = int(found[0][2])
        if series_revision(revision) != series_revision(self._revision):
            self._ids = {}  # they may be those of series that are gone
        self._revision = revision
        return revision

    def _load_ids(self, connection: Connection) -> None:
        self._ids = self._all_ids(connection, "target = ? AND topic = ?", (self._target, FLOW_TOPIC))

    @staticmethod
    def _all_ids(connection: Connection, condition: str, parameters: Row) -> dict[SeriesKey, int]:
        rows = connection.rows(
            "SELECT source, target, topic, remote_topic, partition, consumer_group, id FROM series "  # noqa: S608 - our own names
            f"WHERE {condition}",
            parameters,
        )
        return {SeriesKey(*row[:6]): row[6] for row in rows}

    def _ids_of(self, connection: Connection, keys: set[SeriesKey]) -> dict[SeriesKey, int]:
        missing = sorted(keys - self._ids.keys())
        if missing:
            connection.run_many(insert_sql(SERIES, ignore_conflict=True), missing)
            self._load_ids(connection)
        return {key: self._ids[key] for key in keys}

    def _flow_change(self, connection: Connection, batch: PreparedBatch, flows: FlowTotals, now_ms: int) -> FlowChange:
        def members(topics: Collection[SeriesKey]) -> dict[SeriesKey, list[LatestReport]]:
            return self._members(connection, topics)

        return flows.change((shard.flows for shard in batch.shards), members, now_ms)

    def _members(
        self, connection: Connection, topics: Collection[SeriesKey] | None
    ) -> dict[SeriesKey, list[LatestReport]]:
        """Return the last reports of the partitions of these topics; None means all topics."""
        condition, parameters = "", [self._target]
        if topics is not None:
            among, names = connection.among(sorted({topic.topic for topic in topics}))
            condition, parameters = f"AND s.topic {among}", [self._target, names]
        rows = connection.rows(
            f"SELECT s.source, s.target, s.topic, s.remote_topic, {REPORT_COLUMNS} "  # noqa: S608 - our own names
            "FROM series s JOIN partition_now n ON n.series_id = s.id "
            f"WHERE s.target = ? AND s.partition >= 0 {condition}",
            parameters,
        )
        found: defaultdict[SeriesKey, list[LatestReport]] = defaultdict(list)
        for row in rows:
            topic = SeriesKey(row[0], row[1], row[2], row[3], WHOLE_TOPIC)
            if topics is None or topic in topics:
                found[topic].append(LatestReport(*row[4:]))
        return dict(found)

    def _write_flows(self, connection: Connection, change: FlowChange, rolled: RolledTo) -> None:
        ids = self._ids_of(connection, {*change.nows, *(key for key, _ in change.tiles)})
        tiles = {(ids[key], time_ms): sums for (key, time_ms), sums in change.tiles.items()}
        add_new_tiles(connection, "flow", tiles, rolled, ten_seconds=True)
        connection.upsert(PARTITION_NOW, [(ids[key], *now) for key, now in change.nows.items()])

    def _write_side(self, connection: Connection, side: SideSums, rolled: RolledTo) -> None:
        ids = self._ids_of(connection, {key for key, _ in side.group_tiles} | {key for key, _, _ in side.gauges})
        tiles = {(ids[key], time_ms): sums for (key, time_ms), sums in side.group_tiles.items()}
        add_new_tiles(connection, "group", tiles, rolled, ten_seconds=True)
        gauges = {(ids[key], name, time_ms): gauge for (key, name, time_ms), gauge in side.gauges.items()}
        add_new_gauges(connection, gauges, rolled)
        connection.upsert(
            GROUP_NOW,
            [
                (source, self._target, group, topic, partition, *(getattr(now, name) for name in GROUP_NUMBERS))
                for (source, group, topic, partition), now in side.groups.items()
            ],
        )
        names = [column.name for column in EVENT.columns if not column.identity and column.name != "target"]
        connection.run_many(
            f"INSERT INTO event (target, {', '.join(names)}) VALUES (?{', ?' * len(names)})",  # noqa: S608 - our own names
            [(self._target, *(getattr(event, name) for name in names)) for event in side.events],
        )

    def _write_heads(self, connection: Connection, heads: HeadTotals, now_ms: int) -> None:
        connection.upsert(
            TASK_SEQ,
            [(self._target, *key, seq, last_ms) for key, (seq, last_ms) in heads.seqs.items()],
        )
        connection.run_many(
            f"{insert_sql(BAD_RECORD)} ON CONFLICT (target, topic, partition) DO UPDATE SET "
            "count = bad_record.count + excluded.count, sample = excluded.sample, last_ms = excluded.last_ms",
            [
                (self._target, topic, partition, bad.count, _storable(bad.sample), now_ms)
                for (topic, partition), bad in heads.bad.items()
            ],
        )
        names = [column.name for column in GAP.columns if not column.identity]
        connection.run_many(
            insert_sql(GAP, ignore_conflict=True), [tuple(gap.get(name) for name in names) for gap in heads.gaps]
        )

    def _write_gaps(self, connection: Connection, gaps: Iterable[RawGap], now_ms: int) -> None:
        connection.run_many(
            insert_sql(INGEST_GAP),
            [
                (
                    self._target,
                    gap.topic,
                    gap.partition,
                    gap.topic_id,
                    gap.from_offset,
                    gap.to_offset,
                    gap.cause,
                    now_ms,
                )
                for gap in gaps
            ],
        )

    def _write_ledger(self, connection: Connection, ledger: Mapping[RawPartition, LedgerEntry]) -> None:
        rows: list[tuple[Any, ...]] = [
            (self._target, topic, partition, entry.topic_id, entry.next_offset, self._epoch)
            for (topic, partition), entry in ledger.items()
        ]
        connection.upsert(INGEST_OFFSET, rows)


def _storable(sample: str) -> str:
    """Return the text without NUL, which PostgreSQL rejects, and at most some hundred characters of it."""
    return sample.replace("\x00", "\\0")[:_MAX_SAMPLE_CHARS]
