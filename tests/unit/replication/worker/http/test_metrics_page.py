"""The metrics page: our own numbers, and every attribute that a real MirrorMaker 2 has."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from prometheus_client.parser import text_string_to_metric_families

from replication.domain.reporting.recent_figures import PartitionFigures, Spread
from replication.ports.data_engine import DataEngine
from replication.worker.http.driver_report import DriverReport
from replication.worker.http.metrics_page import metrics_page
from replication.worker.http.process_health import ProcessHealth
from replication.worker.jobs.self_ping import SelfPing
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from tests.support.clock import StoppedClock

MBEANS = Path(__file__).resolve().parents[4] / "fixtures" / "mm2" / "mbeans.txt"
PROCESS = DriverProcess(
    driver="d1-2", parent="d1", role="data", boot="b1", host="h", pid=1, version="0.1", started_ms=1_000
)
FIGURES = PartitionFigures(
    source="east",
    target="west",
    topic="east.orders",
    partition=3,
    records_total=1_128,
    bytes_total=111_360,
    lag_offsets=7,
    records_per_second=19.5,
    bytes_per_second=1_957.7,
    latency=Spread(last=16, avg=13.4, max=52, min=11),
    age=Spread(last=7, avg=7.2, max=18, min=5),
)
LATENCY = [2, 9, 14, 23, 0, {"12": 2}]
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def state(kind: str, word: str = "running", **fields: Any) -> dict[str, Any]:
    document = {"source": "east", "target": "west", "task": f"east/{kind}/0", "kind": kind, "state": word}
    return {**document, "since_ms": 1, "sent_ms": 10_000, "generation": 4, "cause": None, **fields}


def report(*states: dict[str, Any], partitions: tuple[PartitionFigures, ...] = ()) -> DriverReport:
    made = DriverReport(
        process=PROCESS,
        load=ProcessLoad(lambda: 12),
        health=ProcessHealth(StoppedClock(), SelfPing(), None),
        engine=cast("DataEngine", SimpleNamespace(partition_figures=lambda: partitions)),
    )
    made.load.measure()
    made.health.note_round(redis_problem="")
    made.replace_states(states)
    return made


def samples(of: DriverReport) -> Samples:
    text = metrics_page(of).body.decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found[(name, frozenset(labels.items()))]


def test_the_process_is_described() -> None:
    found = samples(report(state("source"), state("plan")))

    info = {"driver": "d1-2", "parent": "d1", "role": "data", "boot": "b1", "host": "h", "version": "0.1"}
    assert value(found, "srm_driver_info", **info) == 1
    assert value(found, "srm_driver_ready") == 1
    assert value(found, "srm_driver_loop_lag_ms") == 12
    assert value(found, "srm_driver_start_time_seconds") == 1
    assert value(found, "srm_driver_tasks", kind="source", state="running") == 1


def test_the_numbers_of_a_task_carry_its_name() -> None:
    found = samples(report(state("source", lag_offsets=None, records_total=5, states={"caught_up": 2})))

    task = {"source": "east", "target": "west", "task": "east/source/0", "kind": "source"}
    assert value(found, "srm_task_records_total", **task) == 5
    assert value(found, "srm_task_lease_generation", **task) == 4
    assert value(found, "srm_task_partition_states", **task, state="caught_up") == 2
    assert ("srm_task_lag_offsets", frozenset(task.items())) not in found, "an unknown value is not 0"


def test_the_herder_status_is_that_of_the_worst_task() -> None:
    cut_off = {"code": "cluster_unreachable", "text": "no broker answers"}
    other = state("source", "failed", source="north", cause=cut_off)
    found = samples(report(state("source"), other))

    name = "streams_replication_manager_distributed_herder_status"
    assert value(found, name, source="east", target="west") == 0
    assert value(found, name, source="north", target="west") == 3
    assert value(found, "streams_replication_manager_aggregated_herder_status", driver="d1-2", role="data") == 3


def test_a_loop_that_does_not_run_interrupts_the_flow() -> None:
    found = samples(report(state("source", measured_ms=1_000)))

    assert value(found, "streams_replication_manager_aggregated_herder_status", driver="d1-2", role="data") == 3


def attributes(bean: str) -> set[str]:
    """The attributes of an MBean, as the fixture lists those of a real MirrorMaker 2."""
    bean = f"kafka.connect.mirror:type={bean},partition=0"
    text = MBEANS.read_text()
    block = text[text.rindex(f"\n{bean}\n") + len(bean) + 2 :]
    return {match[1] for match in re.finditer(r"^    ([a-z-]+) \(double\)", block[: block.index("\nkafka.")], re.M)}


def test_every_attribute_of_mirrormakers_source_connector_is_there() -> None:
    wanted = attributes("MirrorSourceConnector,source=east,target=west,topic=east.orders")
    found = samples(report(partitions=(FIGURES,)))

    labels = {"source": "east", "target": "west", "topic": "east.orders", "partition": "3"}
    prefix = "kafka_connect_mirror_mirrorsourceconnector_"
    assert {name.removeprefix(prefix) for name, _ in found if name.startswith(prefix)} == {
        each.replace("-", "_") for each in wanted
    }
    assert value(found, f"{prefix}record_count", **labels) == 1_128
    assert value(found, f"{prefix}replication_latency_ms_max", **labels) == 52


def test_a_quiet_partition_has_no_averages() -> None:
    quiet = PartitionFigures(
        source="east",
        target="west",
        topic="t",
        partition=0,
        records_total=0,
        bytes_total=0,
        lag_offsets=None,
        records_per_second=0.0,
        bytes_per_second=0.0,
        latency=Spread(),
        age=Spread(),
    )
    found = samples(report(partitions=(quiet,)))

    names = {name for name, _ in found}
    assert "kafka_connect_mirror_mirrorsourceconnector_record_rate" in names
    assert "kafka_connect_mirror_mirrorsourceconnector_replication_latency_ms_avg" not in names


def test_every_attribute_of_mirrormakers_checkpoint_connector_is_there() -> None:
    bean = "MirrorCheckpointConnector,source=east,target=west,group=g-end,topic=east.orders"
    made = report(state("checkpoint"))
    made.add_groups("east", "west", [[["g-end", "orders", 0, 5, 5, 6, LATENCY]]], {"orders": "east.orders"})
    found = samples(made)

    labels = {"source": "east", "target": "west", "group": "g-end", "topic": "east.orders", "partition": "0"}
    prefix = "kafka_connect_mirror_mirrorcheckpointconnector_"
    assert {name.removeprefix(prefix) for name, _ in found if name.startswith(prefix)} == {
        each.replace("-", "_") for each in attributes(bean)
    }
    assert value(found, f"{prefix}checkpoint_latency_ms_avg", **labels) == 11.5


def test_the_tasks_of_a_connector_are_counted_by_state_under_mirrormakers_names() -> None:
    found = samples(
        report(state("source"), state("source", "failed", source="north"), state("plan"), state("heartbeat"))
    )

    prefix = "kafka_connect_connect_worker_metrics_connector_"
    text = MBEANS.read_text()
    names = {name for name, labels in found if name.startswith(prefix) and labels}
    assert all(
        f"    {name.removeprefix('kafka_connect_connect_worker_metrics_').replace('_', '-')} (" in text
        for name in names
    )
    source = {
        name.removeprefix(prefix): value(found, name, connector="MirrorSourceConnector") for name in sorted(names)
    }
    assert source == {
        "failed_task_count": 1,
        "running_task_count": 1,
        "total_task_count": 2,
        "unassigned_task_count": 0,
    }
    assert value(found, f"{prefix}running_task_count", connector="MirrorHeartbeatConnector") == 1


def test_groups_of_a_task_that_left_are_forgotten() -> None:
    made = report(state("checkpoint"))
    made.add_groups("east", "west", [[["g", "orders", 0, 5, 5, 6, LATENCY], ["h", "orders", 0, 5, 5, 6, None]]], {})
    assert [each.group for each in made.group_latencies()] == ["g"]

    made.replace_states([])

    assert made.group_latencies() == ()
