"""Java's own programs read the topics of a flow's consumer groups, and agree with us about every offset."""

import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner
from confluent_kafka import Consumer, KafkaException
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.client import connect
from replication.codecs.mm2_records import Checkpoint, decode_checkpoint
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import CHECKPOINTS, HEARTBEATS_TOPIC, OFFSET_SYNCS
from replication.domain.plan.slot import ClusterClient
from replication.wire.groups.group_admin import WireGroupAdmin
from srm_cli.control.main import srm_control
from srm_cli.machine.processes import end, wait_until
from tests.support.drivers.whole_driver import WholeDriver
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, produce, read_all
from tests.support.kafka.mirror_maker import mirror_maker, mirror_properties
from tests.support.kafka.tools import CONSOLE_CONSUMER, CONSUMER_GROUPS, run_tool
from tests.support.system import ROOT

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.slow, pytest.mark.timeout(600)]

PARTITIONS = 3
RECORDS, REMOVED = 200, 30  # per partition; the removed ones make downstream offsets smaller
COMMITTED = ((40, 100, 200), (31, 77, 150))  # by both groups
STEP = 20  # records per partition that a running MirrorMaker gets at a time
REMOTE_OFFSETS = Path(__file__).parents[2] / "support" / "kafka" / "RemoteOffsets.java"
FORMATTERS = "org.apache.kafka.connect.mirror.formatters"
CHECKPOINTS_TOPIC = CHECKPOINTS.name("east")
SYNCS_TOPIC = OFFSET_SYNCS.name("west")
Offsets = dict[tuple[str, str, int], int]  # by group, remote topic and partition


@dataclass(frozen=True, slots=True)
class Orders:
    """A topic and its two groups, with unique names: a second try of a test finds nothing of the first."""

    source: str
    target: str
    mark: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def topic(self) -> str:
        return f"java-{self.mark}"

    @property
    def remote(self) -> str:
        return f"east.{self.topic}"

    @property
    def groups(self) -> tuple[str, str]:
        return f"java-{self.mark}-a", f"java-{self.mark}-b"

    @property
    def flow(self) -> DesiredFlow:
        return DesiredFlow(
            source="east",
            topics=NamePatterns(allow=(self.topic,)),
            groups=NamePatterns(allow=(f"{self.topic}-.*",)),
            connectors=ConnectorSettings(
                checkpoint={
                    "sync.group.offsets.enabled": "false",
                    "emit.checkpoints.interval.seconds": "1",
                    "refresh.groups.interval.seconds": "1",
                },
                heartbeat={"emit.heartbeats.interval.seconds": "1"},
            ),
        )

    def arrange(self) -> None:
        create_topic(self.source, self.topic, PARTITIONS)
        if HEARTBEATS_TOPIC not in topics_of(self.source):  # Java finds upstream clusters by its copy
            create_topic(self.source, HEARTBEATS_TOPIC)
        self.write(0, RECORDS)
        below = [KafkaTopicPartition(self.topic, number, REMOVED) for number in range(PARTITIONS)]
        for future in admin(self.source).delete_records(below).values():
            future.result(10)
        self.commit(COMMITTED)

    def write(self, first: int, count: int) -> None:
        """Every value names its source offset."""
        places = ((number, at) for number in range(PARTITIONS) for at in range(first, first + count))
        produce(self.source, self.topic, ({"value": b"%d" % at, "partition": number} for number, at in places))

    def commit(self, committed: Sequence[tuple[int, ...]]) -> None:
        groups = WireGroupAdmin(ClusterClient(alias="east", bootstrap=(self.source,)))
        receipts = groups.alter(
            {
                group: {TopicPartition(self.topic, number): Commit(at, "of java") for number, at in enumerate(offsets)}
                for group, offsets in zip(self.groups, committed, strict=True)
            }
        )
        groups.close()
        assert not [problem for each in receipts.values() for problem in each.values() if problem]

    def checkpoints(self) -> list[Checkpoint]:
        """Those of the groups, in the order written."""
        found = [decode_checkpoint(each.key, each.value) for each in read_all(self.target, CHECKPOINTS_TOPIC)[0]]
        return [each for each in found if each.group in self.groups]

    def newest(self) -> Offsets:
        return {
            (each.group, each.remote.topic, each.remote.partition): each.downstream_offset
            for each in self.checkpoints()
        }

    def expected(self, committed: Sequence[tuple[int, ...]] = COMMITTED) -> Offsets:
        return {
            (group, self.remote, number): offset - REMOVED
            for group, offsets in zip(self.groups, committed, strict=True)
            for number, offset in enumerate(offsets)
        }

    def translate(self, driver: WholeDriver, clusters: TwoClusters) -> None:
        """Run the driver until it has translated what the groups committed."""
        driver.publish(clusters, self.flow)
        driver.start("control")
        driver.start("data")

        def is_translated() -> bool:
            is_ready = {CHECKPOINTS_TOPIC, f"east.{HEARTBEATS_TOPIC}"} <= topics_of(self.target)
            try:
                return is_ready and self.newest() == self.expected()
            except KafkaException:  # a topic just created has no leader yet
                return False

        assert wait_until(is_translated, 120.0, 0.5), driver.logs()


@pytest.fixture
def orders(two_clusters: TwoClusters) -> Orders:
    made = Orders(two_clusters.source.bootstrap, two_clusters.target.bootstrap)
    made.arrange()
    return made


def topics_of(bootstrap: str) -> set[str]:
    return set(admin(bootstrap).list_topics(timeout=5).topics)


def first_values(orders: Orders, group: str) -> dict[int, bytes | None]:
    """The first record of each partition that a member of the group reads; None at the end."""
    consumer = Consumer({"bootstrap.servers": orders.target, "group.id": group, "auto.offset.reset": "error"})
    places = [KafkaTopicPartition(orders.remote, number) for number in range(PARTITIONS)]
    found: dict[int, bytes | None] = {}
    for place in consumer.committed(places, timeout=10):
        end_offset = consumer.get_watermark_offsets(place, timeout=10)[1]
        if place.offset == end_offset:
            found[place.partition] = None
            continue
        consumer.assign([place])
        message = consumer.poll(10)
        assert message is not None
        assert message.error() is None
        found[place.partition] = message.value()
    consumer.close()
    return found


def test_javas_client_and_formatters_agree_with_our_checkpoints(
    driver: WholeDriver,
    two_clusters: TwoClusters,
    orders: Orders,
    kafka_jars: Path,
    mirror_jars: Path,
    tmp_path: Path,
) -> None:
    orders.translate(driver, two_clusters)
    source, target = orders.source, orders.target

    printed = run_tool(mirror_jars, REMOTE_OFFSETS, target, "east", *orders.groups).splitlines()

    told = {tuple(line.split()[1:4]): int(line.split()[4]) for line in printed if line.startswith("offset ")}
    assert told == {(group, topic, str(number)): at for (group, topic, number), at in orders.expected().items()}
    about = dict(line.split(" ", 1) for line in printed if not line.startswith("offset "))
    assert "east" in about["upstream"].split(",")  # other tests have flows into the same cluster
    assert about["hops"] == "1"
    with connect(target, alias="west") as client:
        assert ",".join(sorted(client.upstream_clusters())) == about["upstream"]
        assert str(client.replication_hops("east")) == about["hops"]
        assert ",".join(sorted(client.checkpoint_topics())) == about["checkpoints"]
        assert ",".join(sorted(client.heartbeat_topics())) == about["heartbeats"]
        assert ",".join(sorted(client.remote_topics("east"))) == about["remote"]
        for group in orders.groups:
            ours = client.remote_consumer_offsets(group, "east")
            assert {(group, each.topic, str(each.partition)): at.offset for each, at in ours.items()} == {
                place: at for place, at in told.items() if place[0] == group
            }

    def formatted(bootstrap: str, topic: str, formatter: str) -> list[str]:
        count = len(read_all(bootstrap, topic, isolation="read_uncommitted")[0])  # as the console reads
        until = ("--max-messages", str(count), "--timeout-ms", "30000")  # a busy machine starts a JVM slowly
        at = ("--bootstrap-server", bootstrap, "--topic", topic, "--from-beginning", *until)
        reading = (*at, "--formatter", f"{FORMATTERS}.{formatter}")
        return run_tool(kafka_jars, CONSOLE_CONSUMER, *reading, more_jars=mirror_jars).splitlines()

    shown = formatted(target, CHECKPOINTS_TOPIC, "CheckpointFormatter")
    assert [line for line in shown if orders.topic in line] == [
        f"Checkpoint{{consumerGroupId={each.group}, topicPartition={each.remote}, "
        f"upstreamOffset={each.upstream_offset}, downstreamOffset={each.downstream_offset}, metadata={each.metadata}}}"
        for each in orders.checkpoints()
    ]
    syncs = formatted(source, SYNCS_TOPIC, "OffsetSyncFormatter")
    assert any(f"topicPartition={orders.topic}-0" in line for line in syncs), syncs[-50:]
    assert all(line.startswith("OffsetSync{") for line in syncs)
    beats = formatted(target, HEARTBEATS_TOPIC, "HeartbeatFormatter")
    assert any("sourceClusterAlias=east, targetClusterAlias=west" in line for line in beats)

    _reset_by_kafkas_tool(kafka_jars, orders, tmp_path)


def _reset_by_kafkas_tool(jars: Path, orders: Orders, folder: Path) -> None:
    """Export one group, then both, and let Kafka's tool set them: each group's first record is the right one."""
    target = orders.target
    for groups in (orders.groups[:1], orders.groups):
        file = folder / f"{len(groups)}.csv"
        flow = ["--source", "east", "--target", "west", "--bootstrap-servers", target]
        exported = CliRunner().invoke(
            srm_control, ["offsets", *flow, "--group", ",".join(groups), "--export", "--to", str(file)]
        )
        assert exported.exit_code == 0, exported.output
        named = [word for group in groups for word in ("--group", group)]
        run_tool(
            jars, CONSUMER_GROUPS, "--bootstrap-server", target, "--reset-offsets", *named,
            "--from-file", str(file), "--execute",
        )  # fmt: skip
        for group, offsets in zip(groups, COMMITTED, strict=False):
            first = {number: b"%d" % at if at < RECORDS else None for number, at in enumerate(offsets)}
            assert first_values(orders, group) == first


@pytest.mark.large
def test_mirrormaker_continues_our_checkpoints_and_never_goes_back(
    driver: WholeDriver, two_clusters: TwoClusters, orders: Orders, mirror_jars: Path, tmp_path: Path
) -> None:
    orders.translate(driver, two_clusters)
    end(list(driver.processes.values()), grace_seconds=20.0)
    ours = len(orders.checkpoints())
    properties, log = tmp_path / "mm2.properties", tmp_path / "mirror-maker.log"
    properties.write_text(_properties(orders))
    _give_back(properties)

    written = RECORDS
    moved: Sequence[tuple[int, ...]] = COMMITTED
    with mirror_maker(mirror_jars, properties, log):

        def has_moved() -> bool:
            """MirrorMaker translates only what it copies after it has read the syncs, so each look makes more of it.

            Its syncs tell of some places only, so that others stay as we left them.
            """
            nonlocal written, moved
            orders.write(written, STEP)
            written += STEP
            moved = (tuple(written - 5 + number for number in range(PARTITIONS)),) * len(COMMITTED)
            orders.commit(moved)
            now = orders.newest()
            return {place[0] for place, at in orders.expected().items() if now[place] > at} == set(orders.groups)

        assert wait_until(has_moved, 180.0, 1.0), (orders.newest(), log.read_text()[-3000:])

    found = orders.checkpoints()
    assert len(found) > ours
    last: Offsets = {}
    for each in found:
        place = each.group, each.remote.topic, each.remote.partition
        assert each.downstream_offset >= last.get(place, 0), f"{place} goes back from {last[place]}"
        last[place] = each.downstream_offset
    for place, at in orders.expected(moved).items():
        assert last[place] <= at


def _properties(orders: Orders) -> str:
    lines = (
        f"{{flow}}.topics = {orders.topic}",
        f"{{flow}}.groups = {orders.topic}-.*",
        "{flow}.emit.checkpoints.interval.seconds = 1",
        "{flow}.refresh.groups.interval.seconds = 1",
        "{flow}.offset.lag.max = 0",
    )
    return mirror_properties(("east", orders.source), ("west", orders.target), *lines)


def _give_back(properties: Path) -> None:
    command = [sys.executable, "-m", "srm_cli", "adopt", "--from", str(properties), "--json", "--give-back"]
    deadline = time.monotonic() + 90
    while True:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90, check=False)
        if done.returncode == 0:
            return
        assert time.monotonic() < deadline, done.stderr
        time.sleep(2)
