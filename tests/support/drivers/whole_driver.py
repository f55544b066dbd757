"""A whole driver for tests on real clusters: the control and the data worker, with the commands of the command line."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from redis import Redis

from replication.config.security.signed_document import signed
from replication.domain.assignment.assignment import DriverRole
from replication.domain.desired.desired_document import DesiredCluster, DesiredDocument, DesiredFlow, desired_to_json
from replication.worker.state import keys
from srm_cli.machine.processes import ProcessIdentity, end, start_detached
from srm_cli.system import commands
from tests.support.kafka.clusters import TwoClusters
from tests.support.servers.redis import RunningRedis

TARGET = "west"


@dataclass(slots=True)
class WholeDriver:
    """Driver d1 of the flows `east->west`."""

    folder: Path
    redis: RunningRedis
    key: str = field(default_factory=lambda: Fernet.generate_key().decode())
    processes: dict[str, ProcessIdentity] = field(default_factory=dict)
    revision: int = 0

    def start(self, role: DriverRole) -> None:
        environment = {
            "SRM_HOME": str(self.folder),
            "SRM_REDIS_URL": self.redis.url,
            "SRM_TRANSPORT_KEYS": self.key,
            "SRM_DRIVER_ID": "d1",
            "SRM_DRIVER_ROLE": role,
        }
        command = commands.driver(driver_id="d1", role=role, log_level="WARNING")
        log = self.folder / f"{role}.log"
        self.processes[role] = start_detached(command, log=log, env=os.environ | environment, tie_to_parent=True)

    def publish(self, clusters: TwoClusters, flow: DesiredFlow) -> None:
        """As a service does: replace the document, then nudge."""
        self.revision += 1
        document = DesiredDocument(
            target=TARGET,
            revision=self.revision,
            published_ms=time.time_ns() // 1_000_000,
            clusters={
                "east": DesiredCluster(bootstrap=(clusters.source.bootstrap,)),
                TARGET: DesiredCluster(bootstrap=(clusters.target.bootstrap,)),
            },
            flows=(flow,),
        )
        with Redis.from_url(self.redis.url) as client:
            client.set(keys.desired(TARGET), signed([self.key], desired_to_json(document)))
            client.publish(keys.NUDGE_CHANNEL, f"{TARGET} {self.revision}")

    def logs(self) -> str:
        return "\n".join(f"--- {log.name}\n{log.read_text()[-6000:]}" for log in sorted(self.folder.glob("*.log")))


@pytest.fixture
def driver(tmp_path: Path, own_redis: RunningRedis) -> Iterator[WholeDriver]:
    """A driver whose processes end with the test."""
    made = WholeDriver(tmp_path, own_redis)
    yield made
    end(list(made.processes.values()), grace_seconds=12.0)
