"""Partitions whose remote topic is gone, with more behind them than memory holds: the others of their slot continue."""

import os
import uuid
from collections.abc import Iterator

import pytest

from tests.support.engine.auditor import audit_topic
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, delete_topic, produce

pytestmark = pytest.mark.kafka

PARTITIONS = 64
RECORDS_EACH = 30
RECORD_BYTES = 50_000  # of noise, a batch each: 96 MB in all, and slot and pool have 32 MB each


@pytest.fixture
def lab(two_clusters: TwoClusters) -> Iterator[SlotLab]:
    slot_lab = SlotLab(two_clusters)
    yield slot_lab
    slot_lab.close()


@pytest.mark.timeout(180)
def test_a_backlog_without_a_remote_topic_stops_no_other_partition(lab: SlotLab) -> None:
    name = uuid.uuid4().hex[:6]
    stuck, well = lab.topic(f"stuck-{name}", PARTITIONS), lab.topic(f"well-{name}", 2)
    noise = [os.urandom(RECORD_BYTES) for _ in range(10)]
    backlog = [
        {"key": str(number), "value": noise[number % 10], "partition": number % PARTITIONS}
        for number in range(PARTITIONS * RECORDS_EACH)
    ]

    with lab.running(lab.spec({stuck: PARTITIONS, well: 2})) as handle:
        produce(lab.source_bootstrap, stuck, backlog[:PARTITIONS], batch_num_messages=1)
        lab.wait_committed(handle, stuck, PARTITIONS)
        delete_topic(lab.target_bootstrap, lab.remote(stuck))
        produce(lab.source_bootstrap, stuck, backlog[PARTITIONS:], batch_num_messages=1)
        until(handle, lambda live: live.get("states", {}).get("stalled", 0) == PARTITIONS, 90)
        for round_number in range(3):
            produce(
                lab.source_bootstrap,
                well,
                [{"key": str(n), "value": f"{round_number}-{n}", "partition": n % 2} for n in range(500)],
            )
            lab.wait_committed(handle, well, 2, timeout_s=30)

        create_topic(lab.target_bootstrap, lab.remote(stuck), PARTITIONS)
        lab.wait_committed(handle, stuck, PARTITIONS)

    went_with_it = {number: [range(1)] for number in range(PARTITIONS)}
    both = lab.source_bootstrap, lab.target_bootstrap
    audit_topic(*both, stuck, lab.remote(stuck), PARTITIONS, excused=went_with_it).check()
    audit_topic(*both, well, lab.remote(well), 2).check()
