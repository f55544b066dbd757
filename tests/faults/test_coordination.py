"""Two leaders, a wrong clock, and start messages that come twice and late, with real processes.

Records flow all the time. An auditor finds nothing lost or out of order, and the positions on the target never go back.
"""

import time
from collections.abc import Iterator
from typing import Any, cast

import pytest
from redis import Redis

from replication.domain.settings.choices import Delivery
from replication.worker.state import keys
from srm_cli.machine import embedded_redis
from srm_cli.machine.ports import LOOPBACK, free_port
from tests.support.drivers.copying import Copying, moves
from tests.support.drivers.start_messages import StartMessages
from tests.support.engine.engine_fleet import EngineFleet
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.writer import say
from tests.support.servers.proxy import SlowLink
from tests.support.servers.redis import RunningRedis, start_redis
from tests.support.shifted_clock import ShiftedClock

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(300)]

WORKERS = ("one", "two")
SLOTS, RATE = 6, 600
LATER = 4  # slots of the plan that the second leader's driver makes
UNNOTICED_S = 2.0  # the pause of a partition that stays where it is
LEASE_S = 11.0  # longer than a lease lives
SPLIT_S = 30.0  # long enough for each side to take every slot from the other
SPLIT_PAUSE_S = 15.0  # a fenced slot waits for ten seconds
HOUR_S = 3_600
FENCED = "slot taken over by another owner"
STARTED = "slot started"


def _copying(fleet: EngineFleet, clusters: TwoClusters, delivery: Delivery, *, heartbeats: bool = False) -> Copying:
    return Copying(
        fleet, clusters, delivery, workers=WORKERS, slots=SLOTS, records_per_second=RATE, heartbeats=heartbeats
    )


@pytest.fixture
def copying(engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Copying:
    return _copying(engine_fleet, two_clusters, "at_least_once")


def _leader(fleet: EngineFleet) -> str:
    with fleet.client() as client:
        value = cast("bytes | None", client.get(keys.LEADER))
    return "" if value is None else value.decode().split("|")[0]


def _wait_led(fleet: EngineFleet, driver: str) -> float:
    return fleet.wait_until(f"{driver} leads", lambda: _leader(fleet) == driver, 20)


def _plan(copying: Copying) -> dict[str, Any]:
    return copying.fleet.document(keys.plan("b", copying.alias))


def test_a_leader_that_wakes_up_changes_nothing_of_its_successor(copying: Copying) -> None:
    fleet = copying.fleet
    copying.start()
    with copying.traffic().flowing() as traffic:
        copying.wait_shared(*WORKERS)
        first = _leader(fleet)
        (other,) = (driver for driver in WORKERS if driver != first)
        with fleet.frozen(f"{first}.control"):
            led_s = _wait_led(fleet, other)
            traffic.wait_to_pass(LEASE_S)  # the other driver plans as well
            copying.publish(tasks_max=LATER)
            copying.wait_shared(*WORKERS, slots=LATER)
            owners, plan = copying.owners(), _plan(copying)
        traffic.wait_to_pass(LEASE_S)
        assert _leader(fleet) == other
        assert copying.owners() == owners
        assert (_plan(copying)["generation"], len(_plan(copying)["slots"])) == (plan["generation"], LATER)
        copying.wait_flowing_again()
        copying.faults += 2  # another layout, in which most partitions change their slot
    say(f"frozen leader: the other one led after {led_s:.1f} s")
    copying.check()


@pytest.fixture
def other_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRedis]:
    server = start_redis(tmp_path_factory.mktemp("other-redis"))
    yield server
    server.stop()


@pytest.fixture
def link(engine_fleet: EngineFleet) -> Iterator[SlowLink]:
    """The way of driver `two` to Redis."""
    made = SlowLink(free_port())
    made.upstream_port = engine_fleet.redis.port
    yield made
    made.close()


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_two_leaders_on_two_halves_of_redis_are_fenced_in_kafka(
    engine_fleet: EngineFleet,
    two_clusters: TwoClusters,
    link: SlowLink,
    other_redis: RunningRedis,
    delivery: Delivery,
) -> None:
    copying, fleet = _copying(engine_fleet, two_clusters, delivery), engine_fleet
    copying.start({"two": {"SRM_REDIS_URL": embedded_redis.url(port=link.port, password=fleet.redis.password)}})
    with copying.traffic().flowing() as traffic:
        copying.wait_shared(*WORKERS)
        _copy_of(fleet.redis, other_redis)
        with copying.pauses() as pauses:
            with link.down():
                link.upstream_port = other_redis.port
            _wait_led(fleet, "one")
            traffic.wait_to_pass(SPLIT_S)
            flowing_s = copying.wait_flowing_again()
            both_fenced = [fleet.said(f"{driver}.data", FENCED) for driver in WORKERS]
            with link.down():
                link.upstream_port = fleet.redis.port
            healed_s = copying.wait_shared(*WORKERS)
            longest_s = max(pauses.longest_s())
        fences = sum(fleet.said(f"{driver}.data", FENCED) for driver in WORKERS)
        copying.faults += fences  # a slot each, of which one in six copies a part of the records
    say(
        f"split: {both_fenced} slots fenced, all flow {flowing_s:.1f} s after {SPLIT_S:.0f} s, healed after "
        f"{healed_s:.1f} s, the longest pause was {longest_s:.1f} s"
    )
    copying.in_flight = RATE // SLOTS * 2
    copying.check()
    assert min(both_fenced) > 0, "the two halves did not disagree"
    assert longest_s <= SPLIT_PAUSE_S


def _copy_of(primary: RunningRedis, copy: RunningRedis) -> None:
    """Give `copy` all keys and the password of `primary`, as a replica that lost its primary has them."""
    with Redis.from_url(copy.url) as client:
        client.config_set("masterauth", primary.password)
        client.replicaof(LOOPBACK, primary.port)
        deadline_s = time.monotonic() + 20
        while client.info("replication").get("master_link_status") != "up":
            assert time.monotonic() < deadline_s, "the copy does not follow"
            time.sleep(0.05)
        client.replicaof("NO", "ONE")
        client.config_set("requirepass", primary.password)


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_an_hour_wrong_moves_no_slot_and_stops_no_heartbeat(
    engine_fleet: EngineFleet, two_clusters: TwoClusters, hours: int
) -> None:
    copying, fleet = _copying(engine_fleet, two_clusters, "at_least_once", heartbeats=True), engine_fleet
    clock = ShiftedClock(fleet.folder)
    copying.start({"two": clock.environment})
    with copying.traffic().flowing() as traffic:
        copying.wait_shared(*WORKERS)
        fleet.terminate("one.control")  # the driver with the wrong clock leads, plans and sends heartbeats
        _wait_led(fleet, "two")
        before = copying.owners()
        with copying.pauses() as pauses:
            for shift_s in (hours * HOUR_S, 0):
                clock.step_to(shift_s)
                traffic.wait_to_pass(LEASE_S)
                assert moves(before, copying.owners()) == 0
                assert abs(_ahead_s(copying, "source") - shift_s) < 30
                assert abs(_ahead_s(copying, "heartbeat", "last_sent_ms") - shift_s) < 30
            longest_s = max(pauses.longest_s())
    say(f"a clock wrong by {hours} h: the longest pause was {longest_s:.1f} s")
    copying.check()
    assert longest_s <= UNNOTICED_S


def _ahead_s(copying: Copying, kind: str, name: str = "sent_ms") -> float:
    """Return how far a time in the live state of driver `two` is ahead of the clock here."""
    found = [state for state in copying.fleet.live(copying.alias, "b", kind) if state["driver"] == "two"]
    return float(found[0][name]) / 1_000 - time.time()


def test_a_start_message_that_comes_twice_late_or_to_another_worker_starts_nothing(copying: Copying) -> None:
    fleet = copying.fleet
    with fleet.client() as redis, StartMessages(fleet.client()).watched() as messages, copying.traffic().flowing():
        copying.start()
        copying.wait_shared(*WORKERS)
        captured = [message.without_expiry() for message in messages.seen()]
        queues = [message.queue for message in captured]
        assert {message.driver for message in captured} == set(WORKERS)
        before, started = copying.owners(), _starts(fleet)
        with copying.pauses() as pauses:
            for message in captured:
                for queue in (*queues, *queues):  # twice, and to the other worker
                    message.deliver(redis, queue)
            _wait_consumed(fleet, queues)
            copying.wait_flowing_again()
            longest_s = max(pauses.longest_s())
        assert (copying.owners(), _starts(fleet)) == (before, started)

        copying.publish(is_stopped=True)
        fleet.wait_until("no slot runs", lambda: not copying.owners())
        for message in captured:
            message.deliver(redis)
        _wait_consumed(fleet, queues)
        time.sleep(2)
        assert (copying.owners(), _starts(fleet)) == ({}, started)

        copying.publish()
        copying.wait_shared(*WORKERS)
        for message in captured:
            message.deliver(redis)
        _wait_consumed(fleet, queues)
        copying.wait_flowing_again()
        assert _starts(fleet) == started + SLOTS
        copying.faults += 1  # the stop
    say(f"{len(captured)} start messages, each five times more: the longest pause was {longest_s:.1f} s")
    copying.check()
    assert longest_s <= UNNOTICED_S


def _starts(fleet: EngineFleet) -> int:
    return sum(fleet.said(f"{driver}.data", STARTED) for driver in WORKERS)


def _wait_consumed(fleet: EngineFleet, queues: list[str]) -> None:
    with fleet.client() as client:
        fleet.wait_until("the messages are taken", lambda: not any(map(client.llen, queues)), 20)
