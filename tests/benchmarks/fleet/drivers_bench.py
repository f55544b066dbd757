"""One, four and eight idle drivers with two hundred slots: memory, threads, CPU and Redis commands."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from srm_cli.dev_clusters.registry import LocalCluster
from tests.benchmarks.fleet.usage import Usage, threads
from tests.benchmarks.report import Result
from tests.benchmarks.sides import resident_mb
from tests.support.engine.engine_fleet import EngineFleet
from tests.support.kafka.kafka_records import create_topic
from tests.support.servers.redis import start_redis

COUNTS = (1, 4, 8)
SLOTS = 200
TOPIC, TARGET = "idle-orders", "target"
START_S, SETTLE_S, MEASURED_S = 180.0, 10.0, 20.0


def measure_idle_drivers(source: LocalCluster, target: LocalCluster, folder: Path) -> Iterator[Result]:
    """A driver is one control and one data process; each slot has one partition, and no one writes."""
    create_topic(source.bootstrap, TOPIC, SLOTS)
    for count in COUNTS:
        with open_fleet(folder / f"drivers-{count}") as fleet:
            yield from _measure(fleet, count, source, target)


@contextmanager
def open_fleet(folder: Path) -> Iterator[EngineFleet]:
    """Drivers with a Redis of their own; all end with the block."""
    folder.mkdir()
    fleet = EngineFleet(redis=start_redis(folder / "redis"), folder=folder)
    try:
        yield fleet
    except BaseException:
        print(fleet.logs(), flush=True)
        raise
    finally:
        fleet.stop()
        fleet.redis.stop()


def _measure(fleet: EngineFleet, count: int, source: LocalCluster, target: LocalCluster) -> Iterator[Result]:
    alias = f"idle{count}"
    fleet.cluster(alias, source.bootstrap)
    fleet.cluster(TARGET, target.bootstrap)
    flow = DesiredFlow(
        source=alias,
        tasks_max=SLOTS,
        topics=NamePatterns(allow=(TOPIC,)),
        connectors=ConnectorSettings(source={"replication.factor": "1"}),
    )
    fleet.publish(TARGET, flow)
    for number in range(count):
        fleet.start(f"d{number}", "control")
        fleet.start(f"d{number}", "data")
    took_s = fleet.wait_until(f"{SLOTS} slots run", lambda: _running(fleet, alias) == SLOTS, START_S)
    print(f"fleet: {SLOTS} slots ran on {count} drivers after {took_s:.0f} s", flush=True)
    time.sleep(SETTLE_S)
    pids = [process.pid for process in fleet.processes.values()]
    with fleet.client() as redis:
        before = Usage.of(pids, redis)
        time.sleep(MEASURED_S)
        after = Usage.of(pids, redis)
    name = f"{count} idle driver{'' if count == 1 else 's'}, {SLOTS} slots"
    yield Result.alone(f"{name}: memory", "MB", sum(map(resident_mb, pids)))
    yield Result.alone(f"{name}: threads", "", sum(map(threads, pids)))
    yield Result.alone(f"{name}: CPU", "% of a core", after.cpu_percent_since(before))
    yield Result.alone(f"{name}: Redis commands", "per second", after.commands_per_second_since(before))


def _running(fleet: EngineFleet, alias: str) -> int:
    return sum(state["state"] == "running" for state in fleet.live(alias, TARGET))
