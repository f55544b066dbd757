"""Allow and deny lists take effect in a running driver, and no slot restarts."""

import json
import time
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
IN_FORCE_S = 5.0  # from the change until the first record of a topic that it adds is copied


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


class Lists:
    """The driver that copies east->listed, whose lists change; topics are named without the prefix of the test."""

    def __init__(self, driver: WholeDriver, clusters: TwoClusters) -> None:
        self.driver = driver
        self.prefix = f"t{uuid.uuid4().hex[:8]}"
        self.source = ClusterClient(alias="east", bootstrap=(clusters.source.bootstrap,))
        self.target = ClusterClient(alias="listed", bootstrap=(clusters.target.bootstrap,))

    def start(self, topics: str) -> None:
        for name in topics:
            produce(self.source, f"{self.prefix}-{name}")
        clusters = tuple(
            ClusterDefinition(alias=each.alias, bootstrap=each.bootstrap) for each in (self.source, self.target)
        )
        flow = FlowDefinition(
            source="east", target="listed", enabled=True, heartbeats=True, tasks_max=1, topics_allow=()
        )
        config_import(ReplicationConfig(clusters=clusters, flows=(flow,)))
        publish_all()
        self.driver.start("control")
        self.driver.start("data")

    def add(self, pattern: str, *denied: str) -> None:
        """Add a pattern and denied names to the lists of the flow."""
        changes = list_changes(
            "topics",
            add=(f"{self.prefix}-{pattern}",),
            add_denied=tuple(f"{self.prefix}-{name}" for name in denied),
        )
        lists_change(source="east", target="listed", changes=changes, by="ann")

    def has_copied(self, name: str) -> bool:
        return bool(keys_at(self.target, f"east.{self.prefix}-{name}"))

    def wait_for(self, name: str) -> None:
        assert wait_until(lambda: self.has_copied(name), _WAIT_S, 0.2), self.driver.logs()


@pytest.fixture
def lists(driver: WholeDriver, two_clusters: TwoClusters) -> Lists:
    return Lists(driver, two_clusters)


def test_a_list_takes_effect_and_restarts_no_slot(lists: Lists) -> None:
    lists.start("abc")
    lists.add("a")
    lists.wait_for("a")
    assert wait_until(lambda: bool(slots_since(lists.driver)), _WAIT_S, 0.2), lists.driver.logs()
    before = slots_since(lists.driver)

    lists.add(".*", "b")
    lists.wait_for("c")

    assert not lists.has_copied("b")
    assert slots_since(lists.driver) == before


@pytest.mark.large
def test_a_list_is_in_force_within_five_seconds(lists: Lists) -> None:
    lists.start("abcd")
    lists.add("a")
    lists.wait_for("a")
    took_s = []

    for name in "bcd":
        began_s = time.monotonic()
        lists.add(name)
        lists.wait_for(name)
        took_s.append(time.monotonic() - began_s)

    assert max(took_s) <= IN_FORCE_S, took_s
