"""A live setting is edited on every level and reverted: one version per step, the old value is back in the driver."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from redis import Redis

from replication.config import ClusterDefinition, FlowDefinition, ReplicationConfig
from replication.config.tree import effective_values
from replication.config.tree.placing import place_of
from replication.domain.identifiers import FlowId
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.ports.admin import NewTopic
from srm_cli.machine.processes import end, wait_until
from srm_service.configuration.contracts import AppliedChange, PropertyChange
from srm_service.configuration.selectors import current_tree, current_version
from srm_service.configuration.services import apply_changes, revert_to
from srm_service.flows.publishing import publish_all
from srm_service.flows.selectors import desired_revisions
from tests.integration.worker.test_driver import keys_at
from tests.support.configuration import config_import
from tests.support.drivers.whole_driver import WholeDriver
from tests.support.kafka.clusters import TwoClusters
from tests.support.servers.redis import RunningRedis

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.slow,
    pytest.mark.django_db(databases=["default", "metrics"], transaction=True),
]
_WAIT_S = 60.0
_MOST_S = 10.0  # in which the driver must have a change; it takes a second or two on a machine with nothing else to do
_MEDIAN_S = 2.0  # the promise; the median, so that one slow step of a busy machine does not count
_ALIASES = ("east", "edited")
_FLOW = FlowId("east", "edited")
_KEY = "srm.throttle.rate"
_RECORDS = 200


@dataclass(slots=True)
class Edited:
    """The flow with its driver; `seconds` are the times from each change until the driver had applied it."""

    driver: WholeDriver
    seconds: list[float] = field(default_factory=list)

    def edit(self, key: str, value: str) -> AppliedChange:
        place = place_of(key, aliases=_ALIASES, has_levels=True)
        return self._timed(lambda: apply_changes([PropertyChange(place=place, value=value)], by="ann", comment=""))

    def revert(self, number: int) -> AppliedChange:
        return self._timed(lambda: revert_to(number, by="ann", comment=""))

    def _timed(self, change: Any) -> AppliedChange:
        before, began_s = desired_revisions()["edited"], time.monotonic()
        applied: AppliedChange = change()
        revision = desired_revisions()["edited"]
        if revision != before:
            assert wait_until(lambda: self.revisions() == {revision}, _MOST_S, 0.02), self.driver.logs()
            self.seconds.append(time.monotonic() - began_s)
        return applied

    def reports(self) -> list[dict[str, Any]]:
        with Redis.from_url(self.driver.redis.url, decode_responses=True) as client:
            found = (client.get(key) for key in client.scan_iter("srm:live:edited:east/source/*"))
            return [json.loads(str(text)) for text in found if text]

    def revisions(self) -> set[int]:
        return {report["applied_revision"] for report in self.reports()}


def in_force() -> tuple[str | None, str]:
    """The effective value of the setting and its level."""
    (value,) = (each for each in effective_values(current_tree(), _FLOW) if (each.client, each.name) == ("flow", _KEY))
    return value.value, value.level


@pytest.fixture
def edited(
    tmp_path: Path, own_redis: RunningRedis, settings: Any, two_clusters: TwoClusters
) -> Iterator[tuple[Edited, str]]:
    """A running flow over a topic with records, and the name of the topic."""
    driver = WholeDriver(tmp_path, own_redis)
    settings.SRM_REDIS_URL, settings.SRM_TRANSPORT_KEYS = own_redis.url, [driver.key]
    topic = f"edited-{uuid.uuid4().hex[:8]}"
    source, target = two_clusters.source.bootstrap, two_clusters.target.bootstrap
    flow = FlowDefinition(
        source="east", target="edited", enabled=True, heartbeats=True, tasks_max=1, topics_allow=(topic,)
    )
    clusters = (
        ClusterDefinition(alias="east", bootstrap=(source,)),
        ClusterDefinition(alias="edited", bootstrap=(target,)),
    )
    admin = open_admin(ClusterClient(alias="east", bootstrap=(source,)))
    admin.create_topics([NewTopic(name=topic, partitions=1, replication_factor=1)])
    admin.close()
    produce(source, topic)
    config_import(ReplicationConfig(clusters=clusters, flows=(flow,)))
    publish_all()
    driver.start("control")
    driver.start("data")
    running = Edited(driver)
    try:
        assert wait_until(lambda: running.revisions() == {desired_revisions()["edited"]}, _WAIT_S, 0.2), driver.logs()
        yield running, topic
    finally:
        end(list(driver.processes.values()), grace_seconds=12.0)


def produce(bootstrap: str, topic: str, start: int = 0) -> None:
    """Produce records in several batches, so that a throttle has something to hold back."""
    producer = ConfluentRecordProducer(ClusterClient(alias="east", bootstrap=(bootstrap,)))
    for number in range(start, start + _RECORDS):
        producer.send(topic, key=b"%d" % number, value=uuid.uuid4().bytes * 64)
        if number % 10 == 0:
            producer.flush(30.0)
    producer.flush(30.0)
    producer.close()


def test_each_step_is_one_version_and_a_revert_brings_the_old_value_back_to_the_driver(
    edited: tuple[Edited, str], record_property: Callable[[str, object], None]
) -> None:
    flow, _ = edited
    first = current_version()
    steps = [
        (_KEY, "1MB", "global"),
        (f"connectors.{_KEY}", "2MB", "connectors"),
        (f"edited.{_KEY}", "3MB", "connectors"),  # a cluster's prefix is for its clients, and says so
        (f"east->edited.{_KEY}", "4MB", "flow"),
    ]
    values = ["1MB", "2MB", "2MB", "4MB"]
    for number, ((key, text, level), value) in enumerate(zip(steps, values, strict=True), start=1):
        applied = flow.edit(key, text)
        assert (applied.version, in_force()) == (first + number, (value, level))
        assert any(each.key == key for each in applied.findings) == key.startswith("edited.")
    edits = len(flow.seconds)
    for number in (3, 2, 1, 0):
        applied = flow.revert(first + number)
        assert applied.version == current_version()
        assert in_force() == ((values[number - 1], steps[number - 1][2]) if number else ("unlimited", "default"))
    assert current_version() == first + 2 * len(steps)

    reverts = flow.seconds[edits:]
    record_property("seconds", [f"{each:.2f}" for each in flow.seconds])
    assert (edits, len(reverts)) == (3, 3)  # the cluster's level changes no desired document
    assert median(flow.seconds) <= _MEDIAN_S, flow.seconds


def test_the_value_of_a_revert_acts_in_the_driver(edited: tuple[Edited, str], two_clusters: TwoClusters) -> None:
    flow, topic = edited
    target = ClusterClient(alias="edited", bootstrap=(two_clusters.target.bootstrap,))
    assert wait_until(lambda: len(keys_at(target, f"east.{topic}")) == _RECORDS, _WAIT_S, 0.2), flow.driver.logs()
    flow.edit(f"connectors.{_KEY}", "100MB")
    unthrottled = current_version()
    flow.edit(f"east->edited.{_KEY}", "1KB")
    produce(two_clusters.source.bootstrap, topic, _RECORDS)

    def is_throttled() -> bool:
        return any((report["limit"] or {}).get("code") == "throttle" for report in flow.reports())

    assert wait_until(is_throttled, _WAIT_S, 0.2), flow.driver.logs()
    flow.revert(unthrottled)
    assert wait_until(lambda: len(keys_at(target, f"east.{topic}")) == 2 * _RECORDS, _MOST_S, 0.2), flow.driver.logs()
