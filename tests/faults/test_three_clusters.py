"""Three clusters and all six flows: one cluster dies for a while under its writers; afterwards all have caught up."""

import itertools
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.names.replication_policy import PolicyKind
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.engine.auditor import Partitions, audit, audit_topic, read_partitions
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.kafka.brokers import Brokers
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets
from tests.support.kafka.writer import Traffic, fault_seed, say

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(300)]

ALIASES = ("x", "y", "z")
PAIRS = list(itertools.permutations(ALIASES, 2))
PARTITIONS = 2
RATE = 300
DOWN_S = 20.0
EVERYBODY_DIRECTLY = {"srm.loop.origins": ",".join(ALIASES)}  # in a full mesh no cluster passes on records of others
OF_ONE_WRITER = 100_000_000  # numbers; each cluster's writer has its own range


@dataclass(frozen=True, slots=True)
class Triangle:
    fleet: EngineFleet
    brokers: dict[str, Brokers]
    topic: str

    def bootstrap(self, alias: str) -> str:
        return self.brokers[alias].bootstrap

    def ends(self, alias: str, topic: str) -> list[int]:
        return end_offsets(self.bootstrap(alias), topic, PARTITIONS)

    def topics(self, alias: str) -> list[str]:
        """The topic and its copies of copies on a cluster."""
        known = admin(self.bootstrap(alias)).list_topics(timeout=10).topics
        return sorted(name for name in known if name.endswith(self.topic))

    def copied_topics(self, source: str, target: str) -> list[str]:
        """Those that have not come from the target."""
        return [name for name in self.topics(source) if target not in name.split(".")]

    def is_troubled(self, source: str, target: str) -> bool:
        return any(document["cause"] for document in self.fleet.live(source, target))

    def publish(self, policy: PolicyKind) -> None:
        """All six flows."""
        for target in ALIASES:
            self.fleet.publish(target, *(self._flow(source, policy) for source in ALIASES if source != target))
        self.fleet.start("one", "control")
        self.fleet.start("one", "data")

    def _flow(self, source: str, policy: PolicyKind) -> DesiredFlow:
        return DesiredFlow(
            source=source,
            policy=PolicyChoice(kind=policy),
            topics=NamePatterns(allow=(f".*{self.topic}",)),
            connectors=ConnectorSettings(source={**SETTINGS, **EVERYBODY_DIRECTLY}),
        )

    def live_through_an_outage(self, copied: str) -> None:
        """Writers on all three; z is killed for a while. `copied` is the name x's records have in y."""
        seed = fault_seed()
        with ExitStack() as stack:
            flowing: dict[str, Traffic] = {}
            for number, alias in enumerate(ALIASES):
                writer = Traffic(self.bootstrap(alias), self.topic, PARTITIONS, RATE, seed=seed)
                writer.written = number * OF_ONE_WRITER
                flowing[alias] = stack.enter_context(writer.flowing())
            self.fleet.wait_until("every flow copies", lambda: all(self.has_begun(*pair) for pair in PAIRS), 120)
            self.brokers["z"].kill(1)
            before = self.ends("y", copied)
            flowing["x"].wait_to_pass(DOWN_S)
            after = self.ends("y", copied)
            assert sum(after) - sum(before) > RATE * DOWN_S / 3, "x->y was stopped by the death of z"
            for source, target in PAIRS:
                assert self.is_troubled(source, target) == ("z" in (source, target)), self.fleet.live(source, target)
            self.brokers["z"].start(1)
            flowing["z"].wait_for(2 * RATE)

    def has_begun(self, source: str, target: str) -> bool:
        return any(document.get("records_total", 0) > 0 for document in self.fleet.live(source, target))


@pytest.fixture
def triangle(engine_fleet: EngineFleet, dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Triangle]:
    with ExitStack() as stack:
        brokers: dict[str, Brokers] = {}
        for alias in ALIASES:
            brokers[alias] = Brokers(dev_clusters, kafka_jars, f"tri-{alias}", brokers=1)
            stack.callback(brokers[alias].close)
        made = Triangle(engine_fleet, brokers, f"orders-{uuid.uuid4().hex[:6]}")
        for alias in ALIASES:
            create_topic(made.bootstrap(alias), made.topic, PARTITIONS)
            engine_fleet.cluster(alias, made.bootstrap(alias))
        yield made
        engine_fleet.stop()


def test_with_prefixes_all_are_level_again_and_nothing_went_round_in_cycles(triangle: Triangle) -> None:
    triangle.publish("default")
    triangle.live_through_an_outage(copied=f"x.{triangle.topic}")
    copies = [(source, target, name) for source, target in PAIRS for name in triangle.copied_topics(source, target)]
    for source, target, name in copies:
        triangle.fleet.wait_level(source, target, name, PARTITIONS)
    for source, target, name in copies:
        ends = (triangle.bootstrap(source), triangle.bootstrap(target))
        findings = audit_topic(*ends, name, f"{source}.{name}", PARTITIONS)
        say(f"{source}->{target} {name}: {findings}")
        findings.check()
    assert len(copies) == 6 + 6  # each cluster's own to both others, and copies of one are copied to the third
    for alias in ALIASES:
        for name in triangle.topics(alias):
            *hops, _ = name.split(".")
            assert len({alias, *hops}) == len(hops) + 1, f"{name} came in a circle to {alias}"


def test_with_equal_names_each_record_is_everywhere_once(triangle: Triangle) -> None:
    """One topic written on all three: what a flow has written is passed on by no other flow."""
    triangle.publish("identity")
    triangle.live_through_an_outage(copied=triangle.topic)
    for _ in range(2):  # what one flow brought is read by the next
        for source, target in PAIRS:
            triangle.fleet.wait_level(source, target, triangle.topic, PARTITIONS, or_beyond=True)
    found = {alias: read_partitions(triangle.bootstrap(alias), triangle.topic, range(PARTITIONS)) for alias in ALIASES}
    for source, target in PAIRS:
        findings = audit(written_in(found[source], source), written_in(found[target], source))
        say(f"{source}->{target}: {findings}")
        findings.check()


def written_in(partitions: Partitions, alias: str) -> Partitions:
    """The records that a cluster's own writer wrote, wherever they stand."""
    first = ALIASES.index(alias) * OF_ONE_WRITER
    numbers = range(first, first + OF_ONE_WRITER)
    return {
        partition: [record for record in records if int(record.key or b"-1") in numbers]
        for partition, records in partitions.items()
    }
