"""Migrations of a metrics store that holds rows already, in both databases."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from metrics.schemas import TABLES
from metrics.store.address import connect
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

_ROOT = Path(__file__).parents[2]
_UNLOGGED = (
    *("staged_attempt", "staged_tile", "staged_now", "staged_covered"),
    *("backfill", "backfill_tile", "backfill_now", "backfill_covered"),
)
Migrate = Callable[[str], None]


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'metrics.sqlite3'}"
    url: str = request.getfixturevalue("postgres_url")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS metrics CASCADE")
        connection.execute("CREATE SCHEMA metrics")
    return url


@pytest.fixture
def migrate(store_url: str, tmp_path: Path) -> Migrate:
    environment = {**os.environ, "SRM_HOME": str(tmp_path), "SRM_METRICS_DATABASE_URL": store_url}
    environment |= {"DJANGO_SETTINGS_MODULE": "srm_service.settings.local", "SRM_DJANGO_SECRET_KEY": "of this test"}

    def run(name: str) -> None:
        command = [sys.executable, "manage.py", "migrate", "--skip-checks", "--database", "metrics", "monitoring", name]
        subprocess.run(command, cwd=_ROOT, env=environment, check=True, capture_output=True)

    return run


def rows(store_url: str, sql: str) -> list[tuple[Any, ...]]:
    connection = connect(store_url)
    try:
        with connection.reading() as reader:
            return [tuple(row) for row in reader.rows(sql)]
    finally:
        connection.close()


def write(store_url: str, *statements: str) -> None:
    connection = connect(store_url)
    try:
        with connection.writing("b") as writer:
            for sql in statements:
                writer.run(sql)
    finally:
        connection.close()


def test_guards_audits_and_proofs_survive_the_change_of_their_tables(store_url: str, migrate: Migrate) -> None:
    migrate("0010")
    counts = "records_source, records_target, ranges, ranges_bad, missing, duplicate, changed, reordered, unexpected"
    write(
        store_url,
        "INSERT INTO writer (target, epoch, owner, started_ms, heartbeat_ms) VALUES ('b', 3, 'o', 1, 1)",
        "INSERT INTO task_seq (target, task, boot, seq, last_ms) VALUES ('b', 'a/source/0', 'x', 7, 9)",
        "INSERT INTO audit_run (job_id, source, target, topic, remote_topic, state, mode, compared, started_ms, "
        f"{counts}, foreign_records, not_compared) VALUES (1, 'a', 'b', 't', 'a.t', 'done', 'full', 'records', 1, "
        f"{', '.join('0' * 9)}, 5, '[]')",
        "INSERT INTO audit_proven (source, target, topic, partition, topic_id, proven_offset, proven_target_offset) "
        "VALUES ('a', 'b', 't', 0, 'aa', 4, 4)",
    )

    migrate("0011")

    assert rows(store_url, "SELECT task, boot, partition, seq, last_ms FROM task_seq") == [
        ("a/source/0", "x", -1, 7, 9)
    ]
    assert rows(store_url, "SELECT epoch, series_deletions FROM writer") == [(3, 0)]
    assert rows(store_url, "SELECT local_records, gap, skipped, dead_lettered, filtered_records FROM audit_run") == [
        (5, 0, 0, 0, 0)
    ]
    assert rows(store_url, "SELECT topic_id, remote_topic_id FROM audit_proven") == [("aa", "")]
    same_task = (
        "INSERT INTO task_seq (target, task, boot, partition, seq, last_ms) VALUES ('b', 'a/source/0', 'x', 0, 8, 9)"
    )
    write(store_url, same_task)


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_tables_whose_rows_are_replaced_have_room_for_new_versions(store_url: str, migrate: Migrate) -> None:
    migrate("0013")

    with_room = rows(store_url, "SELECT relname FROM pg_class WHERE reloptions = '{fillfactor=50}'")
    assert {name for (name,) in with_room} == {table.name for table in TABLES if table.overwritten}
    migrate("0012")
    assert rows(store_url, "SELECT relname FROM pg_class WHERE reloptions = '{fillfactor=50}'") == []


def test_a_store_with_rows_gets_tables_for_rows_that_are_staged_or_counted_again(
    store_url: str, migrate: Migrate
) -> None:
    migrate("0013")
    write(
        store_url,
        "INSERT INTO writer (target, epoch, owner, started_ms, heartbeat_ms, series_deletions) "
        "VALUES ('b', 3, 'o', 1, 1, 8)",
        "INSERT INTO task_seq (target, task, boot, partition, seq, last_ms) VALUES ('b', 'a/source/0', 'x', 0, 7, 9)",
    )

    migrate("0017")

    assert rows(store_url, "SELECT epoch, revision FROM writer") == [(3, 8)]
    assert rows(store_url, "SELECT task, seq FROM task_seq") == [("a/source/0", 7)]
    for table in _UNLOGGED:
        assert rows(store_url, f"SELECT * FROM {table}") == []
    assert rows(store_url, "SELECT * FROM query_status") == []

    migrate("0013")

    assert rows(store_url, "SELECT epoch, series_deletions FROM writer") == [(3, 8)]


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_rows_that_are_counted_again_after_a_crash_are_not_logged(store_url: str, migrate: Migrate) -> None:
    migrate("0017")

    unlogged = rows(store_url, "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'")

    assert {name for (name,) in unlogged} == set(_UNLOGGED)
