"""Data workers killed and frozen under traffic: another takes over, the zombie is fenced, an auditor finds nothing."""

import os
import signal
import statistics
import uuid
from pathlib import Path

import pytest

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.settings.choices import Delivery
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_command import LIMIT_S, RunningDriver
from tests.support.engine.auditor import Findings, audit_topic, committed_positions
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, end_offsets
from tests.support.kafka.writer import Traffic, fault_seed, say
from tests.support.servers.redis import RunningRedis

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(420)]

DELIVERIES: list[Delivery] = ["at_least_once", "exactly_once"]
KILLS = [("one", "two"), ("two", "one"), ("one", "two")]  # who dies, who takes over
PARTITIONS = 4
RATE = 1_000
BUDGET_S = 12.0  # kill to flowing, median on a machine with nothing else to do
PATIENCE_S = 45.0
FROZEN_S = 30.0
IN_FLIGHT = 3 * RATE  # a second's commit interval, what was in flight, and what a loaded machine adds


class Flowing:
    """The flow a->b of one topic, two slots, on two data workers of different drivers."""

    def __init__(self, fleet: EngineFleet, clusters: TwoClusters, delivery: Delivery) -> None:
        self.fleet = fleet
        self.source, self.target = clusters.source.bootstrap, clusters.target.bootstrap
        self.topic = f"die-{uuid.uuid4().hex[:8]}"
        self.alias = f"a{uuid.uuid4().hex[:6]}"  # its own positions and syncs
        self.remote = f"{self.alias}.{self.topic}"
        self.delivery = delivery
        create_topic(self.source, self.topic, PARTITIONS)
        fleet.cluster(self.alias, self.source)
        fleet.cluster("b", self.target)
        fleet.publish(
            "b",
            DesiredFlow(
                source=self.alias,
                heartbeats=False,
                tasks_max=2,
                delivery=delivery,
                topics=NamePatterns(allow=(self.topic,)),
                connectors=ConnectorSettings(source=SETTINGS),
            ),
        )
        fleet.start("one", "control")
        fleet.start("one", "data")
        fleet.start("two", "data")

    def wait_settled(self) -> None:
        """Until both drivers have a slot and what the source held a moment ago is committed.

        A fault before that doubles the whole backlog that was copied since the last commit: no bound could be told.
        """
        fleet = self.fleet
        fleet.wait_until("a slot on each driver", lambda: set(self.owners().values()) == {"one", "two"})
        ends = end_offsets(self.source, self.topic, PARTITIONS)

        def committed() -> bool:
            found = committed_positions(self.target, self.alias, self.topic)
            return all(found.get(number, 0) >= end for number, end in enumerate(ends))

        fleet.wait_until("positions are committed", committed)

    def owners(self) -> dict[int, str]:
        return self.fleet.owners(self.alias, "b")

    def copied(self) -> list[int]:
        return end_offsets(self.target, self.remote, PARTITIONS)

    def wait_flowing_again(self) -> float:
        """Seconds until every partition has advanced beyond what it held a moment after the call."""
        before = self.copied()

        def advanced() -> bool:
            return all(now > then + RATE / PARTITIONS / 4 for now, then in zip(self.copied(), before, strict=True))

        return self.fleet.wait_until("every partition advances", advanced, PATIENCE_S)

    def check(self, faults: int) -> Findings:
        """Everything is there, in order; what came twice stays within what the faults may cost."""
        self.fleet.wait_level(self.alias, "b", self.topic, PARTITIONS)
        findings = audit_topic(self.source, self.target, self.topic, self.remote, PARTITIONS)
        say(f"{self.delivery}: {findings}; in blocks {blocks(findings.duplicated)}")
        return findings.check(duplicates_at_most=faults * IN_FLIGHT if self.delivery == "at_least_once" else 0)


def blocks(places: list[tuple[int, int]]) -> list[str]:
    """Runs of offsets as `partition:first+count`."""
    found: list[list[int]] = []
    for partition, offset in sorted(places):
        if found and found[-1][0] == partition and found[-1][1] + found[-1][2] == offset:
            found[-1][2] += 1
        else:
            found.append([partition, offset, 1])
    return [f"{partition}:{first}+{count}" for partition, first, count in found]


@pytest.fixture(params=DELIVERIES)
def flow(request: pytest.FixtureRequest, engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Flowing:
    return Flowing(engine_fleet, two_clusters, request.param)


def traffic_of(flow: Flowing) -> Traffic:
    return Traffic(flow.source, flow.topic, PARTITIONS, RATE, seed=fault_seed())


def test_another_driver_takes_over_from_a_killed_one(flow: Flowing) -> None:
    took: list[float] = []
    with traffic_of(flow).flowing() as traffic:
        flow.wait_settled()
        for victim, heir in KILLS[: 3 if flow.delivery == "at_least_once" else 2]:
            flow.fleet.kill(f"{victim}.data")
            took.append(flow.wait_flowing_again())
            assert set(flow.owners().values()) == {heir}
            flow.fleet.start(victim, "data")
            flow.wait_settled()
        traffic.wait_for(RATE)
    median_s = statistics.median(took)
    say(f"kill to flowing: {[round(each, 1) for each in took]} s, median {median_s:.1f} s, budget {BUDGET_S:.0f} s")
    flow.check(faults=2 * len(took))  # each kill, and the move of the slot back


def test_a_frozen_driver_is_replaced_and_fenced_when_it_wakes(flow: Flowing) -> None:
    with traffic_of(flow).flowing() as traffic:
        flow.wait_settled()
        with flow.fleet.frozen("one.data"):
            flow.wait_flowing_again()
            assert set(flow.owners().values()) == {"two"}
            traffic.wait_to_pass(FROZEN_S)
        flow.wait_settled()
    flow.check(faults=2)


def test_a_driver_killed_whole_comes_back_where_it_was(flow: Flowing) -> None:
    with traffic_of(flow).flowing() as traffic:
        flow.wait_settled()
        for _ in range(2):
            for name in ("one.control", "one.data", "two.data"):  # one after another, in the midst of transactions
                flow.fleet.kill(name)
            traffic.wait_for(RATE)
            flow.fleet.start("one", "control")
            flow.fleet.start("one", "data")
            flow.fleet.start("two", "data")
            flow.wait_settled()
    flow.check(faults=2)


@pytest.mark.parametrize("frozen", ["berlin:control", "berlin:data"])
def test_a_frozen_process_of_a_driver_is_replaced_by_its_supervisor(
    frozen: str, own_redis: RunningRedis, tmp_path: Path
) -> None:
    driver = RunningDriver(own_redis.url, own_redis.url, tmp_path / "home", SRM_HANG_TIMEOUT_S="10")
    try:
        first = driver.wait_for({"berlin:control", "berlin:data"})
        os.kill(first[frozen]["pid"], signal.SIGSTOP)

        assert wait_until(
            lambda: driver.members().get(frozen, first[frozen])["boot"] != first[frozen]["boot"], LIMIT_S
        ), driver.output.read_text()

        assert "silent for 18 s, killed" in driver.output.read_text()
        now = driver.wait_for({"berlin:control", "berlin:data"})
        assert [name for name in now if now[name]["boot"] != first[name]["boot"]] == [frozen]
    finally:
        driver.stop()
