"""A whole driver, both workers as `srm up` starts them, between two real clusters."""

import os

import pytest

from replication.domain.desired.desired_document import (
    DesiredFlow,
    NamePatterns,
)
from replication.domain.errors import TopicMissingError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.admin import NewTopic
from srm_cli.machine.processes import wait_until
from tests.support.drivers.whole_driver import WholeDriver
from tests.support.kafka.clusters import TwoClusters

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.slow]
TOPIC = "worker-orders"
RECORDS = 500
FLOW = DesiredFlow(source="east", tasks_max=2, topics=NamePatterns(allow=(TOPIC,)))


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
    driver: WholeDriver, two_clusters: TwoClusters
) -> None:
    source = ClusterClient(alias="east", bootstrap=(two_clusters.source.bootstrap,))
    target = ClusterClient(alias="west", bootstrap=(two_clusters.target.bootstrap,))
    admin = open_admin(source)
    admin.create_topics([NewTopic(name=TOPIC, partitions=4, replication_factor=1)])
    admin.close()

    def arrived(count: int) -> bool:
        return len(keys_at(target, f"east.{TOPIC}")) >= count

    driver.publish(two_clusters, FLOW)
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
