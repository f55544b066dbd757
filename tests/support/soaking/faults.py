"""The catalogue of a soak: each fault lasts for a while and is healed, by the system where it can."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from confluent_kafka import TopicPartition

from tests.support.kafka.kafka_records import admin, create_topic, delete_topic, end_offsets
from tests.support.servers.proxy import Direction
from tests.support.soaking.history import TopicHistory
from tests.support.soaking.hostile import HostileProducer, create_hostile_topics, delete_hostile_topics
from tests.support.soaking.stage import FAR, FLOWS, PARTITIONS, SECOND, TOPICS, Stage

Histories = dict[tuple[str, str], TopicHistory]
BACK_S = 180.0  # Spark on a machine with much else to do
LEVEL_S = 180.0


@dataclass(slots=True, kw_only=True)
class Fault:
    """A fault that was injected, with its time; `stalls` are the flows that cannot advance during it."""

    name: str
    began_s: float
    ended_s: float = 0.0
    stalls: frozenset[tuple[str, str]] = frozenset()
    resends: bool = False  # may make slots send again what they had in flight
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """The parts that a fault may change; `is_level` returns True when every copy of a topic is at its end."""

    stage: Stage
    chance: random.Random
    histories: Histories
    is_level: Callable[[str, str], bool]


def wait_for(seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
    """Return True when `until` became true within that time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if until():
            return True
        time.sleep(0.2)
    return until()


def flows_of(alias: str) -> frozenset[tuple[str, str]]:
    return frozenset(pair for pair in FLOWS if alias in pair)


@contextmanager
def kill_supervised(scene: Scene, fault: Fault, name: str) -> Iterator[None]:
    fault.resends = name == "driver-data"
    killed = scene.stage.system.kill(name)
    yield
    scene.stage.system.wait_back(killed, BACK_S)


@contextmanager
def kill_second_driver(scene: Scene, fault: Fault) -> Iterator[None]:
    stage, fault.resends = scene.stage, True
    assert stage.second is not None
    os.kill(stage.second.pid, signal.SIGKILL)
    yield
    stage.start_second_driver()


@contextmanager
def freeze_worker(scene: Scene, fault: Fault) -> Iterator[None]:
    fault.detail, fault.resends = scene.chance.choice(["driver-data", f"driver-{SECOND}"]), True
    with _frozen(scene.stage.pids()[fault.detail]):
        yield


@contextmanager
def _frozen(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def kill_broker(scene: Scene, fault: Fault) -> Iterator[None]:
    fault.detail, fault.resends = scene.chance.choice(["east", "west"]), True
    fault.stalls = flows_of(fault.detail)
    scene.stage.brokers[fault.detail].kill(1)
    try:
        yield
    finally:
        scene.stage.brokers[fault.detail].start(1)


@contextmanager
def slow_link(scene: Scene, fault: Fault) -> Iterator[None]:
    fault.detail = "200 ms round trip"
    scene.stage.link.one_way_s = 0.1
    try:
        yield
    finally:
        scene.stage.link.one_way_s = 0.0


@contextmanager
def cut_link(scene: Scene, fault: Fault) -> Iterator[None]:
    directions: list[Direction] = ["to_broker", "from_broker"]
    direction = scene.chance.choice(directions)
    fault.detail, fault.resends, fault.stalls = direction, True, flows_of(FAR)
    with scene.stage.link.cut_one_way(direction):
        yield


@contextmanager
def drop_link(scene: Scene, fault: Fault) -> Iterator[None]:
    fault.resends, fault.stalls = True, flows_of(FAR)
    with scene.stage.link.down():
        yield


@contextmanager
def silence_writer(scene: Scene, fault: Fault) -> Iterator[None]:
    source, topic, transactional = scene.chance.choice(TOPICS)
    fault.detail = f"{source}/{topic}"
    scene.stage.stop_writer(source, topic)
    yield
    scene.stage.start_writer(source, topic, transactional=transactional)


@contextmanager
def re_create_topic(scene: Scene, fault: Fault) -> Iterator[None]:
    """Once every copy has caught up, so that nothing that is deleted was unread."""
    source, topic = "east", "renewed"
    fault.detail = f"{source}/{topic}"
    stage, bootstrap, history = scene.stage, scene.stage.bootstraps[source], scene.histories[source, topic]
    stage.stop_writer(source, topic)
    assert wait_for(LEVEL_S, lambda: scene.is_level(source, topic)), f"{topic} does not become level"
    history.remember()
    delete_topic(bootstrap, topic)
    create_topic(bootstrap, topic, PARTITIONS)
    history.begin_life()
    stage.start_writer(source, topic, transactional=False)
    yield


@contextmanager
def retention_overtakes(scene: Scene, fault: Fault) -> Iterator[None]:
    """While no worker runs, the head of one partition goes away, read or not."""
    source, topic = "east", "orders"
    fault.resends = True
    bootstrap = scene.stage.bootstraps[source]
    pids = scene.stage.pids()
    with ExitStack() as stack:
        for name in ("driver-data", f"driver-{SECOND}"):
            stack.enter_context(_frozen(pids[name]))
        wait_for(4.0)
        scene.histories[source, topic].remember()
        end = end_offsets(bootstrap, topic, PARTITIONS)[0]
        cut = TopicPartition(topic, 0, end - scene.chance.randrange(50, 200))
        fault.detail = f"{source}/{topic}-0 up to {cut.offset}"
        for answer in admin(bootstrap).delete_records([cut]).values():
            answer.result(10)
        yield


@contextmanager
def cut_driver_from_redis(scene: Scene, fault: Fault) -> Iterator[None]:
    """The second driver keeps its slots, and others take them over."""
    fault.detail, fault.resends = SECOND, True
    with scene.stage.redis_link.down():
        yield


@contextmanager
def stall_follower(scene: Scene, fault: Fault) -> Iterator[None]:
    """The copy that reads from it must return to the leader."""
    with _frozen(scene.stage.followed.follower_pid):
        yield


@contextmanager
def hostile_records(scene: Scene, fault: Fault) -> Iterator[None]:
    bootstrap = scene.stage.bootstraps["east"]
    create_hostile_topics(bootstrap)
    try:
        with HostileProducer(bootstrap, scene.chance).attacking() as producer:
            yield
        fault.detail = f"{producer.written} attacks"
    finally:
        delete_hostile_topics(bootstrap)


STALL_FOLLOWER = "stall follower"
SUPERVISED = ("driver-data", "driver-control", "redis", "service", "metrics")
EVERY = (
    *(f"kill {name}" for name in SUPERVISED),
    *("kill second driver", "freeze worker", "kill broker", "slow link", "cut link", "drop link"),
    *("silence writer", "re-create topic", "retention overtakes", "cut driver from Redis", "hostile records"),
    STALL_FOLLOWER,
)
_LASTS_S = {"kill broker": (5.0, 45.0), "cut link": (5.0, 45.0), "drop link": (3.0, 40.0), "freeze worker": (5.0, 35.0)}
_LASTS_S |= {"cut driver from Redis": (20.0, 45.0), "hostile records": (30.0, 60.0)}
_LASTS_S |= {STALL_FOLLOWER: (35.0, 50.0)}
_OTHERS_LAST_S = (3.0, 15.0)


@contextmanager
def happening(name: str, scene: Scene, fault: Fault) -> Iterator[None]:
    """One fault by its name, healed at the end."""
    if name.removeprefix("kill ") in SUPERVISED:
        with kill_supervised(scene, fault, name.removeprefix("kill ")):
            yield
        return
    known = {
        "kill second driver": kill_second_driver,
        "freeze worker": freeze_worker,
        "kill broker": kill_broker,
        "slow link": slow_link,
        "cut link": cut_link,
        "drop link": drop_link,
        "silence writer": silence_writer,
        "re-create topic": re_create_topic,
        "retention overtakes": retention_overtakes,
        "cut driver from Redis": cut_driver_from_redis,
        "hostile records": hostile_records,
        STALL_FOLLOWER: stall_follower,
    }
    with known[name](scene, fault):
        yield


def lasts_s(name: str, chance: random.Random) -> float:
    return chance.uniform(*_LASTS_S.get(name, _OTHERS_LAST_S))


def order_of_events(chance: random.Random, names: Sequence[str] = EVERY) -> Iterator[str]:
    """Each once in every round, in another order each round."""
    while True:
        yield from chance.sample(names, len(names))
