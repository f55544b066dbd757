"""The topics a flow keeps its books in follow its settings."""

import pytest

from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.topics.internal_topics import target_topics, tune_compaction
from replication.domain.errors import ConfigurationError
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.ports.admin import NewTopic


def made(settings: dict[str, str]) -> dict[str, int]:
    topics = target_topics("east", SourceSettings.of(settings), 3)
    return {topic.name: topic.partitions for topic in topics if "letters" in topic.name}


@pytest.mark.parametrize(
    ("settings", "topics"),
    [
        ({}, {}),
        ({"errors.tolerance": "all"}, {}),
        ({"srm.errors.policy": "dead_letter"}, {"srm-dead-letters.east.internal": 1}),
        ({"errors.deadletterqueue.topic.name": "letters"}, {"letters": 1}),
    ],
)
def test_a_topic_for_dead_letters_is_made_where_they_are_kept(settings: dict[str, str], topics: dict[str, int]) -> None:
    assert made(settings) == topics


def test_nonsense_about_errors_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"errors\.tolerance"):
        made({"errors.tolerance": "maybe"})


def test_raw_metrics_are_deleted_soon_after_a_day() -> None:
    [raw] = [each for each in target_topics("east", SourceSettings.of({}), 3) if "metrics" in each.name]

    assert int(raw.configs["segment.ms"]) <= int(raw.configs["retention.ms"]) // 24


INTERNAL = ("mm2-offsets.east.internal", "srm-offset-runs.east.internal")


def a_cluster_with_internal_topics(**chosen: str) -> MemoryAdmin:
    admin = MemoryAdmin(MemoryCluster("west"))
    configs = {"cleanup.policy": "compact", **{key.replace("_", "."): value for key, value in chosen.items()}}
    admin.create_topics([NewTopic(name=name, partitions=1, replication_factor=1, configs=configs) for name in INTERNAL])
    return admin


def test_internal_topics_that_every_start_reads_are_compacted_often() -> None:
    admin = a_cluster_with_internal_topics()

    assert tune_compaction(admin, "east") == ()

    for configs in admin.topic_configs(INTERNAL).values():
        assert int(configs["segment.bytes"].value or 0) == 32 * 1024 * 1024
        assert int(configs["max.compaction.lag.ms"].value or 0) <= 600_000


def test_what_somebody_chose_for_the_internal_topics_stays() -> None:
    admin = a_cluster_with_internal_topics(segment_bytes="1000000", cleanup_policy="compact,delete")

    tune_compaction(admin, "east")

    configs = admin.topic_configs(INTERNAL)[INTERNAL[0]]
    assert (configs["segment.bytes"].value, configs["cleanup.policy"].value) == ("1000000", "compact,delete")
    assert configs["max.compaction.lag.ms"].source == "topic"


def test_internal_topics_that_are_not_compacted_are_left_alone() -> None:
    admin = a_cluster_with_internal_topics(cleanup_policy="delete")

    tune_compaction(admin, "east")

    assert admin.topic_configs(INTERNAL)[INTERNAL[0]]["segment.bytes"].source == "default"


def test_internal_topics_that_cannot_be_seen_are_looked_at_again() -> None:
    assert tune_compaction(MemoryAdmin(MemoryCluster("west")), "east") is None
