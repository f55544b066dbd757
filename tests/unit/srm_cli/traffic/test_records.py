"""The demonstration's records look like records."""

import json
import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from srm_cli.system.demo_flows import ALIASES
from srm_cli.traffic.records import make_record
from srm_cli.traffic.topics import GROUPS, TOPICS

_ORDERS = next(topic for topic in TOPICS if topic.name == "orders")


@given(seed=st.integers(0, 2**32), size=st.integers(150, 5_000))
def test_values_are_json_of_about_the_wanted_size(seed: int, size: int) -> None:
    record = make_record(replace(_ORDERS, value_bytes=size), 7, 1_700_000_000_000, random.Random(seed))
    assert record.value is not None
    assert json.loads(record.value)["id"] == 7
    assert abs(len(record.value) - size) <= 2


def test_tombstones_come_with_keys() -> None:
    topic = replace(_ORDERS, tombstone_ratio=1.0)
    record = make_record(topic, 1, 1_700_000_000_000, random.Random(1))
    assert record.value is None
    assert record.key is not None


def test_rates_swing_around_their_mean_and_stay_positive() -> None:
    for topic in TOPICS:
        rates = [topic.rate_at(second) for second in range(int(topic.period_seconds))]
        assert min(rates) > 0
        assert abs(sum(rates) / len(rates) - topic.mean_per_second) < 0.01 * topic.mean_per_second


def test_every_topic_belongs_to_a_cluster_of_the_demonstration() -> None:
    assert {topic.cluster for topic in TOPICS} <= set(ALIASES)


def test_every_group_reads_topics_of_its_cluster() -> None:
    for group in GROUPS:
        assert set(group.topics) <= {topic.name for topic in TOPICS if topic.cluster == group.cluster}
