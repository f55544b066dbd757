"""Redis cut off from one driver, without memory, and failing over to a replica that is behind.

Records flow all the time. An auditor finds nothing lost or out of order, and the positions on the target never go back.
"""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import httpx
import pytest

from replication.domain.desired.desired_drivers import Drain
from replication.domain.settings.choices import Delivery
from srm_cli.machine import embedded_redis
from srm_cli.machine.ports import LOOPBACK, free_port
from tests.support.drivers.copying import Copying, moves
from tests.support.engine.engine_fleet import EngineFleet
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.writer import say
from tests.support.servers.proxy import SlowLink
from tests.support.servers.sentinels import WatchedPair, watched_pair_in

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(300)]

Cut = Literal["refused", "silent"]
WORKERS = ("one", "two")
SLOTS, RATE = 6, 600
TAKEN_S = 15.0  # until the other driver holds every slot of one that cannot renew its leases
HAND_OVER_S = 5.0  # the pause of a partition that a live worker loses to another one
UNNOTICED_S = 2.0  # the pause of a partition that stays where it is
FULL_S = 20.0  # longer than leases and memberships live
BEHIND_S = 12.0  # the same, for a replica
OLD_STATE_S = 15.0  # until leases that came back have expired, and slots have moved back


def _copying(fleet: EngineFleet, clusters: TwoClusters, delivery: Delivery) -> Copying:
    return Copying(fleet, clusters, delivery, workers=WORKERS, slots=SLOTS, records_per_second=RATE)


@pytest.fixture
def copying(engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Copying:
    return _copying(engine_fleet, two_clusters, "at_least_once")


@pytest.fixture
def link(engine_fleet: EngineFleet) -> Iterator[SlowLink]:
    """The way of driver `two` to Redis."""
    made = SlowLink(free_port())
    made.upstream_port = engine_fleet.redis.port
    yield made
    made.close()


@pytest.fixture
def pair(engine_fleet: EngineFleet, tmp_path: Path) -> Iterator[WatchedPair]:
    """Sentinels in place of the one Redis of the fleet, before anything is published."""
    with watched_pair_in(tmp_path / "sentinels", down_after_ms=2_000) as made:
        engine_fleet.redis = replace(engine_fleet.redis, url=made.primary_url)
        yield made


def _url_through(link: SlowLink, fleet: EngineFleet) -> str:
    return embedded_redis.url(port=link.port, password=fleet.redis.password)


def _cut(link: SlowLink, cut: Cut) -> AbstractContextManager[None]:
    return link.down() if cut == "refused" else link.cut_one_way("from_broker")


@pytest.mark.parametrize(("cut", "delivery"), [("refused", "at_least_once"), ("silent", "exactly_once")])
def test_a_driver_without_redis_is_replaced_and_fenced_and_joins_again(
    engine_fleet: EngineFleet, two_clusters: TwoClusters, link: SlowLink, cut: Cut, delivery: Delivery
) -> None:
    copying = _copying(engine_fleet, two_clusters, delivery)
    copying.start({"two": {"SRM_REDIS_URL": _url_through(link, engine_fleet)}})
    with copying.traffic().flowing():
        copying.wait_shared(*WORKERS)
        its_slots = list(copying.owners().values()).count("two")
        pids = {name: process.pid for name, process in engine_fleet.processes.items()}
        with copying.pauses() as pauses:
            with _cut(link, cut):
                taken_s = copying.wait_shared("one")
                flowing_s = copying.wait_flowing_again()
                fenced = "slot taken over by another owner"
                engine_fleet.wait_until(
                    "two has lost its slots to Kafka", lambda: engine_fleet.said("two.data", fenced) == its_slots, 10
                )
            joined_s = copying.wait_shared(*WORKERS)
            longest_s = max(pauses.longest_s())
        assert all(process.is_alive for process in engine_fleet.processes.values()), engine_fleet.logs()
        assert {name: process.pid for name, process in engine_fleet.processes.items()} == pids
        copying.faults += 2  # taken, and given back
    say(
        f"{cut}: taken over after {taken_s:.1f} s, all flow {flowing_s:.1f} s later, joined after {joined_s:.1f} s, "
        f"the longest pause was {longest_s:.1f} s"
    )
    copying.check()
    assert taken_s <= TAKEN_S
    assert longest_s <= HAND_OVER_S


def test_a_redis_without_memory_pauses_no_partition_and_is_named(copying: Copying) -> None:
    fleet, port = copying.fleet, free_port()
    copying.start({"one.control": {"SRM_DRIVER_HTTP_PORT": f"{LOOPBACK}:{port}"}})
    with copying.traffic().flowing() as traffic, fleet.client() as redis:
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        with copying.pauses() as pauses:
            redis.config_set("maxmemory", 1)
            fleet.wait_until("the probe names the memory", lambda: "maxmemory" in _not_ready(port), 10)
            traffic.wait_to_pass(FULL_S)
            redis.config_set("maxmemory", 0)
            copying.wait_shared(*WORKERS)
            healed_s = fleet.wait_until("the driver is ready", lambda: not _not_ready(port), 10)
            longest_s = max(pauses.longest_s())
        assert moves(before, copying.owners()) == 0
    say(f"without memory for {FULL_S:.0f} s: longest pause {longest_s:.1f} s, ready {healed_s:.1f} s after its end")
    copying.check()
    assert longest_s <= UNNOTICED_S


def _not_ready(port: int) -> str:
    """Return the parts that the probe names; empty for a driver that is ready."""
    answer = httpx.get(f"http://{LOOPBACK}:{port}/readyz", timeout=5)
    return "" if answer.status_code == 200 else answer.text


def test_a_fail_over_that_forgets_every_lease_pauses_no_partition(pair: WatchedPair, copying: Copying) -> None:
    copying.start({worker: {"SRM_REDIS_URL": pair.url} for worker in WORKERS})
    with copying.traffic().flowing() as traffic:
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        with copying.pauses() as pauses:
            pair.leave_replica_behind()
            traffic.wait_to_pass(BEHIND_S)
            took_s = _fail_over(copying, pair)
            copying.wait_shared(*WORKERS)
            traffic.wait_to_pass(FULL_S / 2)  # a decision without all owners would move slots now
            longest_s = max(pauses.longest_s())
        assert moves(before, copying.owners()) == 0
    say(f"fail-over without leases: new primary after {took_s:.1f} s, the longest pause was {longest_s:.1f} s")
    copying.check()
    assert longest_s <= UNNOTICED_S


def test_a_fail_over_that_brings_old_leases_and_assignments_back_pauses_their_slots_once(
    pair: WatchedPair, copying: Copying
) -> None:
    copying.start({worker: {"SRM_REDIS_URL": pair.url} for worker in WORKERS})
    drains = {"two": Drain(reason="maintenance", by="test", since_ms=time.time_ns() // 1_000_000)}
    with copying.traffic().flowing():
        copying.wait_shared(*WORKERS)
        with copying.pauses() as pauses:
            pair.leave_replica_behind()
            copying.fleet.order(drains=drains)
            copying.wait_shared("one")
            took_s = _fail_over(copying, pair)
            flowing_s = copying.wait_flowing_again()
            copying.fleet.order(drains=drains)  # as the service does with its next publication
            copying.wait_shared("one")
            copying.fleet.order()
            copying.wait_shared(*WORKERS)
            longest_s = max(pauses.longest_s())
        copying.faults += 3  # the drain, the old state, the way back
    say(
        f"fail-over with old state: new primary after {took_s:.1f} s, all flow {flowing_s:.1f} s later, "
        f"the longest pause was {longest_s:.1f} s"
    )
    copying.check()
    assert longest_s <= OLD_STATE_S


def _fail_over(copying: Copying, pair: WatchedPair) -> float:
    """Kill the primary; returns the seconds until the replica is the primary."""
    began_s = time.monotonic()
    pair.kill_primary()
    copying.fleet.redis = replace(copying.fleet.redis, url=pair.replica_url)
    return time.monotonic() - began_s
