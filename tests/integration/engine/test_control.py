"""An order to a running slot is carried out once, without a restart, and is reported."""

import json
import os
import time
import uuid
from dataclasses import replace
from typing import Any

import pytest
from confluent_kafka import Producer

from replication.domain.control.orders import Hold, Reset, ToOffset, ToTimestamp
from replication.domain.control.throttle import Throttle
from replication.domain.identifiers import TopicPartition
from replication.tasks.fetch import open_transactions
from tests.support.engine.slots import SlotLab, level, until
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import create_topic, produce, read_all

pytestmark = pytest.mark.kafka

LATELY_MS = int(time.time() * 1000) - 60_000
BETWEEN_MS = LATELY_MS - 3_600_000
LONG_AGO_MS = BETWEEN_MS - 3_600_000


def numbered(count: int, start: int = 0, partitions: int = 1, **fields: Any) -> list[dict[str, Any]]:
    return [
        {"key": str(number), "value": f"value {number}", "partition": number % partitions, **fields}
        for number in range(start, start + count)
    ]


def keys(lab: SlotLab, topic: str, partition: int = 0, partitions: int = 1) -> list[int]:
    return [
        int(record.key or b"") for record in read_all(lab.target_bootstrap, lab.remote(topic), partitions)[partition]
    ]


def gaps(lab: SlotLab) -> list[tuple[Any, ...]]:
    records = [json.loads(record.value or b"") for record in read_all(lab.target_bootstrap, lab.gaps_topic)[0]]
    return [(gap["cause"], gap["from_offset"], gap["to_offset"], gap["count"]) for gap in records]


def test_a_held_partition_waits_until_its_hold_ends_and_its_neighbour_continues(lab: SlotLab) -> None:
    topic = lab.topic(f"held-{uuid.uuid4().hex[:6]}", 2)
    spec = lab.spec({topic: 2})
    with lab.running(replace(spec, holds=(Hold(topic=topic, partition=1, reason="a poison pill"),))) as handle:
        until(handle, lambda live: live.get("states", {}).get("paused") == 1)
        produce(lab.source_bootstrap, topic, numbered(200, partitions=2))
        until(handle, lambda live: live["records_total"] == 100)
        assert handle.live()["states"] == {"caught_up": 1, "paused": 1}
        assert handle.live()["cause"] is None, "what a person ordered is no trouble"

        soon_ms = int(time.time() * 1000) + 1_500
        handle.update(replace(spec, holds=(Hold(topic=topic, until_ms=soon_ms),)))
        until(handle, lambda live: live["states"] == {"paused": 2})
        until(handle, level(200))
        assert time.time() * 1000 >= soon_ms
    assert keys(lab, topic, 1, 2) == list(range(1, 200, 2))


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_a_rewind_happens_once_even_over_a_restart(lab: SlotLab, delivery: str) -> None:
    topic = lab.topic(f"rewind-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(100))
    isolation = "read_committed" if delivery == "exactly_once" else "read_uncommitted"
    spec = lab.spec({topic: 1}, delivery=delivery, isolation_level=isolation)
    rewound = replace(spec, resets=(Reset(id="r-1", topic=topic, partition=0, to=ToOffset(offset=40)),))
    with lab.running(spec) as handle:
        until(handle, level(100))
        handle.update(rewound)
        until(handle, lambda live: live["done_resets"] == ["r-1"])
        until(handle, level(160))
    produce(lab.source_bootstrap, topic, numbered(5, 100))
    lab.copy_until(rewound, level(5))

    assert keys(lab, topic) == [*range(100), *range(40, 105)]
    assert gaps(lab) == []


def test_a_skip_leaves_records_out_and_says_which(lab: SlotLab) -> None:
    topic = lab.topic(f"skip-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1})
    hold = Hold(topic=topic)
    with lab.running(spec) as handle:
        produce(lab.source_bootstrap, topic, numbered(10, timestamp=LONG_AGO_MS))
        until(handle, level(10))
        handle.update(replace(spec, holds=(hold,)))
        until(handle, lambda live: live["states"] == {"paused": 1})
        produce(lab.source_bootstrap, topic, numbered(50, 10, timestamp=LONG_AGO_MS))
        produce(lab.source_bootstrap, topic, numbered(40, 60, timestamp=LATELY_MS))
        there = ToTimestamp(timestamp_ms=BETWEEN_MS)
        resets = (
            Reset(id="overtaken", topic=topic, partition=0, to="latest"),
            Reset(id="last", topic=topic, partition=0, to=there),
        )
        handle.update(replace(spec, resets=resets))
        until(handle, lambda live: set(live["done_resets"]) == {"overtaken", "last"})
        until(handle, level(50))
        eventually(lambda: gaps(lab), 10, "the gap record")
    first_after = keys(lab, topic)[10]
    assert keys(lab, topic) == [*range(10), *range(first_after, 100)]
    assert gaps(lab) == [("skipped", 10, first_after, first_after - 10)]
    assert 10 < first_after <= 60


def test_a_throttle_holds_and_can_be_lifted(lab: SlotLab) -> None:
    topic = lab.topic(f"throttle-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, ({"value": os.urandom(1_000)} for _ in range(3_000)), batch_size=20_000)
    spec = lab.spec({topic: 1})
    with lab.running(replace(spec, throttle=Throttle(bytes_per_second=400_000, slots=2))) as handle:
        until(handle, lambda live: live.get("states", {}).get("throttled") == 1)
        until(handle, lambda live: live.get("bytes_total", 0) > 0)
        before, started_s = handle.live()["bytes_total"], time.monotonic()
        until(handle, lambda live: live["bytes_total"] - before > 400_000)
        seconds = time.monotonic() - started_s
        assert seconds > 1.2, "faster than the slot's half of the throttle"
        until(handle, lambda live: (live["limit"] or {}).get("code") == "throttle")

        handle.update(spec)
        until(handle, level(3_000), timeout_s=10)
    parts = [
        part
        for metrics in read_all(lab.target_bootstrap, lab.metrics_topic, 4)
        for record in metrics
        for part in json.loads(record.value or b"").get("parts", [])
    ]
    assert sum(part[12] for part in parts) > 1_000, "throttled_ms"


def test_partitions_start_where_they_are_told(lab: SlotLab) -> None:
    topic = lab.topic(f"start-{uuid.uuid4().hex[:6]}", 3)
    produce(lab.source_bootstrap, topic, numbered(300, partitions=3, timestamp=LONG_AGO_MS))
    produce(lab.source_bootstrap, topic, numbered(30, 300, partitions=3, timestamp=LATELY_MS))
    exactly = ((TopicPartition(topic, 0), 90), (TopicPartition(topic, 1), 110))
    spec = lab.spec({topic: 3}, start=BETWEEN_MS, start_offsets=exactly)

    lab.copy_until(spec, lambda live: live.get("lag_offsets") == 0 and live["records_total"] >= 30)

    assert keys(lab, topic, 0, 3) == list(range(270, 330, 3))
    assert keys(lab, topic, 1, 3) == []
    assert 302 in keys(lab, topic, 2, 3)
    assert 2 not in keys(lab, topic, 2, 3)


def test_an_open_transaction_at_the_source_is_named(lab: SlotLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_transactions, "LONG_S", 1.0)
    monkeypatch.setattr(open_transactions, "EVERY_S", 0.3)
    topic = lab.topic(f"open-{uuid.uuid4().hex[:6]}")
    producer = Producer({"bootstrap.servers": lab.source_bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    with lab.running(lab.spec({topic: 1}, isolation_level="read_committed")) as handle:
        produce(lab.source_bootstrap, topic, numbered(10))
        until(handle, level(10))
        producer.begin_transaction()
        producer.produce(topic, key="10", value=b"in a transaction")
        producer.flush(10)
        produce(lab.source_bootstrap, topic, numbered(5, 11))
        until(handle, lambda live: live["states"] == {"stalled": 1})
        cause = handle.live()["cause"]
        assert (cause["code"], cause["topic"], cause["partition"]) == ("open_transaction", topic, 0)
        assert "producer id" in cause["text"]
        assert "--start-offset 10" in cause["text"]

        producer.commit_transaction(30)
        until(handle, level(16))
        assert handle.live()["states"] == {"caught_up": 1}


def test_a_reset_leads_past_a_record_the_target_refuses(lab: SlotLab) -> None:
    topic = f"poison-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, lab.remote(topic), max_message_bytes="2000")
    produce(lab.source_bootstrap, topic, numbered(5))
    produce(lab.source_bootstrap, topic, [{"key": b"5", "value": os.urandom(5_000)}])
    produce(lab.source_bootstrap, topic, numbered(5, 6))
    spec = lab.spec({topic: 1})
    past_it = Reset(id="past", topic=topic, partition=0, to=ToOffset(offset=6))
    handle = lab.start(spec)
    until(handle, lambda live: live.get("states") == {"failed": 1})

    handle.update(replace(spec, resets=(past_it,)))

    assert handle.wait(20), "only a new producer epoch can continue after a rejected batch"
    lab.copy_until(replace(spec, resets=(past_it,)), level(5))
    assert keys(lab, topic) == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert gaps(lab) == [("skipped", 5, 6, 1)]
