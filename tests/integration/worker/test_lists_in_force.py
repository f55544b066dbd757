"""Allow and deny lists take effect in a running driver, and no slot restarts."""

import json
import uuid
from typing import Any

import pytest
from redis import Redis

from replication.config import ClusterDefinition, FlowDefinition, ReplicationConfig
from replication.domain.desired.name_lists import list_changes
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.ports.admin import NewTopic
from srm_cli.machine.processes import wait_until
from srm_service.flows.publishing import publish_all
from srm_service.lists.services import lists_change
from tests.integration.worker.test_driver import keys_at
from tests.support.configuration import config_import
from tests.support.drivers.whole_driver import WholeDriver
from tests.support.kafka.clusters import TwoClusters

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.slow,
    pytest.mark.django_db(databases=["default", "metrics"], transaction=True),
]
_WAIT_S = 60.0


@pytest.fixture
def driver(driver: WholeDriver, settings: Any) -> WholeDriver:
    """The driver of the service under test."""
    settings.SRM_REDIS_URL, settings.SRM_TRANSPORT_KEYS = driver.redis.url, [driver.key]
    return driver


def produce(source: ClusterClient, topic: str) -> None:
    admin, producer = open_admin(source), ConfluentRecordProducer(source)
    admin.create_topics([NewTopic(name=topic, partitions=1, replication_factor=1)])
    producer.send(topic, key=b"k", value=b"v")
    producer.flush(30.0)
    producer.close()
    admin.close()


def slots_since(driver: WholeDriver) -> dict[str, int]:
    """The time since which each source task runs."""
    with Redis.from_url(driver.redis.url, decode_responses=True) as client:
        found = (client.get(key) for key in client.scan_iter("srm:live:listed:east/source/*"))
        documents = [json.loads(str(text)) for text in found if text]
    return {each["task"]: each["since_ms"] for each in documents if each["state"] == "running"}


def test_a_list_takes_effect_and_restarts_no_slot(driver: WholeDriver, two_clusters: TwoClusters) -> None:
    prefix = f"t{uuid.uuid4().hex[:8]}"
    source = ClusterClient(alias="east", bootstrap=(two_clusters.source.bootstrap,))
    target = ClusterClient(alias="listed", bootstrap=(two_clusters.target.bootstrap,))
    for name in ("a", "b", "c"):
        produce(source, f"{prefix}-{name}")
    config_import(
        ReplicationConfig(
            clusters=tuple(ClusterDefinition(alias=each.alias, bootstrap=each.bootstrap) for each in (source, target)),
            flows=(
                FlowDefinition(
                    source="east", target="listed", enabled=True, heartbeats=True, tasks_max=1, topics_allow=()
                ),
            ),
        )
    )
    publish_all()
    driver.start("control")
    driver.start("data")

    def change(**lists: tuple[str, ...]) -> None:
        lists_change(source="east", target="listed", changes=list_changes("topics", **lists), by="ann")

    def has_arrived(name: str) -> bool:
        return bool(keys_at(target, f"east.{prefix}-{name}"))

    change(add=(f"{prefix}-a",))
    assert wait_until(lambda: has_arrived("a"), _WAIT_S, 0.2), driver.logs()
    assert wait_until(lambda: bool(slots_since(driver)), _WAIT_S, 0.2), driver.logs()
    before = slots_since(driver)

    change(add=(f"{prefix}-.*",), add_denied=(f"{prefix}-b",))
    assert wait_until(lambda: has_arrived("c"), _WAIT_S, 0.2), driver.logs()

    assert not has_arrived("b")
    assert slots_since(driver) == before
