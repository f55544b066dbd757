"""Tiny batches and 200 ms to the target: passed on one by one they would crawl, merged they keep up."""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from confluent_kafka import Producer

from replication.domain.settings.record_settings import RecordSettings
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.ports import LOOPBACK, free_port
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import digest, read_all
from tests.support.servers.listeners import start_with_second_listener
from tests.support.servers.proxy import SlowLink

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.timeout(180)]

RATE = 500
SECONDS = 15
ROUND_TRIP_S = 0.2
PASSED_ON_PER_SECOND = 5 / ROUND_TRIP_S  # five batches in flight, one record each


@pytest.fixture
def far(dev_clusters: DevClusters) -> Iterator[tuple[SlotLab, SlowLink]]:
    """A lab whose target can be moved away from the engine, not from the test."""
    link = SlowLink(free_port())
    near = start_with_second_listener(dev_clusters, "near-small")
    away = start_with_second_listener(dev_clusters, "far-small", advertised_port=link.port)
    link.upstream_port = away.second_port
    lab = SlotLab(TwoClusters(source=near.cluster, target=away.cluster))
    yield lab, link
    link.one_way_s = 0.0
    lab.close()
    link.close()
    dev_clusters.stop(["near-small", "far-small"])


@contextmanager
def writing(bootstrap: str, topic: str) -> Iterator[None]:
    """One record a batch, at an even pace, into one partition."""
    over = threading.Event()

    def write() -> None:
        producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
        began_s, number = time.perf_counter(), 0
        while not over.is_set():
            producer.produce(topic, f"{number}".rjust(100).encode(), partition=0)
            producer.poll(0)
            number += 1
            over.wait(max(0.0, began_s + number / RATE - time.perf_counter()))
        producer.flush(10)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def test_a_far_target_keeps_up_with_a_topic_of_one_record_batches(far: tuple[SlotLab, SlowLink]) -> None:
    lab, link = far
    topic = lab.topic(f"tiny-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1}, records=RecordSettings(rebatching="adaptive"))
    spec = replace(spec, target=replace(spec.target, bootstrap=(f"{LOOPBACK}:{link.port}",)))

    with lab.running(spec) as handle:
        until(handle, lambda live: live.get("state") == "running")
        link.one_way_s = ROUND_TRIP_S / 2
        with writing(lab.source_bootstrap, topic):
            time.sleep(SECONDS)  # the pace of the traffic
            copied_per_second = handle.live()["records_total"] / SECONDS
        until(handle, lambda live: live.get("lag_offsets") == 0, 15)
        link.one_way_s = 0.0

    assert copied_per_second > 5 * PASSED_ON_PER_SECOND
    (source,), (target,) = read_all(lab.source_bootstrap, topic), read_all(lab.target_bootstrap, lab.remote(topic))
    assert digest(source) == digest(target)
