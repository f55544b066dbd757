"""Clusters of other Kafka versions: a 3.9 broker on either side, and brokers that know no more than Kafka 2.8."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest

from replication.domain.control.orders import Hold
from srm_cli.dev_clusters.registry import LocalCluster
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, delete_topic, produce, read_all

pytestmark = pytest.mark.kafka

RECORDS = 300
OLDEST = "2.8"


@pytest.fixture(params=["from 3.9 to 4.1", "from 4.1 to 3.9"])
def lab(request: pytest.FixtureRequest, old_kafka: LocalCluster, kafka_cluster: LocalCluster) -> Iterator[SlotLab]:
    new = kafka_cluster
    clusters = {
        "from 3.9 to 4.1": TwoClusters(source=old_kafka, target=new),
        "from 4.1 to 3.9": TwoClusters(source=new, target=old_kafka),
    }
    slot_lab = SlotLab(clusters[request.param])
    yield slot_lab
    slot_lab.close()


def speaking(lab: SlotLab, version: str) -> None:
    """Let both links speak no newer protocol than this version's."""
    client = {"srm.protocol.version": version}
    lab.source = replace(lab.source, client=client)
    lab.target = replace(lab.target, client=client)


@pytest.mark.parametrize("version", [None, "3.1", OLDEST])
@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_records_arrive_once_and_in_order_across_versions(lab: SlotLab, version: str | None, delivery: str) -> None:
    if version is not None:
        speaking(lab, version)
    topic = lab.topic(f"versions-{lab.source.alias}", 2)
    for compression in ("none", "zstd"):
        records = ({"value": b"%d" % number, "partition": number % 2} for number in range(RECORDS))
        produce(lab.source_bootstrap, topic, records, compression_type=compression)

    spec = lab.spec({topic: 2}, delivery=delivery, isolation_level="read_committed")
    lab.copy_until(spec, level(2 * RECORDS))
    produce(lab.source_bootstrap, topic, [{"value": b"after a restart", "partition": 0}])
    lab.copy_until(spec, level(1))

    for partition, copied in enumerate(read_all(lab.target_bootstrap, lab.remote(topic), 2)):
        once = [b"%d" % number for number in range(partition, RECORDS, 2)]
        expected = [*once, *once, *([b"after a restart"] if partition == 0 else [])]
        assert [record.value for record in copied] == expected


@pytest.mark.parametrize("version", [None, OLDEST])
def test_a_longer_topic_re_created_under_the_name_is_not_taken_for_the_old_one(
    lab: SlotLab, version: str | None
) -> None:
    """The stored offset and leader epoch fit the new topic: only its id tells."""
    if version is not None:
        speaking(lab, version)
    topic = lab.topic(f"again-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, [{"value": b"old %d" % number} for number in range(20)])
    spec = lab.spec({topic: 1})
    with lab.running(spec) as handle:
        until(handle, level(20))
        handle.update(replace(spec, holds=(Hold(topic=topic),)))
        until(handle, lambda live: live["states"] == {"paused": 1})
        delete_topic(lab.source_bootstrap, topic)
        create_topic(lab.source_bootstrap, topic)
        produce(lab.source_bootstrap, topic, [{"value": b"new %d" % number} for number in range(50)])
        handle.update(spec)
        until(handle, level(70))

    copied = [record.value for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]]
    assert copied == [*(b"old %d" % number for number in range(20)), *(b"new %d" % number for number in range(50))]
    gaps = [json.loads(record.value or b"") for record in read_all(lab.target_bootstrap, lab.gaps_topic)[0]]
    assert [(gap["cause"], gap["from_offset"]) for gap in gaps] == [("topic_recreated", 20)]
