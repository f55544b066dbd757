"""Three drivers with two data workers each: killed, stopped, frozen, drained, restarted and without Redis.

Records flow all the time. An auditor finds nothing lost or out of order, and the positions on the target never go back.
"""

import json
import statistics
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.desired.desired_drivers import Drain, Restart
from replication.domain.settings.choices import Delivery
from tests.support.engine.auditor import audit_topic, committed_positions, read_partitions
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.engine.partition_pauses import PartitionPauses
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets
from tests.support.kafka.writer import Traffic, fault_seed, say

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(600)]

DELIVERIES: list[Delivery] = ["at_least_once", "exactly_once"]
PARENTS = ("one", "two", "three")
WORKERS = tuple(f"{parent}{suffix}" for parent in PARENTS for suffix in ("", "-2"))
SLOTS = PARTITIONS = 12
RATE = 1_000
KILLS = 10
MEDIAN_S, MOST_S = 12.0, 15.0  # kill -9 until every partition flows again
STOP_S = 3.0  # the pause of a partition whose worker ends on SIGTERM
OUTAGE_S, OUTAGE_PAUSE_S = 120.0, 2.0  # without Redis
FROZEN_S = 60.0
IN_FLIGHT = RATE  # by one worker of six: a commit interval, what was in flight, what a loaded machine adds


class Copying:
    """The flow of one topic in twelve slots on six data workers."""

    def __init__(self, fleet: EngineFleet, clusters: TwoClusters, delivery: Delivery) -> None:
        self.fleet = fleet
        self.source, self.target = clusters.source.bootstrap, clusters.target.bootstrap
        self.topic = f"fleet-{uuid.uuid4().hex[:8]}"
        self.alias = f"a{uuid.uuid4().hex[:6]}"  # its own positions and syncs
        self.remote = f"{self.alias}.{self.topic}"
        self.delivery = delivery
        self.faults = 0
        create_topic(self.source, self.topic, PARTITIONS)
        fleet.cluster(self.alias, self.source)
        fleet.cluster("b", self.target)
        fleet.publish(
            "b",
            DesiredFlow(
                source=self.alias,
                heartbeats=False,
                tasks_max=SLOTS,
                delivery=delivery,
                topics=NamePatterns(allow=(self.topic,)),
                connectors=ConnectorSettings(source=SETTINGS),
            ),
        )
        for parent in PARENTS:
            fleet.start(parent, "control", SRM_DRIVER_PARENT=parent)
            self.start_worker(parent)
            self.start_worker(f"{parent}-2")

    def start_worker(self, driver: str) -> None:
        self.fleet.start(driver, "data", SRM_DRIVER_PARENT=driver.removesuffix("-2"))

    def wait_replaced(self, driver: str) -> None:
        """Wait until the watch of a worker that was silent for too long has ended it, then start it as systemd does."""
        process = self.fleet.processes[f"{driver}.data"]
        self.fleet.wait_until(f"{driver} ends itself", lambda: not process.is_alive, 15)
        self.start_worker(driver)

    def owners(self) -> dict[int, str]:
        return self.fleet.owners(self.alias, "b")

    def wait_shared(self, *workers: str) -> None:
        """Until these workers hold all slots in even shares and have committed what the source held a moment ago."""

        def shared() -> bool:
            held = list(self.owners().values())
            counts = [held.count(worker) for worker in workers]
            return sum(counts) == SLOTS and max(counts) - min(counts) <= 1

        self.fleet.wait_until(f"even shares on {', '.join(workers)}", shared)
        ends = end_offsets(self.source, self.topic, PARTITIONS)

        def committed() -> bool:
            found = committed_positions(self.target, self.alias, self.topic)
            return all(found.get(number, 0) >= end for number, end in enumerate(ends))

        self.fleet.wait_until("positions are committed", committed)

    @contextmanager
    def pauses(self) -> Iterator[PartitionPauses]:
        with PartitionPauses(self.target, self.remote, PARTITIONS).watched() as pauses:
            yield pauses

    def wait_flowing_again(self, timeout_s: float = 60.0) -> float:
        """Seconds until every partition has advanced beyond what it held a moment after the call."""
        before = end_offsets(self.target, self.remote, PARTITIONS)
        more = RATE / PARTITIONS / 4

        def advanced() -> bool:
            now = end_offsets(self.target, self.remote, PARTITIONS)
            return all(end > then + more for end, then in zip(now, before, strict=True))

        return self.fleet.wait_until("every partition advances", advanced, timeout_s)

    def check(self) -> None:
        """Everything is there, in order; what came twice stays within what the faults may cost."""
        self.fleet.wait_level(self.alias, "b", self.topic, PARTITIONS)
        findings = audit_topic(self.source, self.target, self.topic, self.remote, PARTITIONS)
        say(f"{self.delivery}: {findings}")
        findings.check(duplicates_at_most=self.faults * IN_FLIGHT if self.delivery == "at_least_once" else 0)
        assert self._backward_positions() == []

    def _backward_positions(self) -> list[str]:
        """Return the positions on the target that are lower than an earlier one of the same partition."""
        topic = f"mm2-offsets.{self.alias}.internal"
        described = admin(self.target).list_topics(topic, timeout=10).topics[topic]
        newest: dict[int, int] = defaultdict(lambda: -1)
        backward = []
        for records in read_partitions(self.target, topic, described.partitions).values():
            for record in records:
                place = json.loads(record.key or b"")[1]
                offset = json.loads(record.value or b"")["offset"]
                if offset < newest[place["partition"]]:
                    backward.append(f"{place['partition']}: {offset} after {newest[place['partition']]}")
                newest[place["partition"]] = offset
        return backward


def moves(before: dict[int, str], after: dict[int, str]) -> int:
    return sum(after[slot] != driver for slot, driver in before.items())


@pytest.fixture(params=DELIVERIES)
def copying(request: pytest.FixtureRequest, engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Copying:
    return Copying(engine_fleet, two_clusters, request.param)


@pytest.fixture
def copying_twice(engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Copying:
    """With duplicates allowed, for what concerns the fleet rather than the records."""
    return Copying(engine_fleet, two_clusters, "at_least_once")


def traffic_of(copying: Copying) -> Traffic:
    return Traffic(copying.source, copying.topic, PARTITIONS, RATE, seed=fault_seed())


def test_after_ten_kills_every_partition_flows_again_within_fifteen_seconds(copying: Copying) -> None:
    took: list[float] = []
    with traffic_of(copying).flowing() as traffic:
        copying.wait_shared(*WORKERS)
        for number in range(KILLS):
            victim = WORKERS[number % len(WORKERS)]
            copying.fleet.kill(f"{victim}.data")
            took.append(copying.wait_flowing_again())
            copying.start_worker(victim)
            copying.wait_shared(*WORKERS)
            copying.faults += 2  # the kill, and the move of slots back
        traffic.wait_for(RATE)
    median_s = statistics.median(took)
    say(f"kill to flowing: {[round(each, 1) for each in took]} s, median {median_s:.1f} s, at most {max(took):.1f} s")
    copying.check()
    assert median_s <= MEDIAN_S
    assert max(took) <= MOST_S


def test_a_worker_that_is_asked_to_stop_hands_over_within_three_seconds(copying: Copying) -> None:
    with traffic_of(copying).flowing():
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        with copying.pauses() as pauses:
            copying.fleet.terminate("two.data")
            copying.wait_shared(*(worker for worker in WORKERS if worker != "two"))
            longest_s = max(pauses.longest_s())
        assert moves(before, copying.owners()) == 2  # its own slots
        copying.faults += 1
    say(f"SIGTERM: the longest pause of a partition was {longest_s:.1f} s")
    copying.check()
    assert longest_s <= STOP_S


def test_joining_draining_and_restarting_move_as_few_slots_as_possible(copying_twice: Copying) -> None:
    copying = copying_twice
    fleet = copying.fleet
    with traffic_of(copying).flowing():
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        fleet.start("four", "data", SRM_DRIVER_PARENT="four")
        copying.wait_shared(*WORKERS, "four")
        assert moves(before, copying.owners()) == SLOTS // 7  # what an even share of seven workers is

        before = copying.owners()
        now_ms = time.time_ns() // 1_000_000
        fleet.order(drains={"four": Drain(reason="maintenance", by="test", since_ms=now_ms)})
        copying.wait_shared(*WORKERS)
        assert moves(before, copying.owners()) == list(before.values()).count("four")

        before = copying.owners()
        fleet.order(
            drains={"four": Drain(reason="maintenance", by="test", since_ms=now_ms)},
            restarts={"three": Restart(id=uuid.uuid4().hex, until_ms=time.time_ns() // 1_000_000 + 60_000)},
        )
        ended = ("three.data", "three-2.data", "three.control")
        old = [fleet.processes[name] for name in ended]
        fleet.wait_until("the processes of three end", lambda: not any(process.is_alive for process in old))
        fleet.start("three", "control", SRM_DRIVER_PARENT="three")
        copying.start_worker("three")
        copying.start_worker("three-2")
        copying.wait_flowing_again()
        copying.wait_shared(*WORKERS)
        assert moves(before, copying.owners()) == 0
        copying.faults += 5
    copying.check()


def test_a_frozen_worker_is_replaced_and_fenced_when_it_wakes(copying: Copying) -> None:
    with traffic_of(copying).flowing() as traffic:
        copying.wait_shared(*WORKERS)
        others = [worker for worker in WORKERS if worker != "two-2"]
        with copying.fleet.frozen("two-2.data"):
            copying.wait_flowing_again()
            copying.wait_shared(*others)
            traffic.wait_to_pass(FROZEN_S)
        copying.wait_replaced("two-2")
        copying.wait_shared(*WORKERS)
        copying.faults += 2
    copying.check()


def test_two_minutes_without_redis_pause_no_partition(copying_twice: Copying) -> None:
    copying = copying_twice
    with traffic_of(copying).flowing() as traffic:
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        with copying.pauses() as pauses:
            copying.fleet.redis.stop()
            traffic.wait_to_pass(OUTAGE_S)
            copying.fleet.redis = copying.fleet.redis.restart()
            copying.wait_shared(*WORKERS)
            longest_s = max(pauses.longest_s())
        assert moves(before, copying.owners()) == 0
    say(f"without Redis for {OUTAGE_S:.0f} s: the longest pause of a partition was {longest_s:.1f} s")
    copying.check()
    assert longest_s <= OUTAGE_PAUSE_S
