"""The topics a flow keeps its books in follow its settings."""

import pytest

from replication.connectors.internal_topics import target_topics
from replication.connectors.source_settings import SourceSettings
from replication.domain.errors import ConfigurationError


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
