"""Two clusters with equal topic names, written to on both sides and copied both ways."""

import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.domain.settings.choices import LoopProtectionMode
from replication.domain.settings.record_settings import RecordSettings
from replication.worker.engine.data_engine import WireDataEngine, WireSlotHandle
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, produce, read_all, topic_id

pytestmark = pytest.mark.kafka

PARTITIONS = 2
ROUNDS, PER_ROUND = 12, 50
REGISTRY = "srm-producers.internal"
LIMIT_S = 60.0


@dataclass(slots=True)
class Pair:
    """Clusters x and y with the books of both flows, on the shared brokers but under aliases of their own."""

    bootstraps: dict[str, str]
    engine: WireDataEngine
    topic: str

    def spec(self, source: str, target: str, protection: LoopProtectionMode, rebatching: str = "adaptive") -> SlotSpec:
        identity = topic_id(self.bootstraps[source], self.topic)
        clients = {
            alias: ClusterClient(alias=alias, bootstrap=tuple(bootstrap.split(",")))
            for alias, bootstrap in self.bootstraps.items()
        }
        return SlotSpec(
            flow=FlowId(source, target),
            slot=0,
            generation=1,
            plan_version=1,
            source=clients[source],
            target=clients[target],
            partitions=tuple(
                PlannedPartition(
                    upstream=TopicPartition(self.topic, number), remote_topic=self.topic, topic_id=identity
                )
                for number in range(PARTITIONS)
            ),
            offset_syncs_topic=f"mm2-offset-syncs.{target}.internal",
            commit_interval_ms=200,
            records=RecordSettings(loop_protection=protection, rebatching=rebatching),  # type: ignore[arg-type]
        )

    def start(self, spec: SlotSpec) -> WireSlotHandle:
        return self.engine.start_slot(spec, driver="lab", boot="boot")

    def values(self, alias: str) -> list[bytes]:
        """In the order of each partition."""
        logs = read_all(self.bootstraps[alias], self.topic, PARTITIONS)
        return [record.value or b"" for log in logs for record in log]


@pytest.fixture
def pair(two_clusters: TwoClusters) -> Iterator[Pair]:
    mark = uuid.uuid4().hex[:6]
    x, y, topic = f"x{mark}", f"y{mark}", f"both-{mark}"
    bootstraps = {x: two_clusters.source.bootstrap, y: two_clusters.target.bootstrap}
    for source, target in ((x, y), (y, x)):
        at = bootstraps[target]
        create_topic(at, topic, PARTITIONS)
        create_topic(at, f"mm2-offsets.{source}.internal", 5, cleanup_policy="compact")
        create_topic(at, f"srm-offset-runs.{source}.internal", 4, cleanup_policy="compact")
        create_topic(at, f"srm-gaps.{source}.internal")
        create_topic(at, f"srm-metrics.{source}.internal", 4)
        create_topic(bootstraps[source], f"mm2-offset-syncs.{target}.internal", cleanup_policy="compact")
        if REGISTRY not in admin(at).list_topics(timeout=10).topics:
            create_topic(at, REGISTRY, cleanup_policy="compact")
    engine = WireDataEngine(f"pair-{mark}", pool_bytes=32 * 1024 * 1024)
    engine.start()
    yield Pair(bootstraps, engine, topic)
    engine.stop(10)


def write(pair: Pair, alias: str, idempotent: bool) -> threading.Thread:
    """A writer that continues for some seconds, a new producer each round."""

    def rounds() -> None:
        for number in range(ROUNDS):
            produce(
                pair.bootstraps[alias],
                pair.topic,
                [{"value": f"{alias}-{number}-{n}".encode(), "partition": n % PARTITIONS} for n in range(PER_ROUND)],
                enable_idempotence=idempotent,
                linger_ms=1,
                batch_num_messages=5,
            )
            time.sleep(0.2)  # the pace of the traffic

    thread = threading.Thread(target=rounds)
    thread.start()
    return thread


def wait_level(pair: Pair, expected: set[bytes]) -> None:
    """Until both sides hold everything, and a moment more in which a loop would show."""
    deadline_s = time.monotonic() + LIMIT_S
    while not all(set(pair.values(alias)) >= expected for alias in pair.bootstraps):
        missing = {alias: len(expected - set(pair.values(alias))) for alias in pair.bootstraps}
        assert time.monotonic() < deadline_s, f"not level: {missing} records missing"
        time.sleep(0.2)
    time.sleep(1.0)


@pytest.mark.parametrize(("protection", "rebatching"), [("producer_ids", "always"), ("headers", "off")])
def test_active_active_flows_copy_every_record_once_and_none_in_cycles(
    pair: Pair, protection: LoopProtectionMode, rebatching: str
) -> None:
    x, y = pair.bootstraps
    there, back = pair.spec(x, y, protection, rebatching), pair.spec(y, x, protection, rebatching)
    first, handle = pair.start(there), pair.start(back)
    writers = [write(pair, x, idempotent=True), write(pair, y, idempotent=False)]
    time.sleep(1.0)
    first.stop()
    assert first.wait(15)
    second = pair.start(there)  # the same slot again, with the next epoch
    for writer in writers:
        writer.join()

    expected = {
        f"{alias}-{number}-{n}".encode() for alias in (x, y) for number in range(ROUNDS) for n in range(PER_ROUND)
    }
    wait_level(pair, expected)
    looped = handle.live()["looped_total"]
    for one in (second, handle):
        one.stop()
        assert one.wait(15)
        assert one.error() is None

    for alias in (x, y):
        values = pair.values(alias)
        assert len(values) == len(set(values)) == len(expected), f"{alias}: {len(values)} records"
    assert looped == ROUNDS * PER_ROUND
