from threading import Event
from typing import cast

import pytest
from pyspark.sql import SparkSession

from metrics.errors import (
    MetricsConfigError,
    RawTopicChangedError,
    StoreUnavailableError,
    TablesMissingError,
    WriterFencedError,
)
from metrics.main import trigger_for
from metrics.reporting.query_report import Tasks
from metrics.store.address import check_store_url
from metrics.stream.aggregate import offsets_per_batch
from metrics.stream.supervisor import Pauses, TargetSupervisor
from metrics.stream.target_query import QuerySettings
from metrics.stream.targets import MetricsTarget


def test_pauses_double_up_to_half_a_minute() -> None:
    pauses = Pauses()

    waited = [pauses.after(StoreUnavailableError("gone"), 1.0) for _ in range(7)]

    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_a_stable_run_begins_the_pauses_again() -> None:
    pauses = Pauses()
    for _ in range(4):
        pauses.after(StoreUnavailableError("gone"), 1.0)

    assert pauses.after(StoreUnavailableError("gone"), 3_600.0) == 1.0


@pytest.mark.parametrize("error", [RawTopicChangedError("new"), TablesMissingError("none")], ids=["topic", "tables"])
def test_what_heals_by_itself_is_looked_at_again_soon(error: Exception) -> None:
    pauses = Pauses()

    assert all(pauses.after(error, 1.0) <= 2.0 for _ in range(10))


@pytest.mark.parametrize(("targets", "trigger_ms"), [(1, 1_000), (2, 1_000), (3, 2_000), (9, 2_000), (10, 5_000)])
def test_more_targets_share_a_slower_beat(targets: int, trigger_ms: int) -> None:
    assert trigger_for(targets) == trigger_ms


@pytest.mark.parametrize(
    ("tasks", "partitions", "offsets"),
    [(0, 0, 250), (8, 200, 2_000), (1, 20_000, 50), (10, 10, 5_000)],
    ids=["nothing known", "25 parts a record", "huge records", "small records"],
)
def test_a_batch_takes_fewer_records_the_more_they_hold(tasks: int, partitions: int, offsets: int) -> None:
    assert offsets_per_batch(tasks, partitions) == offsets


@pytest.mark.parametrize("url", ["sqlite:///x.db", "sqlite:////tmp/x.db", "postgres://u:p@h/db", "postgresql://h/db"])
def test_addresses_of_both_databases_are_accepted(url: str) -> None:
    check_store_url(url)


@pytest.mark.parametrize("url", ["", "x", "mysql://h/db", "sqlite://", "sqlite://host/x.db", "postgres://h"])
def test_other_addresses_are_refused_without_showing_a_password(url: str) -> None:
    with pytest.raises(MetricsConfigError, match="SRM_METRICS_DATABASE_URL"):
        check_store_url(url)


def test_a_fenced_process_stays_fenced_through_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, asked = Event(), list[bool]()
    errors = iter([WriterFencedError("theirs"), StoreUnavailableError("gone")])

    class Query:
        def __init__(self, *_: object) -> None:
            """Takes what a query takes."""

        def run(self, *, fenced: bool) -> None:
            asked.append(fenced)
            error = next(errors, None)
            if error is not None:
                raise error
            stop.set()

    monkeypatch.setattr("metrics.stream.supervisor.TargetQuery", Query)
    monkeypatch.setattr("metrics.stream.supervisor._FIRST_PAUSE_S", 0.0)
    settings = QuerySettings(store_url="", checkpoints="", owner="o", trigger_ms=1, max_offsets=None)
    supervisor = TargetSupervisor(
        cast("SparkSession", None),
        MetricsTarget(alias="b", bootstrap=("one:1",)),
        settings,
        cast("Tasks", None),
        stop,
        lambda: 0,
    )
    supervisor.start()

    assert supervisor.join(10)
    assert asked == [False, True, True]
