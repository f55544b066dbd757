"""Driver processes with the real engine over real brokers and Redis, without service and Spark: what can be killed."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from confluent_kafka import KafkaException
from cryptography.fernet import Fernet
from redis import Redis

from replication.config.security.signed_document import signed
from replication.domain.assignment.assignment import DriverRole
from replication.domain.desired.desired_document import DesiredCluster, DesiredDocument, DesiredFlow, desired_to_json
from replication.domain.desired.desired_drivers import Drain, Restart
from replication.worker.state import keys
from srm_cli.machine.processes import ProcessIdentity, end, start_detached
from srm_cli.system.commands import UNAWARE_OF_OTHERS
from tests.support.drivers.driver_orders import publish_orders
from tests.support.engine.auditor import committed_positions
from tests.support.kafka.kafka_records import end_offsets
from tests.support.servers.redis import RunningRedis

SETTINGS = {
    "refresh.topics.interval.seconds": "2",
    "replication.factor": "1",
    "offset-syncs.topic.replication.factor": "1",
}


@dataclass(slots=True)
class EngineFleet:
    """Publishes what is wanted as a service does; drivers are named by `<id>.<role>`."""

    redis: RunningRedis
    folder: Path
    clusters: dict[str, DesiredCluster] = field(default_factory=dict)
    bootstraps: dict[str, str] = field(default_factory=dict)  # for the test's own clients
    processes: dict[str, ProcessIdentity] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)  # the newest of each target
    transport_key: str = field(default_factory=lambda: Fernet.generate_key().decode())
    revision: int = 0

    def cluster(self, alias: str, bootstrap: str, client: Mapping[str, str] | None = None) -> None:
        """Make a cluster known under an alias; takes effect with the next `publish`."""
        secret = None
        if client:
            secret = Fernet(self.transport_key.encode()).encrypt(json.dumps(dict(client)).encode()).decode()
        self.clusters[alias] = DesiredCluster(bootstrap=tuple(bootstrap.split(",")), secret=secret)
        self.bootstraps.setdefault(alias, bootstrap)

    def start(self, driver: str, role: DriverRole, **environment: str) -> ProcessIdentity:
        command = [sys.executable, "-m", "celery", "--quiet", "-A", "replication.worker.app", "worker"]
        command += ["--pool", "threads", "--hostname", f"{driver}.{role}@%h", *UNAWARE_OF_OTHERS]
        settings = {
            "SRM_HOME": str(self.folder / "home"),
            "SRM_REDIS_URL": self.redis.url,
            "SRM_TRANSPORT_KEYS": self.transport_key,
            "SRM_DRIVER_ID": driver,
            "SRM_DRIVER_ROLE": role,
            "SRM_DRIVER_TARGETS": "*",
        }
        name = f"{driver}.{role}"
        log = self.folder / f"{name}.log"
        env = os.environ | settings | environment
        self.processes[name] = start_detached(command, log=log, env=env, tie_to_parent=True)
        return self.processes[name]

    def publish(self, target: str, *flows: DesiredFlow) -> None:
        """As a service does: replace the target's document, then nudge."""
        self.revision += 1
        document = DesiredDocument(
            target=target,
            revision=self.revision,
            published_ms=time.time_ns() // 1_000_000,
            clusters={alias: self.clusters[alias] for alias in {target, *(flow.source for flow in flows)}},
            flows=flows,
        )
        self.documents[target] = desired_to_json(document)
        with self.client() as client:
            client.set(keys.desired(target), signed([self.transport_key], self.documents[target]))
            client.publish(keys.NUDGE_CHANNEL, f"{target} {self.revision}")

    def order(self, drains: dict[str, Drain] | None = None, restarts: dict[str, Restart] | None = None) -> None:
        """As a service does: replace the driver orders, then nudge."""
        self.revision += 1
        with self.client() as client:
            publish_orders(client, self.transport_key, self.revision, drains or {}, restarts or {})

    def client(self) -> Redis:
        return Redis.from_url(self.redis.url, socket_timeout=5)

    def document(self, key: str) -> dict[str, Any]:
        """The JSON object under a key of Redis; empty if there is none."""
        with self.client() as client:
            text = cast("bytes | None", client.get(key))
        return {} if text is None else cast("dict[str, Any]", json.loads(text))

    def live(self, source: str, target: str, kind: str = "source") -> list[dict[str, Any]]:
        """The live documents of a flow's tasks that have not run out."""
        with self.client() as client:
            names = sorted(cast("list[bytes]", client.keys(f"{keys.PREFIX}live:{target}:{source}/{kind}/*")))
            texts = [cast("bytes | None", client.get(name)) for name in names]
        return [json.loads(text) for text in texts if text is not None]

    def owners(self, source: str, target: str) -> dict[int, str]:
        """Slot -> driver id, from the leases."""
        with self.client() as client:
            names = cast("list[bytes]", client.keys(f"{keys.PREFIX}lease:{target}:{source}/source/*"))
            pairs = [(name, cast("bytes | None", client.get(name))) for name in names]
        return {int(name.decode().rsplit("/", 1)[1]): owner.decode().split("|")[0] for name, owner in pairs if owner}

    def terminate(self, name: str) -> None:
        """SIGTERM: the process hands its tasks over and ends."""
        os.kill(self.processes[name].pid, signal.SIGTERM)

    def kill(self, name: str) -> None:
        os.kill(self.processes[name].pid, signal.SIGKILL)

    @contextmanager
    def frozen(self, name: str) -> Iterator[None]:
        """SIGSTOP; the process wakes as a zombie that believes it owns what it owned."""
        os.kill(self.processes[name].pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.processes[name].pid, signal.SIGCONT)

    def wait_until(self, what: str, reached: Callable[[], object], timeout_s: float = 90) -> float:
        """Answers the seconds it took; fails with the drivers' last words."""
        began = time.monotonic()
        while not _quietly(reached):
            assert time.monotonic() - began < timeout_s, f"not in {timeout_s:.0f} s: {what}\n{self.logs()}"
            time.sleep(0.1)
        return time.monotonic() - began

    def wait_level(
        self, source: str, target: str, topic: str, partitions: int, *, or_beyond: bool = False, timeout_s: float = 120
    ) -> float:
        """Until every source offset of now is a committed position; answers the seconds it took.

        `or_beyond` is for topics that others still write to; of a re-created topic the old position may be beyond.
        """
        ends = dict(enumerate(end_offsets(self.bootstraps[source], topic, partitions)))

        def is_level() -> bool:
            found = committed_positions(self.bootstraps[target], source, topic)
            return all(found.get(number, -1) >= end for number, end in ends.items()) if or_beyond else found == ends

        return self.wait_until(f"{source}->{target} has committed {topic} to its end {ends}", is_level, timeout_s)

    def said(self, name: str, text: str) -> int:
        """Return the number of log lines of a driver with this text, of all its starts."""
        return sum(text in line for line in (self.folder / f"{name}.log").read_text().splitlines())

    def logs(self) -> str:
        return "\n".join(f"--- {log.name}\n{log.read_text()[-3000:]}" for log in sorted(self.folder.glob("*.log")))

    def stop(self) -> None:
        end(list(self.processes.values()), grace_seconds=12.0)


def _quietly(reached: Callable[[], object]) -> object:
    try:
        return reached()
    except (OSError, ValueError, KeyError, KafkaException):  # not there yet
        return False


@pytest.fixture
def engine_fleet(own_redis: RunningRedis, tmp_path: Path) -> Iterator[EngineFleet]:
    made = EngineFleet(redis=own_redis, folder=tmp_path / "fleet")
    made.folder.mkdir()
    yield made
    made.stop()
