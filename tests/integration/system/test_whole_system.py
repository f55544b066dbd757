"""`srm up` with an ordinary mm2.properties: what is produced at the source is at the target, and every page says so."""

import json
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from click.testing import CliRunner
from confluent_kafka import Producer

from srm_cli.control.main import srm_control
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import Seen, create_topic, delete_topic, digest, end_offsets, produce, read_all
from tests.support.system import RunningSystem

pytestmark = [pytest.mark.kafka, pytest.mark.system, pytest.mark.timeout(400)]

CODECS = ("none", "lz4", "zstd")
PARTITIONS = 3
RAW_PARTITIONS = 4
STEADY_S = 20.0


@pytest.fixture(scope="module")
def system(
    two_clusters: TwoClusters, kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningSystem]:
    properties = f"""
clusters = east, west
east.bootstrap.servers = {two_clusters.source.bootstrap}
west.bootstrap.servers = {two_clusters.target.bootstrap}
east->west.enabled = true
east->west.topics = whole-.*
east->west.tasks.max = 2
east->west.consumer.isolation.level = read_committed
west->east.enabled = false
replication.factor = 1
"""
    running = RunningSystem(tmp_path_factory.mktemp("whole") / "srm", kafka_jars, properties)
    try:
        running.start()
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []


def records(count: int) -> Iterator[dict[str, Any]]:
    now_ms = int(time.time() * 1000)
    for number in range(count):
        yield {
            "key": None if number % 7 == 0 else f"key-{number}",
            "value": None if number % 11 == 0 else f"value-{number}" * (number % 20),
            "headers": [("number", str(number).encode()), ("null", None)] if number % 3 == 0 else [],
            "timestamp": now_ms - 3_600_000 + number,
            "partition": number % PARTITIONS,
        }


def transactions(bootstrap: str, topic: str, count: int) -> int:
    """Transactions of 50 records, each third aborted; answers how many records were committed."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": uuid.uuid4().hex, "linger.ms": 1})
    producer.init_transactions(30)
    committed = 0
    for transaction in range(count):
        producer.begin_transaction()
        for number in range(50):
            producer.produce(topic, value=f"{transaction}-{number}", partition=number % PARTITIONS)
        producer.flush(10)
        if transaction % 3 == 1:
            producer.abort_transaction(30)
        else:
            producer.commit_transaction(30)
            committed += 50
    return committed


def wait_copied(system: RunningSystem, clusters: TwoClusters, topic: str, expected: int) -> None:
    def arrived() -> bool:
        return sum(end_offsets(clusters.target.bootstrap, f"east.{topic}", PARTITIONS)) >= expected

    system.wait_until(f"{expected} records of {topic} are copied", arrived, 90)


def control(system: RunningSystem, *arguments: str) -> str:
    """Return the output of `srm-control`."""
    access = ("--url", f"http://127.0.0.1:{system.port}", "--password-file", str(system.home / "admin-password"))
    result = CliRunner().invoke(srm_control, [*access, *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def drivers(system: RunningSystem) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(control(system, "drivers", "list", "-o", "json"))
    return found


def held_partitions(system: RunningSystem) -> int:
    """As the flow's tasks report them."""
    url = json.loads((system.home / "secrets.json").read_text())["SRM_REDIS_URL"]
    with redis.Redis.from_url(url, decode_responses=True) as client:
        reports = [str(client.get(key) or "{}") for key in client.scan_iter("srm:live:west:east/source/*")]
    return sum(json.loads(report).get("states", {}).get("paused", 0) for report in reports)


def fingerprints(bootstrap: str, topic: str) -> list[str]:
    return [digest(partition) for partition in read_all(bootstrap, topic, PARTITIONS, "read_committed")]


def test_records_of_every_codec_and_committed_transactions_arrive_identical(
    system: RunningSystem, two_clusters: TwoClusters
) -> None:
    topics = {f"whole-{codec}-{uuid.uuid4().hex[:6]}": codec for codec in CODECS}
    transactional = f"whole-transactional-{uuid.uuid4().hex[:6]}"
    for topic in (*topics, transactional):
        create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)
    for topic, codec in topics.items():
        produce(two_clusters.source.bootstrap, topic, records(10_000), compression_type=codec)
    committed = transactions(two_clusters.source.bootstrap, transactional, 12)

    for topic, expected in {**dict.fromkeys(topics, 10_000), transactional: committed}.items():
        wait_copied(system, two_clusters, topic, expected)
        assert fingerprints(two_clusters.source.bootstrap, topic) == fingerprints(
            two_clusters.target.bootstrap, f"east.{topic}"
        )

    def told() -> bool:
        flow = system.flow("east", "west")
        return bool(flow["status"] == "healthy" and flow["topics"] >= len(topics) + 1 and flow["tasks"]["running"] == 2)

    system.wait_until("REST says healthy with every topic", told)


def test_a_topic_re_created_while_running_is_copied_from_its_start(
    system: RunningSystem, two_clusters: TwoClusters
) -> None:
    topic = f"whole-again-{uuid.uuid4().hex[:6]}"
    create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)
    produce(two_clusters.source.bootstrap, topic, records(300))
    wait_copied(system, two_clusters, topic, 300)

    delete_topic(two_clusters.source.bootstrap, topic)
    create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)
    produce(two_clusters.source.bootstrap, topic, records(900))
    wait_copied(system, two_clusters, topic, 1_200)

    source = read_all(two_clusters.source.bootstrap, topic, PARTITIONS)
    target = read_all(two_clusters.target.bootstrap, f"east.{topic}", PARTITIONS)
    assert [digest(partition) for partition in source] == [digest(partition[100:]) for partition in target]
    gaps = read_all(two_clusters.target.bootstrap, "srm-gaps.east.internal")[0]
    assert (
        sum(topic.encode() in (record.key or b"") and b"topic_recreated" in (record.value or b"") for record in gaps)
        == PARTITIONS
    )


def test_a_held_topic_waits_until_it_is_released_and_a_reset_copies_it_again(
    system: RunningSystem, two_clusters: TwoClusters
) -> None:
    topic = f"whole-ordered-{uuid.uuid4().hex[:6]}"
    create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)
    produce(two_clusters.source.bootstrap, topic, records(300))
    wait_copied(system, two_clusters, topic, 300)
    place = ("east->west", "--topic", topic)

    control(system, "topics", "hold", *place, "--partition", "0", "--reason", "repair")
    system.wait_until("drivers have let go", lambda: held_partitions(system) == 1, 30)
    produce(two_clusters.source.bootstrap, topic, records(300))
    wait_copied(system, two_clusters, topic, 500)
    held = end_offsets(two_clusters.target.bootstrap, f"east.{topic}", PARTITIONS)
    control(system, "topics", "release", *place)
    wait_copied(system, two_clusters, topic, 600)

    told = control(system, "topics", "reset", *place, "--to", "offset:150", "--wait", "60")
    wait_copied(system, two_clusters, topic, 750)

    assert held == [100, 200, 200]
    assert told.endswith("done\n")
    assert end_offsets(two_clusters.target.bootstrap, f"east.{topic}", PARTITIONS) == [250, 250, 250]


def test_orders_are_applied_by_drivers_which_the_list_of_orders_names(
    system: RunningSystem, two_clusters: TwoClusters
) -> None:
    topic = f"whole-verbs-{uuid.uuid4().hex[:6]}"
    create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)
    produce(two_clusters.source.bootstrap, topic, records(300))
    wait_copied(system, two_clusters, topic, 300)
    scope = ("east->west", "--topic", topic, "--wait")

    stopped = control(system, "flows", "stop", *scope, "--partition", "0", "--reason", "repair")
    produce(two_clusters.source.bootstrap, topic, records(300))
    wait_copied(system, two_clusters, topic, 500)
    while_stopped = end_offsets(two_clusters.target.bootstrap, f"east.{topic}", PARTITIONS)
    control(system, "flows", "start", *scope)
    wait_copied(system, two_clusters, topic, 600)
    restarted = control(system, "flows", "restart", *scope, "--partition", "1")
    rows = json.loads(control(system, "orders", "east->west", "--topic", topic, "-o", "json"))

    assert while_stopped == [100, 200, 200]
    assert "applied by" in stopped
    assert "applied by" in restarted
    assert [(row["event"], row["partition"]) for row in rows] == [
        ("flow.restart", 1),
        ("flow.start_topic", None),
        ("flow.stop_topic", 0),
    ]
    assert all(row["revision"] and row["ordered_by"] == "admin" for row in rows)
    assert {each["driver"] for row in rows for each in row["applied_by"]} <= {row["id"] for row in drivers(system)}


def test_a_change_plan_is_looked_at_by_the_driver_and_comes_true_when_applied(
    system: RunningSystem, two_clusters: TwoClusters
) -> None:
    topic = f"planned-{uuid.uuid4().hex[:6]}"
    create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)
    produce(two_clusters.source.bootstrap, topic, records(300))
    changes = [{"key": "east->west.topics", "value": "whole-.*,planned-.*"}]

    plan = system.send("POST", "config/plan", {"changes": changes, "wait_ms": 20_000})

    (flow,) = plan["flows"]
    assert flow["changes"]["unlooked"] == []
    assert flow["changes"]["topics_added"] == [topic]
    assert {each["name"] for each in flow["changes"]["topics_created"]} == {f"east.{topic}"}
    assert flow["changes"]["estimate"]["records"] == 300
    assert flow["changes"]["estimate"]["bytes"] > 0
    assert flow["changes"]["tasks"]["restarts"] == []
    system.send("PATCH", "properties", {"changes": changes})
    wait_copied(system, two_clusters, topic, 300)


def raw_parts(clusters: TwoClusters, topic: str) -> dict[int, list[tuple[int, list[Any]]]]:
    """Return what raw metrics report of each partition of a topic, with the ends of the periods, in their order."""
    found: dict[int, list[tuple[int, list[Any]]]] = {number: [] for number in range(PARTITIONS)}
    for log in read_all(clusters.target.bootstrap, "srm-metrics.east.internal", RAW_PARTITIONS):
        for record in log:
            report = json.loads(record.value or b"{}")
            for part in report.get("parts", ()):
                if report["topics"][part[0]][0] == topic:
                    found[part[1]].append((report["to_ms"], part))
    return {number: sorted(parts, key=lambda each: each[0]) for number, parts in found.items()}


def shown(content: bytes | None) -> dict[str, Any] | None:
    if content is None:
        return None
    return {"size": len(content), "text": content.decode(), "base64": None, "is_cut": False}


def assert_shown(side: dict[str, Any], record: Seen) -> None:
    """A side of a pair has what a consumer reads, without the value."""
    assert side["state"] == "found", side
    assert side["record"] == {
        "offset": record.offset,
        "timestamp_ms": record.timestamp,
        "key": shown(record.key),
        "headers": [{"name": name, "value": shown(value)} for name, value in record.headers],
        "headers_total": len(record.headers),
        "value_size": None if record.value is None else len(record.value),
        "value": None,
    }


def test_a_record_beside_its_copy_is_what_a_consumer_of_each_cluster_reads(
    system: RunningSystem, two_clusters: TwoClusters
) -> None:
    """Offsets differ between the clusters: markers and aborted records of transactions are not copied."""
    topic = f"whole-pairs-{uuid.uuid4().hex[:6]}"
    create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)
    committed = transactions(two_clusters.source.bootstrap, topic, 5)
    produce(two_clusters.source.bootstrap, topic, records(300))
    wait_copied(system, two_clusters, topic, committed + 300)
    originals = read_all(two_clusters.source.bootstrap, topic, PARTITIONS)
    copies = read_all(two_clusters.target.bootstrap, f"east.{topic}", PARTITIONS)
    path = "replications/east/west/topics"

    def pair(name: str, partition: int, offset: int, on: str) -> dict[str, Any]:
        answers: list[dict[str, Any]] = []

        def is_answered() -> bool:
            answers.append(system.get(f"{path}/{name}/partitions/{partition}/records/{offset}?on={on}&wait_ms=20000"))
            return True

        system.wait_until("the control worker answers", is_answered)
        return answers[-1]

    for number, (of_source, of_target) in enumerate(zip(originals, copies, strict=True)):
        assert len(of_source) == len(of_target)
        assert of_source[-1].offset > of_target[-1].offset
        system.wait_until(
            "the places of the copies are known",
            lambda number=number, last=of_source[-1].offset: (  # type: ignore[misc]
                pair(topic, number, last, "source")["copy"]["state"] == "found"
            ),
        )
        for place in (0, len(of_source) // 2, -1):
            original, copy = of_source[place], of_target[place]
            for found in (
                pair(topic, number, original.offset, "source"),
                pair(f"east.{topic}", number, copy.offset, "target"),
            ):
                assert_shown(found["original"], original)
                assert_shown(found["copy"], copy)
                assert found["differences"] == []


@pytest.mark.large  # every day: test_live_and_raw.py, test_recounted_reads.py
def test_live_rate_and_lag_are_those_of_the_raw_metrics(system: RunningSystem, two_clusters: TwoClusters) -> None:
    topic = f"whole-recounted-{uuid.uuid4().hex[:6]}"
    create_topic(two_clusters.source.bootstrap, topic, PARTITIONS)

    def live(metric: str) -> float:
        return float(system.flow("east", "west")["metrics"][metric]["latest"])

    def counted() -> int:
        return sum(part[9] for parts in raw_parts(two_clusters, topic).values() for _, part in parts)

    def lag_of_newest() -> int:
        newest = (parts[-1][1] for parts in raw_parts(two_clusters, topic).values())
        return sum(part[7] - part[5] for part in newest)

    produce(two_clusters.source.bootstrap, topic, records(PARTITIONS))
    wait_copied(system, two_clusters, topic, PARTITIONS)
    began_s, sent, rates = time.monotonic(), PARTITIONS, []
    while time.monotonic() < began_s + STEADY_S:
        produce(two_clusters.source.bootstrap, topic, records(120))
        sent += 120
        time.sleep(0.25)
        rates.append(live("records_per_second"))
    took_s = time.monotonic() - began_s
    system.wait_until("raw metrics count every record once", lambda: counted() == sent)
    assert sum(rates) / len(rates) == pytest.approx((sent - PARTITIONS) / took_s, rel=0.25)

    control(system, "topics", "hold", "east->west", "--topic", topic, "--partition", "0", "--reason", "a lag")
    system.wait_until("drivers have let go", lambda: held_partitions(system) == 1, 30)
    produce(two_clusters.source.bootstrap, topic, records(300))
    wait_copied(system, two_clusters, topic, sent + 200)
    system.wait_until("raw metrics have the lag", lambda: lag_of_newest() == 100, 90)
    system.wait_until("the live lag is the same", lambda: live("lag_offsets") == 100, 10)
    control(system, "topics", "release", "east->west", "--topic", topic)
    wait_copied(system, two_clusters, topic, sent + 300)
    system.wait_until("there is no lag in either", lambda: lag_of_newest() == live("lag_offsets") == 0, 90)
