"""A real MirrorMaker 2 and we copy the same topics to the same cluster; a reader cannot tell who made which copy.

MirrorMaker's flow is `mm<mark>` -> `tt<mark>`, ours has the aliases of the planning fixture.
"""

import json
import struct
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException, Producer, TopicPartition
from kafka import KafkaProducer

from tests.integration.connectors.conftest import Planning
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import Seen, admin, end_offsets, produce, read_all
from tests.support.kafka.mirror_maker import mirror_maker, mirror_properties

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

MIRROR_S = 120.0
DAY_MS = 86_400_000
HOURS_200_YEARS = "6311520000000"  # so that old records stay


def fill(planning: Planning) -> dict[str, int]:
    """Topics with all that bends offsets and contents; name -> partitions."""
    bootstrap, mark = planning.source_client.bootstrap[0], planning.mark
    shapes = planning.create(f"{mark}-shapes", partitions=3, retention_ms=HOURS_200_YEARS, max_message_bytes="2000000")
    now_ms = int(time.time() * 1000)
    kinds: list[dict[str, Any]] = [
        {"key": b"k", "value": b"v" * 300, "headers": [("a", b"1"), ("a", b"2"), ("null", None), ("empty", b"")]},
        {"key": None, "value": b"no key"},
        {"key": b"tombstone", "value": None},
        {"key": b"", "value": b""},
    ]
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        records = [{**kinds[n % 4], "partition": n % 3, "timestamp": now_ms - DAY_MS + n} for n in range(600)]
        produce(bootstrap, shapes, records, compression_type=codec)

    stamped = planning.create(f"{mark}-stamped", message_timestamp_type="LogAppendTime", min_insync_replicas="1")
    produce(bootstrap, stamped, [{"value": str(n).encode(), "timestamp": 1_700_000_000_000} for n in range(300)])

    old = planning.create(f"{mark}-old.times", retention_ms=HOURS_200_YEARS)
    sender = KafkaProducer(bootstrap_servers=bootstrap, acks="all")
    for stamp in (0, 1, 1_600_000_000_000):
        sender.send(old, value=b"v", timestamp_ms=stamp).get(10)
    sender.close()

    dealt = planning.create(f"{mark}-transactions", compression_type="lz4")
    transactions(bootstrap, dealt)

    cut = planning.create(f"{mark}-cut", cleanup_policy="compact,delete", segment_bytes="1048576")
    produce(bootstrap, cut, [{"key": str(n).encode(), "value": b"v"} for n in range(400)], batch_num_messages=40)
    place = TopicPartition(cut, 0, 130)
    admin(bootstrap).delete_records([place])[place].result(10)
    return {shapes: 3, stamped: 1, old: 1, dealt: 1, cut: 1}


def transactions(bootstrap: str, topic: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": uuid.uuid4().hex, "linger.ms": 5})
    producer.init_transactions(30)
    for number in range(9):
        producer.begin_transaction()
        for key in range(50):
            producer.produce(topic, key=f"{number}.{key}", value=b"v")
        producer.flush(10)
        producer.abort_transaction(30) if number % 3 == 1 else producer.commit_transaction(30)


def properties(planning: Planning, folder: Path) -> Path:
    path = folder / "mm2.properties"
    lines = (
        f"{{flow}}.topics = {planning.mark}-.*",
        "emit.checkpoints.enabled = false",
        "heartbeats.replication.enabled = false",
    )
    source = f"mm{planning.mark}", planning.source_client.bootstrap[0]
    target = f"tt{planning.mark}", planning.target_client.bootstrap[0]
    path.write_text(mirror_properties(source, target, *lines))
    return path


@pytest.fixture
def copied(planning: Planning, mirror_jars: Path, tmp_path: Path) -> dict[str, int]:
    """The topics, copied by both; MirrorMaker has stopped and written its positions."""
    topics = fill(planning)
    bootstrap = planning.target_client.bootstrap[0]
    readable = {
        topic: [len(log) for log in read_all(planning.source_client.bootstrap[0], topic, count, "read_uncommitted")]
        for topic, count in topics.items()
    }
    planning.copy(planning.flow(f"{planning.mark}-.*"), sum(map(sum, readable.values())))

    def level() -> bool:
        try:
            ends = {
                topic: end_offsets(bootstrap, f"mm{planning.mark}.{topic}", count) for topic, count in topics.items()
            }
        except KafkaException:  # not made yet, or just being made
            return False
        return ends == readable

    with mirror_maker(mirror_jars, properties(planning, tmp_path), tmp_path / "mirror-maker.log"):
        eventually(level, MIRROR_S, "MirrorMaker has copied everything")
    return topics


def syncs(bootstrap: str, name: str, topics: dict[str, int]) -> dict[tuple[str, int], set[tuple[int, int]]]:
    found: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for record in read_all(bootstrap, name)[0]:
        key = record.key or b""
        (length,) = struct.unpack_from(">h", key)
        (partition,) = struct.unpack_from(">i", key, 2 + length)
        place = (key[2 : 2 + length].decode(), partition)
        if place[0] in topics:
            found.setdefault(place, set()).add(struct.unpack(">qq", record.value or b""))
    return found


def positions(bootstrap: str, cluster: str) -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    for log in read_all(bootstrap, f"mm2-offsets.{cluster}.internal", 25):
        for record in log:
            connector, place = json.loads(record.key or b"")
            if connector == "MirrorSourceConnector" and place["cluster"] == cluster:
                found[place["topic"], place["partition"]] = json.loads(record.value or b"")["offset"]
    return found


def contents(records: list[Seen]) -> list[tuple[object, ...]]:
    return [(record.offset, *record.content) for record in records]


def test_topics_configs_records_and_positions_are_the_same(planning: Planning, copied: dict[str, int]) -> None:
    bootstrap, mark = planning.target_client.bootstrap[0], planning.mark
    upstream = planning.source_client.bootstrap[0]
    theirs_at, ours_at = positions(bootstrap, f"mm{mark}"), positions(bootstrap, planning.source_client.alias)
    for topic, count in copied.items():
        ours, theirs = planning.remote(topic), f"mm{mark}.{topic}"
        assert planning.chosen(ours) == planning.chosen(theirs), topic
        assert planning.target.list_topics()[ours] == planning.target.list_topics()[theirs] == count
        our_log, their_log = (read_all(bootstrap, name, count) for name in (ours, theirs))
        for number in range(count):
            assert contents(our_log[number]) == contents(their_log[number]), (topic, number)
            last = max(each.offset for each in read_all(upstream, topic, count, "read_uncommitted")[number])
            # ours counts the markers behind the last record, too
            assert theirs_at[topic, number] == last <= ours_at[topic, number]
    assert theirs_at.keys() == ours_at.keys()

    their_syncs = syncs(upstream, f"mm2-offset-syncs.tt{mark}.internal", copied)
    our_syncs = syncs(upstream, f"mm2-offset-syncs.{planning.target_client.alias}.internal", copied)
    assert our_syncs.keys() == their_syncs.keys()
    for place, pairs in our_syncs.items():
        shifts = {up - down for up, down in their_syncs[place]}
        assert {up - down for up, down in pairs} <= shifts, place
        assert max(pairs) == max(their_syncs[place]), place  # of those between, each writes some
