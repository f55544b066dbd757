"""A whole driver, both workers as `srm up` starts them, between two real clusters."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from redis import Redis

from replication.config.security.signed_document import signed
from replication.domain.assignment.assignment import DriverRole
from replication.domain.desired.desired_document import (
    DesiredCluster,
    DesiredDocument,
    DesiredFlow,
    NamePatterns,
    desired_to_json,
)
from replication.domain.errors import TopicMissingError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.admin import NewTopic
from replication.worker.state import keys
from srm_cli.machine.processes import ProcessIdentity, end, start_detached, wait_until
from srm_cli.system import commands
from tests.support.kafka.clusters import TwoClusters
from tests.support.servers.redis import RunningRedis

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.slow]
TOPIC = "worker-orders"
RECORDS = 500


class Driver:
    """Starts the workers of driver d1 with the commands of the command line."""

    def __init__(self, folder: Path, redis: RunningRedis) -> None:
        self.folder = folder
        self.redis = redis
        self.key = Fernet.generate_key().decode()
        self.processes: dict[str, ProcessIdentity] = {}

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

    def logs(self) -> str:
        return "\n".join(f"--- {log.name}\n{log.read_text()[-6000:]}" for log in sorted(self.folder.glob("*.log")))


@pytest.fixture
def driver(tmp_path: Path, own_redis: RunningRedis) -> Iterator[Driver]:
    made = Driver(tmp_path, own_redis)
    yield made
    end(list(made.processes.values()), grace_seconds=12.0)


def publish(driver: Driver, clusters: TwoClusters) -> None:
    document = DesiredDocument(
        target="west",
        revision=1,
        published_ms=time.time_ns() // 1_000_000,
        clusters={
            "east": DesiredCluster(bootstrap=(clusters.source.bootstrap,)),
            "west": DesiredCluster(bootstrap=(clusters.target.bootstrap,)),
        },
        flows=(DesiredFlow(source="east", tasks_max=2, topics=NamePatterns(allow=(TOPIC,))),),
    )
    with Redis.from_url(driver.redis.url) as client:
        client.set(keys.desired("west"), signed([driver.key], desired_to_json(document)))


def produce(source: ClusterClient, start: int) -> None:
    producer = ConfluentRecordProducer(source)
    for number in range(start, start + RECORDS):
        producer.send(TOPIC, key=b"%d" % number, value=b"value %d" % number)
    producer.flush(30.0)
    producer.close()


def keys_at(target: ClusterClient, topic: str) -> set[bytes | None]:
    log = KafkaRecordLog(target)
    try:
        return {record.key for record in log.read_to_end(topic)}
    except TopicMissingError:
        return set()
    finally:
        log.close()


def test_records_flow_and_continue_to_flow_without_redis_and_after_a_kill(
    driver: Driver, two_clusters: TwoClusters
) -> None:
    source = ClusterClient(alias="east", bootstrap=(two_clusters.source.bootstrap,))
    target = ClusterClient(alias="west", bootstrap=(two_clusters.target.bootstrap,))
    admin = open_admin(source)
    admin.create_topics([NewTopic(name=TOPIC, partitions=4, replication_factor=1)])
    admin.close()

    def arrived(count: int) -> bool:
        return len(keys_at(target, f"east.{TOPIC}")) >= count

    publish(driver, two_clusters)
    driver.start("control")
    driver.start("data")
    produce(source, 0)
    assert wait_until(lambda: arrived(RECORDS), 60.0, 0.5), driver.logs()

    driver.redis.stop()
    produce(source, RECORDS)
    assert wait_until(lambda: arrived(2 * RECORDS), 20.0, 0.5), driver.logs()

    driver.redis = driver.redis.restart()
    os.kill(driver.processes["data"].pid, 9)
    assert wait_until(lambda: not driver.processes["data"].is_alive, 5.0)
    driver.start("data")
    produce(source, 2 * RECORDS)
    assert wait_until(lambda: arrived(3 * RECORDS), 60.0, 0.5), driver.logs()
