"""A far away cluster: 200 ms of round trip, a link cut in one direction, a link that flaps. All end level."""

import os
import random
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pytest

from replication.domain.plan.slot import SlotSpec
from replication.domain.settings.choices import Delivery
from replication.worker.engine.data_engine import WireSlotHandle
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.ports import LOOPBACK, free_port
from tests.support.engine.auditor import audit_topic
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import produce
from tests.support.kafka.writer import Traffic, fault_seed, say
from tests.support.servers.listeners import TwoDoors, start_with_second_listener
from tests.support.servers.proxy import Direction, SlowLink

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.timeout(300)]

Side = Literal["source", "target"]
SIDES: list[Side] = ["source", "target"]
DIRECTIONS: list[Direction] = ["to_broker", "from_broker"]
DELIVERIES: list[Delivery] = ["at_least_once", "exactly_once"]
PARTITIONS = 4
RATE = 1_000
ROUND_TRIP_S = 0.2
CUT_S = 12.0
NAMED_S = 8.0  # 5 s without progress, a second until it is seen, and a loaded machine
POOL_BYTES = 32 * 1024 * 1024  # of a SlotLab
MOST_GROWTH_BYTES = POOL_BYTES + 120 * 1024 * 1024


@dataclass(slots=True)
class FarPair:
    """A near and a far cluster; `link` is in front of the far one, for the engine only."""

    near: TwoDoors
    far: TwoDoors
    link: SlowLink
    peak_bytes: list[int] = field(default_factory=list)

    def lab(self, side: Side) -> SlotLab:
        self.link.one_way_s = 0.0
        source, target = (self.far, self.near) if side == "source" else (self.near, self.far)
        return SlotLab(TwoClusters(source=source.cluster, target=target.cluster))

    def through_the_link(self, spec: SlotSpec, side: Side) -> SlotSpec:
        cluster = replace(spec.source if side == "source" else spec.target, bootstrap=(f"{LOOPBACK}:{self.link.port}",))
        return replace(spec, source=cluster) if side == "source" else replace(spec, target=cluster)


@pytest.fixture(scope="module")
def pair(dev_clusters: DevClusters) -> Iterator[FarPair]:
    link = SlowLink(free_port())
    near = start_with_second_listener(dev_clusters, "near")
    far = start_with_second_listener(dev_clusters, "far", advertised_port=link.port)
    link.upstream_port = far.second_port
    yield FarPair(near, far, link)
    link.close()
    dev_clusters.stop(["near", "far"])


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest) -> Side:
    found: Side = request.param
    return found


@pytest.fixture
def lab(pair: FarPair, side: Side) -> Iterator[SlotLab]:
    slot_lab = pair.lab(side)
    yield slot_lab
    slot_lab.close()


def rss_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def memory_bounded() -> Iterator[None]:
    """The engine runs in this process: what it adds must stay near its pool, however far it falls behind."""
    before, peak, done = rss_bytes(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            peak[0] = max(peak[0], rss_bytes())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    grown = peak[0] - before
    say(f"memory grew by {grown / 2**20:.0f} MB")
    assert grown <= MOST_GROWTH_BYTES, f"memory grew by {grown / 2**20:.0f} MB"


def audited(lab: SlotLab, topic: str) -> None:
    """Connections broke, no process did: Kafka drops what was sent twice, so nothing may come twice."""
    say(f"{audit_topic(lab.source_bootstrap, lab.target_bootstrap, topic, lab.remote(topic), PARTITIONS).check()}")


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_round_trip_of_200_ms_ends_level(pair: FarPair, lab: SlotLab, side: Side, delivery: Delivery) -> None:
    topic = lab.topic(f"far-{uuid.uuid4().hex[:6]}", PARTITIONS)
    produce(lab.source_bootstrap, topic, backlog(20_000), compression_type="lz4")
    pair.link.one_way_s = ROUND_TRIP_S / 2
    spec = pair.through_the_link(lab.spec({topic: PARTITIONS}, delivery=delivery), side)
    began = time.monotonic()
    with memory_bounded(), lab.running(spec) as handle:
        with Traffic(lab.source_bootstrap, topic, PARTITIONS, RATE, seed=fault_seed()).flowing() as traffic:
            until(handle, lambda live: live.get("records_total", 0) > 20_000, 120)
            traffic.wait_for(4 * RATE)
        lab.wait_committed(handle, topic, PARTITIONS)
    say(f"{side} at 200 ms, {delivery}: level after {time.monotonic() - began:.1f} s")
    pair.link.one_way_s = 0.0
    audited(lab, topic)


def backlog(count: int) -> Iterator[dict[str, str | int]]:
    return ({"key": f"b{n}", "value": f"{n}-{'x' * 900}", "partition": n % PARTITIONS} for n in range(count))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_cut_link_is_named_within_seconds(
    pair: FarPair, lab: SlotLab, side: Side, delivery: Delivery, direction: Direction
) -> None:
    """Behind the live document come the driver's report and the service, with 1.5 s at most."""
    topic = lab.topic(f"named-{uuid.uuid4().hex[:6]}", PARTITIONS)
    spec = pair.through_the_link(lab.spec({topic: PARTITIONS}, delivery=delivery), side)
    with lab.running(spec) as handle:
        with Traffic(lab.source_bootstrap, topic, PARTITIONS, RATE, seed=fault_seed()).flowing() as traffic:
            until(handle, lambda live: live.get("records_total", 0) > RATE)
            with pair.link.cut_one_way(direction):
                named_s = seconds_until_stalled(handle)
            traffic.wait_for(RATE)
        lab.wait_committed(handle, topic, PARTITIONS)
        until(handle, lambda live: live.get("states") == {"caught_up": PARTITIONS})
    say(f"{side} cut {direction}, {delivery}: stalled after {named_s:.1f} s")
    assert named_s <= NAMED_S


@pytest.mark.parametrize("side", ["source"], indirect=True)
def test_a_source_that_is_cut_off_is_named_although_everything_is_copied(
    pair: FarPair, lab: SlotLab, side: Side
) -> None:
    topic = lab.topic(f"level-{uuid.uuid4().hex[:6]}", PARTITIONS)
    produce(lab.source_bootstrap, topic, backlog(100))
    with lab.running(pair.through_the_link(lab.spec({topic: PARTITIONS}), side)) as handle:
        until(handle, lambda live: live.get("states") == {"caught_up": PARTITIONS})
        with pair.link.cut_one_way("from_broker"):
            named_s = seconds_until_stalled(handle)
            until(handle, lambda live: live["lag_offsets"] is None)
        until(handle, lambda live: live.get("states") == {"caught_up": PARTITIONS})
        until(handle, lambda live: live["lag_offsets"] == 0)
    say(f"caught up, source cut: stalled after {named_s:.1f} s")
    assert named_s <= NAMED_S


def seconds_until_stalled(handle: WireSlotHandle) -> float:
    began = time.monotonic()
    until(handle, lambda live: live.get("states", {}).get("stalled", 0) > 0, 3 * NAMED_S)
    return time.monotonic() - began


def test_a_link_cut_in_one_direction_continues_by_itself(pair: FarPair, lab: SlotLab, side: Side) -> None:
    topic = lab.topic(f"cut-{uuid.uuid4().hex[:6]}", PARTITIONS)
    directions: list[Direction] = ["to_broker", "from_broker"]
    spec = pair.through_the_link(lab.spec({topic: PARTITIONS}), side)
    with memory_bounded(), lab.running(spec) as handle:
        with Traffic(lab.source_bootstrap, topic, PARTITIONS, RATE, seed=fault_seed()).flowing() as traffic:
            until(handle, lambda live: live.get("records_total", 0) > RATE)
            for direction in directions:
                with pair.link.cut_one_way(direction):
                    traffic.wait_to_pass(CUT_S)
                copied = handle.live()["records_total"]
                until(handle, lambda live, seen=copied: live["records_total"] > seen + RATE)  # type: ignore[misc]
        lab.wait_committed(handle, topic, PARTITIONS)
    audited(lab, topic)


def test_a_flapping_link_continues_by_itself(pair: FarPair, lab: SlotLab, side: Side) -> None:
    chance = random.Random(fault_seed())
    topic = lab.topic(f"flap-{uuid.uuid4().hex[:6]}", PARTITIONS)
    spec = pair.through_the_link(lab.spec({topic: PARTITIONS}), side)
    with memory_bounded(), lab.running(spec) as handle:
        with Traffic(lab.source_bootstrap, topic, PARTITIONS, RATE, seed=fault_seed()).flowing() as traffic:
            until(handle, lambda live: live.get("records_total", 0) > RATE)
            for _ in range(5):
                with pair.link.down():
                    traffic.wait_to_pass(chance.uniform(0.2, 3.0))
                traffic.wait_to_pass(chance.uniform(0.2, 3.0))
        lab.wait_committed(handle, topic, PARTITIONS)
    audited(lab, topic)
