"""The guarantees that the metrics process relies on hold in both databases."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from metrics.backfill.backfill_job import replaced_since
from metrics.counting.batch import BadRecords
from metrics.counting.coverage import Reach
from metrics.counting.flow_totals import FlowTotals
from metrics.counting.group_rows import TileGroup
from metrics.counting.head_totals import HeadTotals, head_totals
from metrics.counting.series_state import PartitionProgress
from metrics.errors import StoreUnavailableError, TablesMissingError, WriterFencedError
from metrics.schemas import AUDIT_RETENTION_MS, AUDIT_RUN
from metrics.store.address import connect
from metrics.store.batch_commit import PreparedBatch
from metrics.store.connection import SharedConnection
from metrics.store.forgotten_rows import delete_forgotten
from metrics.store.rollup import GRACE_MS, delete_expired, roll_up
from metrics.store.shard_store import ShardState, ShardStore
from metrics.store.target_store import TargetStore
from metrics.stream.ledger import IngestGapCause, LedgerEntry, RawGap, Reconciled
from replication.domain.reporting.metric_defs import WIDTHS_MS
from replication.domain.reporting.tile_retention import TileRetention
from tests.support.metrics.metrics_builders import head, tile_group
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.metrics.prepared_batches import prepared
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

NOW_MS = 1_790_000_000_000 // 3_600_000 * 3_600_000 + 600_000
RAW = ("srm-metrics.a.internal", 0)
TARGET = "b"


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return create_sqlite_store(tmp_path / "metrics.sqlite3")
    url: str = request.getfixturevalue("postgres_url")
    create_postgres_store(url)
    return url


@pytest.fixture
def connection(store_url: str) -> Iterator[SharedConnection]:
    opened = connect(store_url)
    yield opened
    opened.close()


@pytest.fixture
def writing(connection: SharedConnection) -> "Writing":
    return Writing(connection)


@pytest.fixture
def store(writing: "Writing") -> TargetStore:
    return writing.store


def rows(connection: SharedConnection, sql: str) -> list[tuple[Any, ...]]:
    with connection.reading() as open_connection:
        return [tuple(row) for row in open_connection.rows(sql)]


class Writing:
    """A claimed store with the connection that its tasks would have."""

    def __init__(self, connection: SharedConnection) -> None:
        self.connection = connection
        self.store = TargetStore(connection, TARGET, "host:1")
        self.store.claim(NOW_MS)
        self.flows = FlowTotals({})
        self._number = 0

    def prepared(self, groups: Sequence[TileGroup] = (), **settings: Any) -> PreparedBatch:  # Any: as `prepared` takes
        self._number += 1
        return prepared(self.connection, TARGET, self.store.epoch, groups, number=self._number, **settings)

    def commit(self, groups: Sequence[TileGroup] = (), *, next_offset: int = 10, **settings: Any) -> None:
        self.take(self.prepared(groups, **settings), next_offset)

    def take(self, batch: PreparedBatch, next_offset: int = 10) -> None:
        self.store.commit(batch, self.flows, {RAW: LedgerEntry("aa", next_offset)}, (), now_ms=NOW_MS)


def tile_at(time_ms: int, *, start: int = 0, end: int = 10, partition: int = 0) -> list[TileGroup]:
    return [tile_group(time_ms=time_ms, spans=((start, end),), partition=partition)]


def test_what_a_batch_wrote_is_what_the_next_writer_starts_from(connection: SharedConnection, writing: Writing) -> None:
    group = tile_group(time_ms=NOW_MS, spans=((5, 15),))
    (heads,) = head_totals([head(task="a/source/0", boot="x", seq=7)])

    writing.commit([group], heads=heads, next_offset=42)

    successor = TargetStore(connection, TARGET, "host:2")
    successor.claim(NOW_MS)
    assert successor.ledger() == {RAW: LedgerEntry("aa", 42)}
    assert successor.last_seqs() == {("a/source/0", "x", 0): 7}
    state = ShardState()
    ShardStore(connection, TARGET, successor.epoch).load(state, {group.topic})
    assert state.series_state.state(group.key) == PartitionProgress(Reach("00", 5, 15), group.now)
    assert [total.members for total in successor.topic_totals().values()] == [1]


def test_tiles_of_two_batches_add_up(connection: SharedConnection, writing: Writing) -> None:
    writing.commit(tile_at(NOW_MS, start=0, end=10))
    writing.commit(tile_at(NOW_MS, start=10, end=30))

    found = rows(connection, "SELECT records, covered_offsets, latency_count, latency_hist FROM tile_flow_10s")
    assert found == [(30, 30, 30, '{"4":30}')]


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_tasks_stage_while_others_hold_the_writers_row(
    connection: SharedConnection, writing: Writing, store_url: str
) -> None:
    writing.commit(tile_at(NOW_MS))  # numbers the series
    slow = connect(store_url)
    with slow.writing(TARGET):  # the driver's commit, a roll-up, or a host that froze
        batch = writing.prepared(tile_at(NOW_MS, start=10, end=30), staged=7, knows_state=True)
    slow.close()

    writing.take(batch, 30)
    assert rows(connection, "SELECT covered_offsets FROM tile_topic_10s") == [(30,)]


def test_a_writer_with_an_older_epoch_writes_nothing(connection: SharedConnection, writing: Writing) -> None:
    batch = writing.prepared(tile_at(NOW_MS), staged=7)
    TargetStore(connection, TARGET, "host:2").claim(NOW_MS)

    with pytest.raises(WriterFencedError, match="host:2"):
        writing.take(batch)
    with pytest.raises(WriterFencedError, match="host:2"):
        writing.prepared(tile_at(NOW_MS))

    assert rows(connection, "SELECT * FROM staged_tile") == []
    assert rows(connection, "SELECT * FROM tile_flow_10s") == []
    assert rows(connection, "SELECT * FROM ingest_offset") == []


def test_a_fenced_writer_sees_who_took_its_target_until_that_one_falls_silent(
    connection: SharedConnection, store: TargetStore
) -> None:
    TargetStore(connection, TARGET, "host:2").claim(NOW_MS)

    assert store.other_writer(NOW_MS - 15_000) == "host:2"
    assert store.other_writer(NOW_MS + 1) is None
    with pytest.raises(WriterFencedError):
        store.heartbeat(NOW_MS)


def test_a_batch_that_fails_half_way_leaves_nothing(connection: SharedConnection, writing: Writing) -> None:
    with pytest.raises(StoreUnavailableError):
        writing.commit(tile_at(NOW_MS), heads=HeadTotals(gaps=[{"source": None}]))

    for table in ("tile_flow_10s", "tile_partition_10s", "partition_now", "covered"):
        assert rows(connection, f"SELECT * FROM {table}") == []


def test_bad_records_add_up_and_keep_the_last_sample(connection: SharedConnection, writing: Writing) -> None:
    writing.commit(heads=HeadTotals(bad={RAW: BadRecords(count=2, sample="first")}))
    writing.commit(heads=HeadTotals(bad={RAW: BadRecords(count=3, sample="nul \x00 inside")}))

    assert rows(connection, "SELECT count, sample FROM bad_record") == [(5, "nul \\0 inside")]


def test_a_gap_record_that_comes_twice_is_kept_once(connection: SharedConnection, writing: Writing) -> None:
    gap = {
        "source": "a",
        "target": "b",
        "topic": "orders",
        "topic_id": "aa",
        "partition": 1,
        "cause": "retention",
        "from_offset": 5,
        "to_offset": None,
        "count": None,
        "detected_ms": NOW_MS,
        "policy": "stop",
    }
    writing.commit(heads=HeadTotals(gaps=[gap, gap]))

    assert rows(connection, "SELECT topic, partition, from_offset, to_offset FROM gap") == [("orders", 1, 5, None)]


def test_adopting_a_recreated_topic_writes_the_gap_with_the_new_ledger(
    connection: SharedConnection, store: TargetStore
) -> None:
    gap = RawGap(topic=RAW[0], partition=0, topic_id="aa", from_offset=9, to_offset=None, cause="topic_recreated")
    store.adopt(Reconciled(ledger={RAW: LedgerEntry("bb", 0)}, gaps=(gap,), starts={RAW: 0}), NOW_MS)

    assert store.ledger() == {RAW: LedgerEntry("bb", 0)}
    assert rows(connection, "SELECT topic_id, from_offset, to_offset, cause FROM ingest_gap") == [
        ("aa", 9, None, "topic_recreated")
    ]


@pytest.mark.parametrize(
    ("cause", "from_ms", "is_refused"),
    [
        ("topic_recreated", NOW_MS - 1, True),
        ("truncated", NOW_MS, True),
        ("topic_recreated", NOW_MS + 1, False),
        ("retention", NOW_MS - 1, False),
    ],
)
def test_tiles_of_a_raw_topic_that_was_re_created_since_are_not_counted_again(
    connection: SharedConnection, store: TargetStore, cause: IngestGapCause, from_ms: int, *, is_refused: bool
) -> None:
    gap = RawGap(topic=RAW[0], partition=0, topic_id="aa", from_offset=9, to_offset=None, cause=cause)
    store.adopt(Reconciled(ledger={RAW: LedgerEntry("bb", 0)}, gaps=(gap,), starts={RAW: 0}), NOW_MS)

    with connection.reading() as opened:
        assert replaced_since(opened, TARGET, from_ms) == (RAW[0] if is_refused else None)
        assert replaced_since(opened, "another", from_ms) is None


def test_every_width_contains_every_tile_once_however_late_it_came(
    connection: SharedConnection, writing: Writing
) -> None:
    later_ms = NOW_MS + 3 * WIDTHS_MS["1h"]
    writing.commit(tile_at(NOW_MS - WIDTHS_MS["1h"], start=0, end=1))  # before anything is rolled up
    writing.commit(tile_at(NOW_MS + 10_000, start=1, end=3))
    roll_up(connection, TARGET, NOW_MS + 120_000, _never)
    writing.commit(tile_at(NOW_MS + 20_000, start=3, end=7))  # its minute is rolled up already
    writing.commit(tile_at(NOW_MS + 600_000, start=7, end=15))
    roll_up(connection, TARGET, later_ms, _never)
    roll_up(connection, TARGET, later_ms, _never)

    for width in WIDTHS_MS:
        for level in ("partition", "topic", "flow"):
            total = rows(connection, f"SELECT SUM(records), SUM(latency_count) FROM tile_{level}_{width}")
            assert [tuple(map(int, row)) for row in total] == [(15, 15)], (level, width)


def test_without_ten_second_tiles_partitions_start_at_one_minute(
    connection: SharedConnection, writing: Writing
) -> None:
    writing.commit(tile_at(NOW_MS, end=4), ten_seconds=False)
    roll_up(connection, TARGET, NOW_MS + WIDTHS_MS["1h"], _never)

    counted = {
        table: [row[0] for row in rows(connection, f"SELECT records FROM {table}")]
        for table in ("tile_partition_10s", "tile_partition_1m", "tile_partition_1h", "tile_flow_10s")
    }
    assert counted == {
        "tile_partition_10s": [],
        "tile_partition_1m": [4],
        "tile_partition_1h": [4],
        "tile_flow_10s": [4],
    }


def test_only_what_is_past_its_time_and_rolled_up_is_deleted(connection: SharedConnection, writing: Writing) -> None:
    writing.commit(tile_at(NOW_MS))
    much_later_ms = NOW_MS + TileRetention().ten_seconds_ms + WIDTHS_MS["10s"] + GRACE_MS

    assert delete_expired(connection, TARGET, much_later_ms, _never) == 0
    roll_up(connection, TARGET, much_later_ms, _never)
    assert delete_expired(connection, TARGET, much_later_ms, _never) == 3

    assert rows(connection, "SELECT * FROM tile_flow_10s") == []
    assert rows(connection, "SELECT records FROM tile_flow_1m") == [(10,)]


def test_series_that_are_silent_and_empty_are_deleted_and_renumbered_when_they_come_back(
    connection: SharedConnection, writing: Writing
) -> None:
    writing.commit([tile_group(time_ms=NOW_MS, spans=((0, 10),))])
    late_ms = NOW_MS + TileRetention().hours_ms + 2 * WIDTHS_MS["1h"]
    before = rows(connection, "SELECT id FROM series ORDER BY id")

    roll_up(connection, TARGET, late_ms, _never)
    assert delete_forgotten(connection, TARGET, late_ms, _never) == 0  # its tiles are still there
    delete_expired(connection, TARGET, late_ms, _never)
    assert delete_forgotten(connection, TARGET, NOW_MS, _never) == 0  # it was heard of a moment ago
    assert delete_forgotten(connection, TARGET, late_ms, _never) == 3
    for table in ("series", "covered", "partition_now"):
        assert rows(connection, f"SELECT * FROM {table}") == []

    writing.commit(tile_at(late_ms))  # the same writer, which knows the old numbers
    found = rows(connection, "SELECT t.records FROM tile_flow_10s t JOIN series s ON s.id = t.id")
    assert found == [(10,)]
    assert not {row[0] for row in before} & {row[0] for row in rows(connection, "SELECT id FROM series")}


def test_what_is_past_its_time_is_deleted_and_the_rest_is_kept(
    connection: SharedConnection, store: TargetStore
) -> None:
    old_ms = NOW_MS - TileRetention().hours_ms - 1
    with connection.writing(TARGET) as writer:
        for at_ms in (old_ms, NOW_MS):
            for sql in (
                "INSERT INTO task_seq (target, task, boot, partition, seq, last_ms) VALUES ('b', 't', ?, 0, 1, ?)",
                "INSERT INTO event (target, source, task, driver, scope, to_state, cause, time_ms) "
                "VALUES ('b', 'a', 't', 'd', 's', 'failed', ?, ?)",
                "INSERT INTO gap (source, target, topic, topic_id, partition, cause, from_offset, policy, detected_ms) "
                "VALUES ('a', 'b', ?, '', 0, 'retention', 0, 'stop', ?)",
                "INSERT INTO ingest_gap (target, topic, partition, topic_id, from_offset, cause, detected_ms) "
                "VALUES ('b', ?, 0, '', 0, 'retention', ?)",
                "INSERT INTO bad_record (target, topic, partition, count, sample, last_ms) "
                "VALUES ('b', ?, 0, 1, '', ?)",
                "INSERT INTO group_now (source, target, consumer_group, topic, partition, last_ms) "
                "VALUES ('a', 'b', ?, 't', 0, ?)",
            ):
                writer.run(sql, (str(at_ms), at_ms))

    assert delete_forgotten(connection, TARGET, NOW_MS, _never) == 6
    assert delete_forgotten(connection, "another", NOW_MS + 2 * TileRetention().hours_ms, _never) == 0
    for table in ("task_seq", "event", "gap", "ingest_gap", "bad_record", "group_now"):
        assert len(rows(connection, f"SELECT * FROM {table}")) == 1, table


def test_old_jobs_audits_and_proofs_are_deleted(connection: SharedConnection, store: TargetStore) -> None:
    old_ms = NOW_MS - AUDIT_RETENTION_MS - 1
    jobs: list[tuple[str, int | None, str]] = [
        ("cancelled", None, "{}"),  # tells no time, but what came after it is old
        ("done", old_ms, "{}"),
        ("cancelled", None, json.dumps({"requested_ms": old_ms})),
        ("requested", None, json.dumps({"requested_ms": old_ms})),
        ("failed", NOW_MS, "{}"),
        ("cancelled", None, "no json"),
    ]
    with connection.writing(TARGET) as writer:
        writer.run_many(
            "INSERT INTO job_request (kind, target, state, heartbeat_ms, spec, attempts) "
            "VALUES ('audit', 'b', ?, ?, ?, 0)",
            jobs,
        )
        for job_id, topic, at_ms in ((1, "gone", old_ms), (2, "kept", NOW_MS)):
            names = ", ".join(name for name in AUDIT_RUN.column_names if name not in ("proven_until_ms", "error"))
            values = ["0"] * (names.count(",") + 1)
            found = dict(zip(names.split(", "), values, strict=True)) | {
                "job_id": str(job_id),
                "source": "'a'",
                "target": "'b'",
                "topic": f"'{topic}'",
                "started_ms": str(at_ms),
            }
            writer.run(f"INSERT INTO audit_run ({names}) VALUES ({', '.join(found.values())})")
            writer.run(
                "INSERT INTO audit_finding (job_id, topic, partition, kind, records, detail) "
                "VALUES (?, ?, 0, 'missing', 1, '')",
                (job_id, topic),
            )
            writer.run(
                "INSERT INTO audit_proven (source, target, topic, partition, topic_id, remote_topic_id, "
                "proven_offset, proven_target_offset) VALUES ('a', 'b', ?, 0, '', '', 0, 0)",
                (topic,),
            )

    delete_forgotten(connection, TARGET, NOW_MS, _never)

    assert rows(connection, "SELECT state, heartbeat_ms FROM job_request ORDER BY id") == [
        ("requested", None),
        ("failed", NOW_MS),
        ("cancelled", None),
    ]
    for table in ("audit_run", "audit_finding", "audit_proven"):
        assert rows(connection, f"SELECT topic FROM {table}") == [("kept",)], table


def test_the_proof_of_a_topic_that_is_still_measured_is_kept(connection: SharedConnection, writing: Writing) -> None:
    writing.commit(tile_at(NOW_MS))
    with connection.writing(TARGET) as writer:
        writer.run(
            "INSERT INTO audit_proven (source, target, topic, partition, topic_id, remote_topic_id, "
            "proven_offset, proven_target_offset) VALUES ('a', 'b', 'orders', 0, '', '', 0, 0)"
        )

    delete_forgotten(connection, TARGET, NOW_MS, _never)

    assert rows(connection, "SELECT topic FROM audit_proven") == [("orders",)]


def test_a_store_without_tables_says_that_they_are_missing(store_url: str, connection: SharedConnection) -> None:
    with connection.reading() as open_connection:
        open_connection.run("DROP TABLE writer")

    with pytest.raises(TablesMissingError):
        TargetStore(connection, TARGET, "host:1").claim(NOW_MS)


def test_a_database_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(TablesMissingError, match=r"none\.sqlite3"):
        connect(f"sqlite:///{tmp_path / 'none.sqlite3'}")
    with pytest.raises(StoreUnavailableError):
        connect("postgres://srm@127.0.0.1:1/srm")


def _never() -> bool:
    return False
