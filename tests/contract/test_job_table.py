"""Batch jobs are claimed, kept and finished the same way in both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from metrics.schemas import JOB_ATTEMPTS
from metrics.store.address import connect
from metrics.store.job_table import CLAIM_LIFE_MS, JobTable
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]
NOW_MS = 1_790_000_000_000


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return create_sqlite_store(tmp_path / "metrics.sqlite3")
    found: str = request.getfixturevalue("postgres_url")
    create_postgres_store(found)
    return found


@pytest.fixture
def one(url: str) -> Iterator[JobTable]:
    table = JobTable(connect(url), "one")
    yield table
    table.close()


@pytest.fixture
def two(url: str) -> Iterator[JobTable]:
    table = JobTable(connect(url), "two")
    yield table
    table.close()


def test_the_oldest_job_of_ones_targets_is_claimed_once(one: JobTable, two: JobTable) -> None:
    one.request("audit", "elsewhere", {})
    first, second = one.request("audit", "b", {"topics": ["x"]}), one.request("backfill", "b", {})

    claimed = one.claim(["b"], NOW_MS)
    other = two.claim(["b"], NOW_MS)

    assert claimed is not None
    assert (claimed.job_id, claimed.kind, claimed.spec) == (first, "audit", {"topics": ["x"]})
    assert other is not None
    assert other.job_id == second
    assert one.claim(["b"], NOW_MS) is None
    assert one.claim([], NOW_MS) is None


def test_a_silent_claimer_loses_its_job_and_changes_nothing_any_more(one: JobTable, two: JobTable) -> None:
    job_id = one.request("audit", "b", {})
    one.claim(["b"], NOW_MS)
    assert two.claim(["b"], NOW_MS + CLAIM_LIFE_MS) is None

    taken = two.claim(["b"], NOW_MS + CLAIM_LIFE_MS + 1)

    assert taken is not None
    assert not one.keep(job_id, NOW_MS, (0.5, "half"))
    assert not one.finish(job_id, None)
    assert two.finish(job_id, None)
    assert one.state(job_id) == ("done", None, None)


def test_a_kept_job_shows_its_progress_and_stays_ones_own(one: JobTable, two: JobTable) -> None:
    job_id = one.request("audit", "b", {})
    one.claim(["b"], NOW_MS)

    assert one.keep(job_id, NOW_MS + CLAIM_LIFE_MS, (0.25, "a quarter"))
    assert one.keep(job_id, NOW_MS + CLAIM_LIFE_MS, None)

    assert two.claim(["b"], NOW_MS + 2 * CLAIM_LIFE_MS) is None
    assert one.state(job_id) == ("running", '{"done": 0.25, "text": "a quarter"}', None)
    assert one.finish(job_id, "why it failed")
    assert one.state(job_id)[::2] == ("failed", "why it failed")


def test_a_job_given_back_is_taken_at_once_and_counts_no_attempt(one: JobTable, two: JobTable) -> None:
    job_id = one.request("audit", "b", {})
    for _ in range(JOB_ATTEMPTS + 2):
        assert one.claim(["b"], NOW_MS) is not None
        assert one.give_back(job_id)

    assert two.claim(["b"], NOW_MS) is not None


def test_a_job_that_takes_its_process_down_each_time_is_given_up(one: JobTable) -> None:
    job_id = one.request("audit", "b", {})
    for attempt in range(JOB_ATTEMPTS):
        assert one.claim(["b"], NOW_MS + attempt * 2 * CLAIM_LIFE_MS) is not None

    assert one.claim(["b"], NOW_MS + 20 * CLAIM_LIFE_MS) is None
    state, _, error = one.state(job_id)
    assert state == "failed"
    assert "given up" in (error or "")
