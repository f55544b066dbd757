"""A consumer group moves to the other cluster in mid-stream and comes back, while both clusters are written to.

Both flows deliver exactly once, and their data worker is killed around each move. Every record must be read, and twice
only as far as the move's receipt says.
"""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import OffsetSpec

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import LogRange, Translation
from replication.domain.groups.two_way import both_ways
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.plan.slot import ClusterClient
from replication.kafka.copy_logs import KafkaCopyLogs
from replication.wire.groups.group_admin import WireGroupAdmin
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, read_all, topic_id
from tests.support.kafka.writer import Traffic, fault_seed, say

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(400)]

PARTITIONS = 2
RATE = 200
OF_ONE_WRITER = 100_000_000  # numbers; each cluster's writer has its own range
OTHER = {"a": "b", "b": "a"}


@dataclass(slots=True)
class Reader:
    """Reads as a group and remembers the numbers of the records."""

    bootstrap: str
    group: str
    topics: Sequence[str]
    is_first: bool  # else each partition must have a commit
    read: list[int] = field(default_factory=list)

    @contextmanager
    def reading(self) -> Iterator["Reader"]:
        """Read in the background; the end of the block stops it after any record, and commits."""
        stop, failed = threading.Event(), list[BaseException]()

        def run() -> None:
            try:
                self._read(stop)
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            stop.set()
            thread.join(30)
        assert not failed, failed
        assert not thread.is_alive()

    def _read(self, stop: threading.Event) -> None:
        settings: dict[str, Any] = {
            "bootstrap.servers": self.bootstrap,
            "group.id": self.group,
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest" if self.is_first else "error",
            "topic.metadata.refresh.interval.ms": 1_000,
            "log_level": 0,
        }
        consumer = Consumer(settings)
        consumer.subscribe(list(self.topics))
        try:
            while not stop.is_set():
                message = consumer.poll(0.1)
                if message is None:
                    continue
                error = message.error()
                assert error is None, error
                self.read.append(int(message.key() or b""))
            if self.read:
                consumer.commit(asynchronous=False)
        finally:
            consumer.close()

    def wait_for(self, more: int) -> None:
        goal, deadline = len(self.read) + more, time.monotonic() + 60
        while len(self.read) < goal:
            assert time.monotonic() < deadline, f"{len(self.read)} of {goal} records on {self.bootstrap}"
            time.sleep(0.02)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two clusters that copy one topic to each other."""

    fleet: EngineFleet
    bootstraps: dict[str, str]
    topic: str
    policy: PolicyKind

    def publish(self) -> None:
        for source, target in OTHER.items():
            self.fleet.publish(
                target,
                DesiredFlow(
                    source=source,
                    policy=PolicyChoice(kind=self.policy),
                    topics=NamePatterns(allow=(self.topic,)),
                    delivery="exactly_once",
                    connectors=ConnectorSettings(source=SETTINGS, checkpoint={"emit.checkpoints.enabled": "false"}),
                ),
            )
        self.fleet.start("one", "control")
        self.fleet.start("one", "data")

    def client(self, alias: str) -> ClusterClient:
        return ClusterClient(alias=alias, bootstrap=(self.bootstraps[alias],))

    def remote(self, source: str) -> str:
        """The name that the source's records have on the other cluster."""
        return self.topic if self.policy == "identity" else f"{source}.{self.topic}"

    def topics_on(self, alias: str) -> list[str]:
        return sorted({self.topic, self.remote(OTHER[alias])})

    def range_of(self, alias: str, topic: str, partition: int) -> LogRange:
        place = Place(topic, partition)
        ends = [
            admin(self.bootstraps[alias]).list_offsets({place: spec})[place].result(20).offset
            for spec in (OffsetSpec.earliest(), OffsetSpec.latest())  # type: ignore[no-untyped-call]
        ]
        return LogRange(start=ends[0], end=ends[1])

    def kill_worker(self) -> None:
        """Kill the data worker and start another one."""
        self.fleet.kill("one.data")
        time.sleep(1)
        self.fleet.start("one", "data")

    def account(self, source: str) -> CopyAccount:
        """The account of the flow from this cluster."""
        target, account = OTHER[source], CopyAccount()
        topics = CopyTopics.of(FlowId(source, target), separator=".", syncs_on_target=False)
        logs = KafkaCopyLogs(self.client(source), self.client(target), topics)
        try:
            logs.read_into(account)
        finally:
            logs.close()
        return account

    def places(self, group: str, here: str) -> dict[TopicPartition, Translation]:
        """Return the places at which the group continues on the other cluster."""
        there = OTHER[here]
        groups = WireGroupAdmin(self.client(here))
        try:
            commits = groups.commits([group])[group]
        finally:
            groups.close()
        assert not isinstance(commits, GroupProblem)
        out, back = self.account(here), self.account(there)
        ids = {alias: topic_id(bootstrap, self.topic) for alias, bootstrap in self.bootstraps.items()}
        found: dict[TopicPartition, Translation] = {}
        for at, commit in commits.items():
            upstream = TopicPartition(self.topic, at.partition)
            local = self.range_of(here, at.topic, at.partition)
            placed: list[Translation] = []
            if at.topic == self.topic:
                remote = TopicPartition(self.remote(here), at.partition)
                beyond = self.range_of(there, remote.topic, remote.partition)
                placed.append(out.translate(upstream, ids[here], commit.offset, local, beyond))
            if at.topic == self.remote(there):
                remote = upstream
                origin = self.range_of(there, upstream.topic, upstream.partition)
                placed.append(back.translate_back(upstream, ids[there], commit.offset, origin, local))
            found[remote] = both_ways(*placed) if len(placed) > 1 else placed[0]
        return found

    def move(self, group: str, here: str) -> int:
        """Commit for the group on the other cluster; return how many records it will read again at most."""
        deadline = time.monotonic() + 60
        places = self.places(group, here)
        while any(each.kind == "impossible" or each.reason == "copy_behind" for each in places.values()):
            assert time.monotonic() < deadline, places
            time.sleep(0.5)
            places = self.places(group, here)
        assert len(places) == PARTITIONS * len(self.topics_on(here))
        groups = WireGroupAdmin(self.client(OTHER[here]))
        try:
            commits = {at: Commit(each.downstream or 0) for at, each in places.items()}
            answers = groups.alter({group: commits})[group]
        finally:
            groups.close()
        assert not [each for each in answers.values() if each is not None]
        receipt = sum(each.rereads or 0 for each in places.values())
        say(f"{here} -> {OTHER[here]}: {receipt} records are read again at most; {places}")
        return receipt


@pytest.fixture(params=["default", "identity"])
def pair(request: pytest.FixtureRequest, engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Iterator[Pair]:
    bootstraps = {"a": two_clusters.source.bootstrap, "b": two_clusters.target.bootstrap}
    made = Pair(engine_fleet, bootstraps, f"moving-{uuid.uuid4().hex[:6]}", request.param)
    for alias, bootstrap in bootstraps.items():
        create_topic(bootstrap, made.topic, PARTITIONS)
        engine_fleet.cluster(alias, bootstrap)
    yield made
    engine_fleet.stop()


def level(pair: Pair) -> None:
    """Until both flows have copied everything, also what the other one brought."""
    for _ in range(2):
        for source, target in OTHER.items():
            pair.fleet.wait_level(source, target, pair.topic, PARTITIONS, or_beyond=True)


def written(pair: Pair) -> set[int]:
    """The numbers of all records, by the clusters that they were written to."""
    return {
        int(record.key or b"")
        for bootstrap in pair.bootstraps.values()
        for partition in read_all(bootstrap, pair.topic, PARTITIONS)
        for record in partition
    }


def twice(before: Sequence[int], after: Sequence[int]) -> int:
    """Return the number of records that were read although they had been read before."""
    known = set(before)
    assert max(Counter(after).values()) == 1, "a record is read twice on one cluster"
    return sum(number in known for number in after)


def test_a_group_continues_on_the_other_cluster_and_comes_back(pair: Pair) -> None:
    group, seed = f"moving-{uuid.uuid4().hex[:6]}", fault_seed()
    with ExitStack() as stack:
        for index, bootstrap in enumerate(pair.bootstraps.values()):
            writer = Traffic(bootstrap, pair.topic, PARTITIONS, RATE, seed=seed)
            writer.written = index * OF_ONE_WRITER
            stack.enter_context(writer.flowing())
        pair.publish()
        pair.fleet.wait_until(
            "both flows copy",
            lambda: all(
                any(document.get("records_total", 0) > 0 for document in pair.fleet.live(*flow))
                for flow in OTHER.items()
            ),
            120,
        )
        with Reader(pair.bootstraps["a"], group, pair.topics_on("a"), is_first=True).reading() as first:
            first.wait_for(1_500)
            pair.kill_worker()
            first.wait_for(600)
        there = pair.move(group, "a")
        with Reader(pair.bootstraps["b"], group, pair.topics_on("b"), is_first=False).reading() as second:
            second.wait_for(1_000)
            pair.kill_worker()
            second.wait_for(600)
        back = pair.move(group, "b")
    level(pair)
    with Reader(pair.bootstraps["a"], group, pair.topics_on("a"), is_first=False).reading() as third:
        pair.fleet.wait_until("everything is read", lambda: written(pair) <= {*first.read, *second.read, *third.read})

    again = twice(first.read, second.read), twice([*first.read, *second.read], third.read)
    say(
        f"{pair.policy}: {len(first.read)}, {len(second.read)} and {len(third.read)} records read, "
        f"{again[0]} of at most {there} again on b, {again[1]} of at most {back} again on a"
    )
    assert again[0] <= there
    assert again[1] <= back
    assert {*first.read, *second.read, *third.read} == written(pair)
