"""kill -9 during traffic, one part at a time: all recover, nothing is lost, and the counts balance."""

import json
import uuid
from typing import Any

import pytest

from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import Seen, create_topic, end_offsets, read_all
from tests.support.kafka.writer import Traffic
from tests.support.system import RunningSystem

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.system, pytest.mark.timeout(600)]

PARTITIONS = 3
RATE = 1_000
PERIOD_OFFSETS = RATE * 7 // PARTITIONS  # a 5 s period, what lies between a commit and the kill, and some slack


def a_topic(clusters: TwoClusters) -> str:
    topic = f"kill-{uuid.uuid4().hex[:8]}"
    create_topic(clusters.source.bootstrap, topic, PARTITIONS)
    return topic


def positions(clusters: TwoClusters, topic: str) -> dict[int, int]:
    """Next offset per source partition from the positions topic, as MirrorMaker 2 would read it."""
    found: dict[int, int] = {}
    for partition in read_all(clusters.target.bootstrap, "mm2-offsets.a.internal", 25):
        for record in partition:
            _connector, place = json.loads(record.key or b"")
            if place["topic"] == topic:
                found[place["partition"]] = json.loads(record.value or b"")["offset"] + 1
    return found


def wait_begun(system: RunningSystem, clusters: TwoClusters, topic: str) -> None:
    """Until the new topic was discovered and some of it is on the target."""

    def begun() -> bool:
        return sum(end_offsets(clusters.target.bootstrap, f"a.{topic}", PARTITIONS)) > RATE

    system.wait_until("copying has begun", begun)


def wait_level(system: RunningSystem, clusters: TwoClusters, topic: str) -> list[int]:
    """Until every written record is on the target and its position committed; answers the source's ends."""
    ends = end_offsets(clusters.source.bootstrap, topic, PARTITIONS)

    def committed() -> bool:
        return positions(clusters, topic) == dict(enumerate(ends))

    system.wait_until("every position is at its end", committed, 90)
    return ends


def assert_nothing_lost(clusters: TwoClusters, topic: str, written: int) -> int:
    """The target holds what was produced after removing duplicates, in order; answers how many came twice."""
    target = read_all(clusters.target.bootstrap, f"a.{topic}", PARTITIONS)
    for number, partition in enumerate(target):
        assert first_appearances(partition) == list(range(number, written, PARTITIONS))
    return sum(map(len, target)) - written


def first_appearances(partition: list[Seen]) -> list[int]:
    return list(dict.fromkeys(int(record.key or b"") for record in partition))


def balance(system: RunningSystem, topic: str) -> list[dict[str, int]]:
    """Per partition: what the tiles cover, doubles and holes, and how far the counts reach."""
    rows = system.tiles(
        """select s.partition, c.first_offset, c.next_offset, sum(t.covered_offsets), sum(t.overlap_offsets),
                  sum(t.hole_offsets), sum(t.records)
           from series s join covered c on c.series_id = s.id join tile_partition_10s t on t.id = s.id
           where s.topic = ? and s.partition >= 0 group by s.id order by s.partition""",
        topic,
    )
    names = ("partition", "first", "next", "covered", "overlap", "hole", "records")
    return [dict(zip(names, row, strict=True)) for row in rows]


def wait_counts_balanced(system: RunningSystem, topic: str, ends: list[int]) -> list[dict[str, int]]:
    """Until the tiles reach the positions."""
    system.wait_until("tiles reach the ends", lambda: [row["next"] for row in balance(system, topic)] == ends, 90)
    return balance(system, topic)


def recount(clusters: TwoClusters, topic: str) -> dict[int, dict[str, int]]:
    """An independent count of the raw metrics topic: records and covered offsets per partition, doubles dropped."""
    found: dict[int, dict[str, int]] = {}
    seen: set[tuple[str, str, int]] = set()
    for partition in read_all(clusters.target.bootstrap, "srm-metrics.a.internal", 4):
        for record in partition:
            document: dict[str, Any] = json.loads(record.value or b"")
            identity = (document["task"], document["boot"], document["seq"])
            if document["kind"] != "task" or identity in seen:
                continue
            seen.add(identity)
            for row in document["parts"]:
                if document["topics"][row[0]][0] == topic:
                    counts = found.setdefault(row[1], {"records": 0, "covered": 0})
                    counts["records"] += row[9]
                    counts["covered"] += row[5] - row[4]
    return found


@pytest.mark.parametrize("part", ["driver-data", "driver-control"])
def test_a_killed_driver_loses_nothing_and_its_holes_are_counted(
    system: RunningSystem, two_clusters: TwoClusters, part: str
) -> None:
    topic = a_topic(two_clusters)
    with Traffic(two_clusters.source.bootstrap, topic, PARTITIONS, RATE).flowing() as traffic:
        wait_begun(system, two_clusters, topic)
        traffic.wait_for(8 * RATE)
        killed = system.kill(part)
        system.wait_back(killed)
        traffic.wait_for(8 * RATE)

    ends = wait_level(system, two_clusters, topic)
    doubles = assert_nothing_lost(two_clusters, topic, traffic.written)
    assert doubles <= 2 * RATE  # one commit interval and what was in flight
    for row in wait_counts_balanced(system, topic, ends):
        assert row["covered"] - row["overlap"] + row["hole"] == row["next"] - row["first"]
        assert row["hole"] + row["overlap"] <= PERIOD_OFFSETS
    counted = recount(two_clusters, topic)
    assert {row["partition"]: row["records"] for row in balance(system, topic)} == {
        number: counts["records"] for number, counts in counted.items()
    }


@pytest.mark.parametrize("part", ["metrics", "service", "redis"])
def test_copying_continues_while_a_part_is_down_and_its_tiles_are_exact_afterwards(
    system: RunningSystem, two_clusters: TwoClusters, part: str
) -> None:
    topic = a_topic(two_clusters)
    with Traffic(two_clusters.source.bootstrap, topic, PARTITIONS, RATE).flowing() as traffic:
        wait_begun(system, two_clusters, topic)
        with system.supervisor_frozen():
            killed = system.kill(part)
            before = sum(end_offsets(two_clusters.target.bootstrap, f"a.{topic}", PARTITIONS))
            traffic.wait_for(6 * RATE)
            after = sum(end_offsets(two_clusters.target.bootstrap, f"a.{topic}", PARTITIONS))
            assert after - before >= 4 * RATE, f"copying stopped while {part} was down"
        system.wait_back(killed)
        traffic.wait_for(5 * RATE)

    ends = wait_level(system, two_clusters, topic)
    assert assert_nothing_lost(two_clusters, topic, traffic.written) == 0
    rows = wait_counts_balanced(system, topic, ends)
    assert [(row["covered"], row["overlap"], row["hole"]) for row in rows] == [(end, 0, 0) for end in ends]
    assert {row["partition"]: row["records"] for row in rows} == {
        number: counts["records"] for number, counts in recount(two_clusters, topic).items()
    }
    system.wait_until("the flow is healthy", lambda: system.flow("a", "b")["status"] == "healthy")


def test_an_order_survives_the_death_of_the_service_that_took_it_and_its_outcome_is_told(
    system: RunningSystem, two_clusters: TwoClusters
) -> None:
    """Both the order given before the kill and the drivers' answer to it are known after the restart."""
    topic = a_topic(two_clusters)
    with Traffic(two_clusters.source.bootstrap, topic, PARTITIONS, RATE).flowing():
        wait_begun(system, two_clusters, topic)
        body = {"action": "restart", "scope": {"topic": topic, "partition": 1}, "reason": "repair"}
        order = system.send("POST", "replications/a/b/actions", body)
        killed = system.kill("service")
        system.wait_back(killed)

        def row() -> dict[str, Any]:
            (found,) = (each for each in system.get("orders?source=a&target=b")["items"] if each["id"] == order["id"])
            return dict(found)

        system.wait_until("the outcome is known", lambda: row()["outcome"] != "waiting")
    told = row()
    assert (told["outcome"], told["ordered_by"], told["reason"]) == ("applied", "admin", "repair")
    assert told["applied_by"]
    assert told["ended_ms"] >= told["ordered_ms"]
    wait_level(system, two_clusters, topic)
