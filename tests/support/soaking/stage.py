"""The stage of a soak: three clusters, one behind a slow link, the whole system, a second driver, writers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.probe import brokers_seen
from srm_cli.machine.ports import LOOPBACK, free_port
from srm_cli.machine.processes import ProcessIdentity, end, start_detached
from tests.support.kafka.brokers import Brokers
from tests.support.kafka.kafka_records import create_topic
from tests.support.kafka.writer import Traffic, TransactionalTraffic
from tests.support.servers.listeners import start_with_second_listener
from tests.support.servers.proxy import SlowLink
from tests.support.soaking import hostile
from tests.support.soaking.followed import RACK, FollowedCluster
from tests.support.system import ROOT, RunningSystem

PARTITIONS = 3
RATE = 300
SECOND = "second"
FAR = "far"
NEAR = "near"  # read from the follower in the drivers' rack


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One topic on its way; a source that writes transactions is read committed."""

    source: str
    target: str
    topic: str
    transactional: bool = False
    exactly_once: bool = False

    @property
    def remote(self) -> str:
        return f"{self.source}.{self.topic}"

    @property
    def flow(self) -> str:
        return f"{self.source}->{self.target}"


COPIES = (
    Copy(source="east", target="west", topic="orders"),
    Copy(source="east", target="west", topic="renewed"),
    Copy(source="west", target="east", topic="payments", transactional=True),
    Copy(source="east", target=FAR, topic="orders", exactly_once=True),
    Copy(source="east", target=FAR, topic="renewed", exactly_once=True),
    Copy(source=NEAR, target="west", topic="ledger"),
)
FLOWS = tuple(dict.fromkeys((copy.source, copy.target) for copy in COPIES))
TOPICS = tuple(dict.fromkeys((copy.source, copy.topic, copy.transactional) for copy in COPIES))
_PROPERTIES = """
clusters = east, west, far, near
east.bootstrap.servers = {east}
west.bootstrap.servers = {west}
far.bootstrap.servers = {far}
near.bootstrap.servers = {near}
near.client.rack = {rack}
east->west.enabled = true
east->west.topics = orders|renewed|{patterns}
east->west.tasks.max = 2
west->east.enabled = true
west->east.topics = payments
west->east.consumer.isolation.level = read_committed
east->far.enabled = true
east->far.topics = orders|renewed
east->far.exactly.once.source.support = enabled
west->far.emit.heartbeats.enabled = false
far->east.emit.heartbeats.enabled = false
far->west.emit.heartbeats.enabled = false
near->west.enabled = true
near->west.topics = ledger
near->west.offset-syncs.topic.location = target
{no_heartbeats}
replication.factor = 1
refresh.topics.interval.seconds = 5
sync.topic.configs.interval.seconds = 10
"""
_WITHOUT_HEARTBEATS = ("east->near", "west->near", "far->near", "near->east", "near->far")
CHANGING = ("east->west", "east->far")  # flows whose `tasks.max` changes


@dataclass(slots=True)
class Stage:
    """Handles to everything that can be broken."""

    system: RunningSystem
    brokers: dict[str, Brokers]  # of east and west; the far cluster is hit through its link
    link: SlowLink
    bootstraps: dict[str, str]
    seed: int
    redis_link: SlowLink  # between the second driver and Redis
    followed: FollowedCluster
    second: ProcessIdentity | None = None
    writers: dict[tuple[str, str], Traffic] = field(default_factory=dict)
    _flowing: dict[tuple[str, str], ExitStack] = field(default_factory=dict)
    _lives: int = 0

    def start_second_driver(self) -> None:
        """A data worker of another driver; only the soak restarts it."""
        command = [sys.executable, "-m", "srm_cli", "driver", "--role", "data", "--id", SECOND]
        env = {**os.environ, "SRM_HOME": str(self.system.home), "SRM_REDIS_URL": self._redis_by_link()}
        log = self.system.home / "logs" / f"driver-{SECOND}.log"
        self.second = start_detached(command, log=log, env=env, tie_to_parent=True)

    def _redis_by_link(self) -> str:
        url = str(json.loads((self.system.home / "secrets.json").read_text())["SRM_REDIS_URL"])
        head, _, tail = url.rpartition(":")
        port, _, path = tail.partition("/")
        self.redis_link.upstream_port = int(port)
        return f"{head}:{self.redis_link.port}/{path}"

    def change_tasks_max(self, tasks_max: int) -> None:
        """Import the properties with another number of tasks for the flows that change."""
        path = self.system.home / "changed.properties"
        lines = (self.system.home / "mm2.properties").read_text().splitlines()
        keys = [f"{flow}.tasks.max" for flow in CHANGING]
        kept = [line for line in lines if line.partition(" =")[0] not in keys]
        path.write_text("\n".join([*kept, *(f"{key} = {tasks_max}" for key in keys)]) + "\n")
        command = [sys.executable, "manage.py", "import_properties", str(path)]
        env = {**os.environ, "SRM_HOME": str(self.system.home)}
        subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, timeout=60)

    def start_writer(self, source: str, topic: str, *, transactional: bool) -> None:
        """Each writer's life has its own numbers, so that no record is written twice in a soak."""
        self._lives += 1
        kind = TransactionalTraffic if transactional else Traffic
        writer = kind(self.bootstraps[source], topic, PARTITIONS, RATE, seed=self.seed)
        writer.written = self._lives * 100_000_000
        stack = ExitStack()
        stack.enter_context(writer.flowing())
        self.writers[source, topic], self._flowing[source, topic] = writer, stack

    def stop_writer(self, source: str, topic: str) -> None:
        if stack := self._flowing.pop((source, topic), None):
            del self.writers[source, topic]
            stack.close()

    def start_writers(self) -> None:
        for source, topic, transactional in TOPICS:
            self.start_writer(source, topic, transactional=transactional)

    def stop_writers(self) -> None:
        for source, topic in list(self._flowing):
            self.stop_writer(source, topic)

    def pids(self) -> dict[str, int]:
        """The processes whose memory must stay flat."""
        found = {name: part.pid for name, part in self.system.parts().items() if part.pid is not None}
        if self.second is not None and self.second.is_alive:
            found[f"driver-{SECOND}"] = self.second.pid
        return found

    def is_up(self, alias: str) -> bool:
        return all(brokers_seen(*_address(each)) > 0 for each in self.bootstraps[alias].split(","))


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


@contextmanager
def set_stage(home: Path, jars: Path, seed: int) -> Iterator[Stage]:
    """Everything started and flowing; everything gone afterwards."""
    with ExitStack() as stack:
        clusters = DevClusters(home / "brokers", jars, tie_to_parent=True)
        stack.callback(clusters.stop)
        link = SlowLink(free_port())
        stack.callback(link.close)
        far = start_with_second_listener(clusters, FAR, advertised_port=link.port)
        link.upstream_port = far.second_port
        redis_link = SlowLink(free_port())
        stack.callback(redis_link.close)
        brokers = {alias: Brokers(clusters, jars, alias, brokers=1) for alias in ("east", "west")}
        for each in brokers.values():
            stack.callback(each.close)
        followed = FollowedCluster(clusters, jars, NEAR)
        stack.callback(followed.close)
        seen_by_system = {
            **{alias: each.bootstrap for alias, each in brokers.items()},
            FAR: f"{LOOPBACK}:{link.port}",
            NEAR: followed.bootstrap,
        }
        system = RunningSystem(home / "srm", jars, _properties(seen_by_system))
        stack.callback(system.stop)
        bootstraps = {**seen_by_system, FAR: far.bootstrap, NEAR: followed.leader_address}
        stage = Stage(system, brokers, link, bootstraps, seed, redis_link, followed)
        for source, topic, _ in TOPICS:
            if source == NEAR:
                followed.create_topic(topic, PARTITIONS)
            else:
                create_topic(bootstraps[source], topic, PARTITIONS)
        system.start()
        stage.start_second_driver()
        stack.callback(lambda: end([stage.second] if stage.second else [], grace_seconds=10.0))
        stack.callback(stage.stop_writers)
        stage.start_writers()
        yield stage


def _properties(seen_by_system: Mapping[str, str]) -> str:
    silent = "\n".join(f"{flow}.emit.heartbeats.enabled = false" for flow in _WITHOUT_HEARTBEATS)
    text = _PROPERTIES.format(**seen_by_system, patterns=hostile.PATTERNS, rack=RACK, no_heartbeats=silent)
    return text + hostile.PROPERTIES
