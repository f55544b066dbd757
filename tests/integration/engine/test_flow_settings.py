"""Settings of a flow that change how it copies, never what."""

import uuid

import pytest

from replication.domain.settings.fetch_limits import FetchLimits
from tests.support.engine.slots import SlotLab, level
from tests.support.kafka.kafka_records import digest, end_offsets, produce, read_all

pytestmark = pytest.mark.kafka


def test_small_fetches_copy_everything_and_no_syncs_are_written_where_none_are_wanted(lab: SlotLab) -> None:
    topic = lab.topic(f"limited-{uuid.uuid4().hex[:6]}", 2)
    produce(lab.source_bootstrap, topic, [{"value": b"v" * 500, "partition": number % 2} for number in range(4_000)])
    limits = FetchLimits(max_bytes=20_000, partition_max_bytes=10_000, max_wait_ms=10)

    lab.copy_until(lab.spec({topic: 2}, fetch_limits=limits, writes_offset_syncs=False), level(4_000))

    source = read_all(lab.source_bootstrap, topic, 2)
    target = read_all(lab.target_bootstrap, lab.remote(topic), 2)
    assert [digest(partition) for partition in source] == [digest(partition) for partition in target]
    assert end_offsets(lab.source_bootstrap, lab.syncs_topic, 1) == [0]
