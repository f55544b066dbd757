"""The metrics store as the writer of one target sees it: claim, load, commit. A higher epoch fences."""

from collections.abc import Iterable, Mapping
from typing import Any

from metrics.batch import BatchChange
from metrics.book import PartitionState, SeriesBook
from metrics.coverage import Reach
from metrics.errors import FencedError
from metrics.ledger import IngestGap, LedgerEntry, RawPartition, Reconciled
from metrics.schemas import (
    BAD_RECORD,
    COVERED,
    EVENT,
    GAP,
    GROUP_NOW,
    INGEST_GAP,
    INGEST_OFFSET,
    PARTITION_NOW,
    SERIES,
    TASK_SEQ,
)
from metrics.store.connection import Connection, SharedConnection
from metrics.store.gauges import add_new_gauges
from metrics.store.rollup import initial_rollup, rolled_to
from metrics.store.statements import insert_sql
from metrics.store.tile_writer import RolledTo, add_new_tiles
from metrics.transforms.group_rows import Now, SeqKey, SeriesKey

_MAX_SAMPLE_CHARS = 600
GROUP_NUMBERS = GROUP_NOW.column_names[5:]


class TargetStore:
    """One writer's hold on one target. Every write checks the epoch in its own transaction and raises FencedError."""

    def __init__(self, connection: SharedConnection, target: str, owner: str) -> None:
        self._connection = connection
        self._target = target
        self._owner = owner
        self._epoch = 0
        self._ids: dict[SeriesKey, int] = {}
        self._series_deletions = 0  # as they were when the numbers were loaded

    @property
    def epoch(self) -> int:
        return self._epoch

    def other_writer(self, heard_since_ms: int) -> str | None:
        """Who else has written a heartbeat for this target since then."""
        with self._connection.reading() as connection:
            found = connection.rows("SELECT owner, heartbeat_ms FROM writer WHERE target = ?", (self._target,))
        return next((owner for owner, sent_ms in found if owner != self._owner and sent_ms >= heard_since_ms), None)

    def claim(self, now_ms: int) -> None:
        """Become the writer: from here on every older writer is refused."""
        with self._connection.writing(self._target) as connection:
            found = connection.rows(
                "INSERT INTO writer (target, epoch, owner, started_ms, heartbeat_ms, last_batch_ms, series_deletions) "
                "VALUES (?, 1, ?, ?, ?, NULL, 0) ON CONFLICT (target) DO UPDATE SET epoch = writer.epoch + 1, "
                "owner = excluded.owner, started_ms = excluded.started_ms, heartbeat_ms = excluded.heartbeat_ms "
                "RETURNING epoch",
                (self._target, self._owner, now_ms, now_ms),
            )
            initial_rollup(connection, self._target, now_ms)
        self._epoch = int(found[0][0])

    def ledger(self) -> dict[RawPartition, LedgerEntry]:
        with self._connection.reading() as connection:
            return self.ledger_within(connection)

    def ledger_within(self, connection: Connection) -> dict[RawPartition, LedgerEntry]:
        """The ledger as a transaction of the caller's sees it."""
        rows = connection.rows(
            "SELECT topic, partition, topic_id, next_offset FROM ingest_offset WHERE target = ?", (self._target,)
        )
        return {(topic, partition): LedgerEntry(topic_id, offset) for topic, partition, topic_id, offset in rows}

    def last_seqs(self) -> dict[SeqKey, int]:
        """The last record counted by task and boot, in each raw partition."""
        with self._connection.reading() as connection:
            rows = connection.rows("SELECT task, boot, partition, seq FROM task_seq WHERE target = ?", (self._target,))
        return {SeqKey(task, boot, partition): seq for task, boot, partition, seq in rows}

    def book(self) -> SeriesBook:
        """All partitions ever counted, as they stood at the last commit."""
        with self._connection.reading() as connection:
            self._load_ids(connection)
            rows = connection.rows(
                "SELECT s.source, s.target, s.topic, s.remote_topic, s.partition, "
                "c.topic_id, c.first_offset, c.next_offset, "
                "n.state, n.cause, n.covered_to, n.log_end, n.downstream_end, n.lag, n.last_ms, "
                "n.records_per_second, n.bytes_per_second "
                "FROM series s JOIN covered c ON c.series_id = s.id JOIN partition_now n ON n.series_id = s.id "
                "WHERE s.target = ?",
                (self._target,),
            )
        return SeriesBook({SeriesKey(*row[:5]): PartitionState(Reach(*row[5:8]), Now(*row[8:])) for row in rows})

    def adopt(self, reconciled: Reconciled, now_ms: int) -> None:
        """Write what the comparison with the cluster came to, before the first read."""
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            self._write_gaps(connection, reconciled.gaps, now_ms)
            self._write_ledger(connection, reconciled.ledger)

    def commit(
        self,
        change: BatchChange,
        ledger: Mapping[RawPartition, LedgerEntry],
        gaps: Iterable[IngestGap],
        *,
        partition_ten_seconds: bool,
        now_ms: int,
    ) -> None:
        """Everything of a batch in one transaction; `ledger` holds the entries as they are after it."""
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            keys = {key for tiles in change.tiles.values() for key, _ in tiles} | {key for key, _, _ in change.gauges}
            self._number_series(connection, keys)
            rolled = rolled_to(connection, self._target)
            self._write_states(connection, change)
            self._write_tiles(connection, change, rolled, partition_ten_seconds=partition_ten_seconds)
            self._write_side(connection, change, rolled)
            self._write_records(connection, change, now_ms)
            self._write_gaps(connection, gaps, now_ms)
            self._write_ledger(connection, ledger)
            connection.run("UPDATE writer SET last_batch_ms = ? WHERE target = ?", (now_ms, self._target))

    def heartbeat(self, now_ms: int) -> None:
        """Say that this writer lives."""
        with self._connection.writing(self._target) as connection:
            self._check_epoch(connection)
            connection.run("UPDATE writer SET heartbeat_ms = ? WHERE target = ?", (now_ms, self._target))

    def ids_within(self, connection: Connection, keys: set[SeriesKey]) -> dict[SeriesKey, int]:
        """The numbers of series, made where missing, in a transaction of the caller's."""
        self._load_ids(connection)
        self._number_series(connection, keys)
        return {key: self._ids[key] for key in keys}

    def close(self) -> None:
        self._connection.close()

    def _check_epoch(self, connection: Connection) -> None:
        found = connection.rows("SELECT epoch, owner, series_deletions FROM writer WHERE target = ?", (self._target,))
        if not found or found[0][0] != self._epoch:
            owner = found[0][1] if found else "nobody"
            raise FencedError(f"the metrics of target {self._target} are written by {owner} now")
        if found[0][2] != self._series_deletions:  # numbers in memory may be those of series that are gone
            self._ids, self._series_deletions = {}, found[0][2]

    def _load_ids(self, connection: Connection) -> None:
        rows = connection.rows(
            "SELECT source, target, topic, remote_topic, partition, consumer_group, id FROM series WHERE target = ?",
            (self._target,),
        )
        self._ids = {SeriesKey(*row[:6]): row[6] for row in rows}

    def _number_series(self, connection: Connection, keys: set[SeriesKey]) -> None:
        missing = sorted(keys - self._ids.keys())
        if missing:
            connection.run_many(insert_sql(SERIES, ignore_conflict=True), missing)
            self._load_ids(connection)

    def _write_tiles(
        self, connection: Connection, change: BatchChange, rolled: RolledTo, *, partition_ten_seconds: bool
    ) -> None:
        for level, tiles in change.tiles.items():
            numbered = {(self._ids[key], time_ms): sums for (key, time_ms), sums in tiles.items()}
            add_new_tiles(
                connection, level, numbered, rolled, ten_seconds=partition_ten_seconds or level != "partition"
            )

    def _write_side(self, connection: Connection, change: BatchChange, rolled: RolledTo) -> None:
        numbered = {(self._ids[key], name, time_ms): gauge for (key, name, time_ms), gauge in change.gauges.items()}
        add_new_gauges(connection, numbered, rolled)
        connection.upsert(
            GROUP_NOW,
            [
                (source, self._target, group, topic, partition, *(getattr(now, name) for name in GROUP_NUMBERS))
                for (source, group, topic, partition), now in change.groups.items()
            ],
        )
        names = [column.name for column in EVENT.columns if not column.identity and column.name != "target"]
        connection.run_many(
            f"INSERT INTO event (target, {', '.join(names)}) VALUES (?{', ?' * len(names)})",  # noqa: S608 - our own names
            [(self._target, *(getattr(event, name) for name in names)) for event in change.events],
        )

    def _write_states(self, connection: Connection, change: BatchChange) -> None:
        nows = [(key, state.now) for key, state in change.states.items()] + list(change.wholes.items())
        connection.upsert(PARTITION_NOW, [(self._ids[key], *now) for key, now in nows])
        connection.upsert(COVERED, [(self._ids[key], *state.reach) for key, state in change.states.items()])

    def _write_records(self, connection: Connection, change: BatchChange, now_ms: int) -> None:
        connection.upsert(
            TASK_SEQ,
            [(self._target, *key, seq, last_ms) for key, (seq, last_ms) in change.seqs.items()],
        )
        connection.run_many(
            f"{insert_sql(BAD_RECORD)} ON CONFLICT (target, topic, partition) DO UPDATE SET "
            "count = bad_record.count + excluded.count, sample = excluded.sample, last_ms = excluded.last_ms",
            [
                (self._target, topic, partition, bad.count, _storable(bad.sample), now_ms)
                for (topic, partition), bad in change.bad.items()
            ],
        )
        names = [column.name for column in GAP.columns if not column.identity]
        connection.run_many(
            insert_sql(GAP, ignore_conflict=True), [tuple(gap.get(name) for name in names) for gap in change.gaps]
        )

    def _write_gaps(self, connection: Connection, gaps: Iterable[IngestGap], now_ms: int) -> None:
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
    """PostgreSQL refuses NUL in a text."""
    return sample.replace("\x00", "\\0")[:_MAX_SAMPLE_CHARS]
