"""The right records arrive in order on every path: passed on, merged, recompressed or transformed."""

import json
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Producer

from replication.codecs.offset_runs import decode
from replication.codecs.record_batch import batches
from replication.domain.batches.batch_decision import BatchHeader
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.domain.settings.record_settings import RecordSettings, read_record_settings
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.kafka_records import create_topic, digest, produce, read_all

pytestmark = pytest.mark.kafka

Stored = Callable[[str], list[BatchHeader]]
PARTITIONS = 2


@pytest.fixture
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """The headers of a topic's batches of partition 0, as a broker keeps them on disk."""

    def read(topic: str) -> list[BatchHeader]:
        folders = tmp_path_factory.getbasetemp().glob("brokers[0-9]*")
        (log,) = (log for folder in folders for log in folder.glob(f"**/{topic}-0/00000000000000000000.log"))
        return [header for _at, header in batches(memoryview(log.read_bytes()))]

    return read


def name(kind: str) -> str:
    return f"{kind}-{uuid.uuid4().hex[:6]}"


def produce_small(bootstrap: str, topic: str, count: int, **settings: Any) -> None:
    """One or few records a batch; every shape of record."""
    now_ms = int(time.time() * 1000) - 86_400_000
    shapes: list[dict[str, Any]] = [
        {"key": b"k", "value": b"v" * 90, "headers": [("a", b"1"), ("a", b"2"), ("null", None), ("empty", b"")]},
        {"key": None, "value": b"no key"},
        {"key": b"tombstone", "value": None},
        {"key": b"", "value": b""},
    ]
    found = ({**shapes[n % 4], "partition": n // 4 % PARTITIONS, "timestamp": now_ms + n} for n in range(count))
    produce(bootstrap, topic, found, **{"linger_ms": 0, "batch_num_messages": 3, **settings})


def assert_equal(lab: SlotLab, topic: str, isolation: str = "read_uncommitted") -> None:
    source = read_all(lab.source_bootstrap, topic, PARTITIONS, isolation)
    target = read_all(lab.target_bootstrap, lab.remote(topic), PARTITIONS)
    assert [digest(partition) for partition in target] == [digest(partition) for partition in source]


def assert_runs_are_true(lab: SlotLab, topic: str, isolation: str = "read_uncommitted") -> None:
    """Every record is where the offset runs say, and they leave none out."""
    source = read_all(lab.source_bootstrap, topic, PARTITIONS, isolation)
    target = read_all(lab.target_bootstrap, lab.remote(topic), PARTITIONS)
    downstream: list[dict[int, int]] = [{} for _ in range(PARTITIONS)]
    for entry in (entry for log in read_all(lab.target_bootstrap, lab.runs_topic, 4) for entry in log):
        segment = decode(entry.key or b"", entry.value or b"")
        if segment.topic == topic:
            for run in segment.runs:
                for step in range(run.length):
                    downstream[segment.partition][run.upstream + step] = run.downstream + step
    for number in range(PARTITIONS):
        found = {record.offset: record for record in target[number]}
        assert {record.offset: found[downstream[number][record.offset]].content for record in source[number]} == {
            record.offset: record.content for record in source[number]
        }


@pytest.mark.parametrize("mode", ["adaptive", "always", "off"])
def test_small_batches_arrive_merged_or_not_with_every_record_and_every_offset(
    lab: SlotLab, stored: Stored, mode: str
) -> None:
    topic = lab.topic(name(f"small-{mode}"), PARTITIONS)
    produce_small(lab.source_bootstrap, topic, 6_000, compression_type="lz4")

    settings = read_record_settings({"srm.rebatching": mode}, identity=False)
    lab.copy_until(lab.spec({topic: PARTITIONS}, records=settings), level(6_000))

    assert_equal(lab, topic)
    assert_runs_are_true(lab, topic)
    before, after = len(stored(topic)), len(stored(lab.remote(topic)))
    assert after == before if mode == "off" else after * 20 < before


def test_merging_goes_over_markers_and_aborted_transactions(lab: SlotLab) -> None:
    topic = lab.topic(name("transactions"), PARTITIONS)
    producer = Producer(
        {"bootstrap.servers": lab.source_bootstrap, "transactional.id": uuid.uuid4().hex, "linger.ms": 0}
    )
    producer.init_transactions(30)
    for transaction in range(20):
        producer.begin_transaction()
        for number in range(8):
            producer.produce(topic, value=f"{transaction}-{number}", partition=number % 2)
        producer.flush(10)
        producer.abort_transaction(30) if transaction % 4 == 1 else producer.commit_transaction(30)

    lab.copy_until(
        lab.spec({topic: PARTITIONS}, isolation_level="read_committed", records=RecordSettings(rebatching="always")),
        level(15 * 8),
    )

    assert_equal(lab, topic, "read_committed")
    assert_runs_are_true(lab, topic, "read_committed")


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_a_flow_may_give_every_batch_another_codec(lab: SlotLab, stored: Stored, codec: str) -> None:
    topic = lab.topic(name(f"codec-{codec}"), PARTITIONS)
    for before in ("none", "gzip", "lz4", "zstd"):
        produce_small(lab.source_bootstrap, topic, 400, compression_type=before, batch_num_messages=100, linger_ms=20)

    settings = read_record_settings({"srm.compression": codec, "srm.rebatching": "off"}, identity=False)
    lab.copy_until(lab.spec({topic: PARTITIONS}, records=settings), level(1_600))

    assert_equal(lab, topic)
    names = ["none", "gzip", "snappy", "lz4", "zstd"]
    assert {names[header.attributes & 7] for header in stored(lab.remote(topic))} == {codec}


def test_records_are_masked_filtered_and_marked_and_those_that_cannot_be_are_kept_aside(lab: SlotLab) -> None:
    topic = lab.topic(name("transforms"), PARTITIONS)
    letters = f"letters-{lab.source.alias}"
    create_topic(lab.target_bootstrap, letters)
    good = [{"value": json.dumps({"card": "4111", "n": n}).encode(), "partition": 0} for n in range(200)]
    bad = [{"value": b"no json", "key": b"bad", "partition": 0}]
    produce(lab.source_bootstrap, topic, [*good[:77], *bad, *good[77:]])
    settings = {
        "transforms": "mask,some,mark",
        "transforms.mask.type": "mask_field",
        "transforms.mask.fields": "card",
        "transforms.some.type": "filter",
        "transforms.some.pattern": r'"n":\d*9[,}]',
        "transforms.mark.type": "insert_header",
        "transforms.mark.header": "from",
        "transforms.mark.value": "west",
        "copy.source.offset.in.header.enabled": "true",
    }

    spec = lab.spec(
        {topic: PARTITIONS},
        records=read_record_settings(settings, identity=False),
        errors=ErrorHandling(policy="dead_letter", dead_letter_topic=letters),
    )
    with lab.running(spec) as handle:
        until(handle, level(180))
        live = handle.live()

    target = read_all(lab.target_bootstrap, lab.remote(topic), PARTITIONS)[0]
    expected = [(n if n < 77 else n + 1, n) for n in range(200) if n % 10 != 9]
    assert [json.loads(record.value or b"") for record in target] == [{"card": "", "n": n} for _, n in expected]
    assert [record.headers for record in target] == [
        (("from", b"west"), ("srm.source.offset", offset.to_bytes(8, "big"))) for offset, _ in expected
    ]
    (letter,) = read_all(lab.target_bootstrap, letters)[0]
    assert (letter.key, letter.value, dict(letter.headers)["__connect.errors.offset"]) == (None, None, b"77")
    assert (live["filtered_total"], live["refused_total"]) == (20, 1)


def test_a_record_no_transform_can_handle_stops_its_partition_where_that_is_the_policy(lab: SlotLab) -> None:
    topic = lab.topic(name("stops"), PARTITIONS)
    good = [{"value": b"{}", "partition": n % 2} for n in range(10)]
    produce(lab.source_bootstrap, topic, [*good, {"value": b"no json", "partition": 0}, *good])
    settings = {"transforms": "t", "transforms.t.type": "drop_field", "transforms.t.fields": "x"}

    spec = lab.spec({topic: PARTITIONS}, records=read_record_settings(settings, identity=False))
    with lab.running(spec) as handle:
        until(handle, lambda live: live.get("records_total") == 15 and live["states"].get("failed") == 1)
        cause = handle.live()["cause"]

    assert cause["code"] == "record_refused"
    assert "offset 5 cannot be copied: transform 't': its value is no JSON" in cause["text"]
