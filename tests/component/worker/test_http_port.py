"""The HTTP port of real driver processes, with and without Redis."""

import http.client
import json
import re

import pytest

from replication.domain.desired.desired_document import DesiredFlow
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_processes import SOURCE, TARGET, Fleet
from tests.support.eventually import eventually

pytestmark = [pytest.mark.redis, pytest.mark.slow]
FLOW = DesiredFlow(source=SOURCE, tasks_max=2)
ANY_PORT = "127.0.0.1:0"
LONG_S = 60


def port_of(fleet: Fleet, role: str) -> int:
    log = fleet.folder / f"d1.{role}.log"
    eventually(lambda: "http port open" in log.read_text(), LONG_S, "the port is open")
    found = re.search(r"http port open.*\bport=(\d+)", log.read_text())
    assert found is not None
    return int(found[1])


def get(port: int, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def missing(port: int) -> list[str]:
    return [each.partition(":")[0] for each in json.loads(get(port, "/readyz")[1])["missing"]]


def test_probes_and_metrics_are_true_with_and_without_redis(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control", SRM_DRIVER_HTTP_PORT=ANY_PORT)
    fleet.start("d1", "data", SRM_DRIVER_HTTP_PORT=ANY_PORT)
    fleet.wait_for_slots(0, 1)
    control, data = port_of(fleet, "control"), port_of(fleet, "data")

    eventually(lambda: missing(control) == missing(data) == [], LONG_S, "both are ready")
    running = 'srm_driver_tasks{kind="source",state="running"} 2.0'
    eventually(lambda: running in get(data, "/metrics")[1], LONG_S, "both slots are counted")
    flow = f'{{source="{SOURCE}",target="{TARGET}"}}'
    assert f"streams_replication_manager_distributed_herder_status{flow} 0.0" in get(data, "/metrics")[1]
    heartbeats = 'srm_driver_tasks{kind="heartbeat",state="running"} 1.0'
    eventually(lambda: heartbeats in get(control, "/metrics")[1], LONG_S, "the heartbeat task is counted")

    fleet.redis.stop()

    eventually(lambda: missing(data) == ["redis"], LONG_S, "the missing part is named")
    assert get(data, "/readyz")[0] == 503
    assert get(data, "/livez")[0] == 200
    assert running in get(data, "/metrics")[1], "running tasks are reported without Redis"
    fleet.redis = fleet.redis.restart()
    eventually(lambda: missing(data) == [], LONG_S, "it is ready again")


@pytest.mark.large  # every day: test_http_port.py of the unit tests
def test_a_taken_port_ends_the_process_with_the_remedy(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control", SRM_DRIVER_HTTP_PORT=ANY_PORT)
    taken = f"127.0.0.1:{port_of(fleet, 'control')}"

    second = fleet.start("d1", "data", SRM_DRIVER_HTTP_PORT=taken)

    assert wait_until(lambda: not second.is_alive, LONG_S), fleet.logs()
    assert "set SRM_DRIVER_HTTP_PORT to another port" in (fleet.folder / "d1.data.log").read_text()


@pytest.mark.large  # every day: test_logs.py
def test_log_lines_are_json_where_that_is_chosen(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data", SRM_LOG_FORMAT="json")
    fleet.wait_for_slots(0, 1)

    log = fleet.folder / "d1.data.log"
    eventually(lambda: "slot started" in log.read_text(), LONG_S, "the start is logged")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    [started, *_] = [line for line in lines if line["event"] == "slot started"]
    assert (started["flow"], started["level"], started["driver"]) == (f"{SOURCE}->{TARGET}", "info", "d1")


def test_a_task_tells_why_it_moved_and_its_last_error(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    first = fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)
    task = f"{SOURCE}/source/0"
    eventually(lambda: (fleet.live(task) or {}).get("moved"), LONG_S, "the first move is told")
    assert (fleet.live(task) or {})["moved"]["reason"] == "started"

    fleet.start("d2", "data")
    fleet.kill(first)

    def both_moved() -> bool:
        states = [fleet.live(f"{SOURCE}/source/{slot}") or {} for slot in (0, 1)]
        return all(state.get("driver") == "d2" and state.get("state") == "running" for state in states)

    eventually(both_moved, LONG_S, "the other driver runs both slots")
    reasons = {(fleet.live(f"{SOURCE}/source/{slot}") or {})["moved"]["reason"] for slot in (0, 1)}
    assert reasons <= {"driver_gone", "rebalanced"}
    assert "driver_gone" in reasons
