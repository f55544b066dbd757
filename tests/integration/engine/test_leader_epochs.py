"""Positions of leader epochs that the source does not have, on a real broker."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.codecs.position_records import position_records
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.leader_epochs import Epochs, EpochStart
from replication.domain.offsets.positions import Position
from replication.tasks.fetch import rejected_offsets
from replication.wire.fetch.batch_fetcher import WireBatchFetcher
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from tests.support.engine.auditor import recorded_gaps
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.brokers import Brokers
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import produce, read_all, topic_id

pytestmark = pytest.mark.kafka

ALIAS = "epochs"
MOST_FETCHES_PER_S = 5


@pytest.fixture
def broker(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    """A source whose only broker can be restarted: each restart begins two leader epochs, of which one is empty."""
    brokers = Brokers(dev_clusters, kafka_jars, ALIAS, brokers=1)
    yield brokers
    brokers.close()


@pytest.fixture
def lab(broker: Brokers, dev_clusters: DevClusters, kafka_cluster: LocalCluster) -> Iterator[SlotLab]:
    slot_lab = SlotLab(TwoClusters(source=dev_clusters.all()[ALIAS], target=kafka_cluster))
    yield slot_lab
    slot_lab.close()


def write(lab: SlotLab, topic: str, first: int, end: int) -> None:
    produce(lab.source_bootstrap, topic, ({"value": f"{number}"} for number in range(first, end)), linger_ms=1)


def store(lab: SlotLab, topic: str, offset: int, epoch: int, epochs: Epochs = ()) -> None:
    """Write the position as an earlier slot did."""
    position = Position(
        next_offset=offset,
        topic_id=topic_id(lab.source_bootstrap, topic),
        leader_epoch=epoch,
        epochs=epochs,
    )
    for number, records in position_records(lab.source.alias, {TopicPartition(topic, 0): position}, 5, 0).items():
        stored = [
            {"key": one.key, "value": one.value, "headers": list(one.headers), "partition": number} for one in records
        ]
        produce(lab.target_bootstrap, lab.positions_topic, stored)


def copied(lab: SlotLab, topic: str) -> list[int]:
    return [int(record.value or b"") for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]]


def gaps(lab: SlotLab) -> list[tuple[str, int, int | None]]:
    found = recorded_gaps(lab.target_bootstrap, lab.source.alias)
    return [(gap["cause"], gap["from_offset"], gap["to_offset"]) for gap in found]


def test_an_epoch_that_the_source_never_had_stalls_without_a_hot_loop_and_becomes_a_gap(
    lab: SlotLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejected_offsets, "PATIENCE_S", 6.0)
    fetches: list[float] = []
    fetch = WireBatchFetcher.fetch

    async def counted(self: WireBatchFetcher, node: int, **limits: int) -> object:
        fetches.append(lab.engine._loop.monotonic_s())
        return await fetch(self, node, **limits)

    monkeypatch.setattr(WireBatchFetcher, "fetch", counted)
    topic = lab.topic(f"unknown-{uuid.uuid4().hex[:6]}")
    write(lab, topic, 0, 100)
    store(lab, topic, 40, epoch=99)

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, lambda live: (live.get("cause") or {}).get("code") == "offset_rejected")
        assert handle.live()["states"] == {"stalled": 1}
        until(handle, level(60))

    waited_s = 6.0
    tried = [moment for moment in fetches if moment < fetches[0] + waited_s]
    assert len(tried) <= MOST_FETCHES_PER_S * waited_s
    assert copied(lab, topic) == list(range(40, 100))
    assert gaps(lab) == [("epoch_divergence", 40, None)]


def test_a_divergence_ahead_of_the_position_leaves_no_readable_record_out(lab: SlotLab, broker: Brokers) -> None:
    topic = lab.topic(f"ahead-{uuid.uuid4().hex[:6]}")
    write(lab, topic, 0, 100)
    broker.stop(1)
    broker.start(1)
    write(lab, topic, 100, 160)
    store(lab, topic, 40, epoch=1)  # between the epochs of the two halves: the first one ends at 100

    lab.copy_until(lab.spec({topic: 1}), level(120))

    assert copied(lab, topic) == list(range(40, 160))
    assert gaps(lab) == [("epoch_divergence", 40, None)]


def test_the_epochs_of_a_position_show_where_the_logs_part(lab: SlotLab, broker: Brokers) -> None:
    topic = lab.topic(f"parted-{uuid.uuid4().hex[:6]}")
    write(lab, topic, 0, 100)
    broker.stop(1)
    broker.start(1)
    write(lab, topic, 100, 160)
    store(lab, topic, 120, epoch=1, epochs=(EpochStart(0, 0), EpochStart(1, 70)))

    lab.copy_until(lab.spec({topic: 1}), level(90))

    assert copied(lab, topic) == list(range(70, 160))
    assert gaps(lab) == [("epoch_divergence", 70, 120)]
