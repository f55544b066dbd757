"""The metrics process survives failures around it: it waits, reports the reason and continues to count."""

import os
import signal
import sqlite3
import time

import pytest

from srm_cli.machine.ports import free_port
from tests.integration.metrics.raw_log import RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import START_LIMIT_S, MetricsProcess, is_running
from tests.support.metrics.raw_metrics import RawTask

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, pytest.mark.large]


def records_counted(process: MetricsProcess) -> int:
    return int(process.rows("SELECT COALESCE(SUM(records), 0) AS records FROM tile_flow_10s")[0]["records"])


def minutes_of(process: MetricsProcess) -> list[str]:
    """The targets whose query has stored the figures of a minute with batches."""
    rows = process.rows(
        "SELECT target FROM query_status WHERE batches > 0 AND reports_per_second > 0 AND raw_records_per_second > 0 "
        "AND executor_ms_per_second > 0 AND driver_ms_per_second > 0 AND batch_max_ms >= batch_p50_ms "
        "AND raw_lag_offsets IS NOT NULL AND bad_records = 0 AND warning = ''"
    )
    return [row["target"] for row in rows]


def now_task() -> RawTask:
    return RawTask(now_ms=time.time_ns() // 1_000_000 - 60_000)


@pytest.mark.timeout(420)
def test_missing_tables_and_a_dead_cluster_are_waited_for_while_others_count(
    start_cluster: StartCluster, metrics_process: MetricsProcess
) -> None:
    cluster = start_cluster()
    raw = RawLog(cluster.bootstrap, "a")
    task = now_task()
    metrics_process.write_targets(dead=f"127.0.0.1:{free_port()}", b=cluster.bootstrap)
    metrics_process.start()
    eventually(
        lambda: metrics_process.log.read_text().count("metrics tables missing: run python manage.py migrate") == 2,
        START_LIMIT_S,
        "one line per target says what to run",
    )
    assert not metrics_process.store.exists()

    metrics_process.create_store()
    raw.create()  # after the query's start: it has been waiting for a first topic
    raw.write([task.report()])
    eventually(lambda: records_counted(metrics_process) == 10, START_LIMIT_S, "the living target is counted")

    new = RawLog(cluster.bootstrap, "new-source")
    new.create()
    new.write([RawTask(source="new-source", now_ms=task.now_ms).report(records=7)])
    eventually(lambda: records_counted(metrics_process) == 17, 30, "a topic that appears is counted")
    writers = metrics_process.rows("SELECT target FROM writer WHERE last_batch_ms IS NOT NULL")
    assert writers == [{"target": "b"}]
    eventually(lambda: "cluster dead" in metrics_process.log.read_text(), 60, "the dead target is named")

    eventually(lambda: minutes_of(metrics_process) == ["b"], 120, "the query has reported a minute")
    assert '"raw metrics counted"' in metrics_process.log.read_text()

    jvm = metrics_process.jvm_pid()
    assert metrics_process.terminate() == 0
    assert not is_running(jvm)


@pytest.mark.timeout(300)
def test_a_frozen_broker_a_locked_store_and_a_dead_jvm_lose_nothing(
    start_cluster: StartCluster, metrics_process: MetricsProcess
) -> None:
    cluster = start_cluster()
    raw = RawLog(cluster.bootstrap, "a")
    raw.create()
    task = now_task()
    metrics_process.create_store()
    metrics_process.write_targets(b=cluster.bootstrap)
    metrics_process.start()
    raw.write([task.report()])
    eventually(lambda: records_counted(metrics_process) == 10, START_LIMIT_S, "the first record is counted")

    (broker,) = cluster.processes
    os.kill(broker.pid, signal.SIGSTOP)
    time.sleep(3)  # how long the broker is away, not a wait for something
    os.kill(broker.pid, signal.SIGCONT)
    raw.write([task.report()])
    eventually(lambda: records_counted(metrics_process) == 20, 60, "counted after the broker came back")

    locker = sqlite3.connect(metrics_process.store, isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    raw.write([task.report()])
    eventually(lambda: "database is locked" in metrics_process.log.read_text(), 60, "the lock is reported")
    locker.execute("ROLLBACK")
    locker.close()
    eventually(lambda: records_counted(metrics_process) == 30, 60, "counted after the store came back")

    os.kill(metrics_process.jvm_pid(), signal.SIGKILL)
    assert metrics_process.process is not None
    assert metrics_process.process.wait(30) == 70
    raw.write([task.report()])
    metrics_process.start()
    eventually(lambda: records_counted(metrics_process) == 40, START_LIMIT_S, "a new process counts on")
