"""Names of live topics."""

import pytest

from replication.domain.identifiers import FlowId
from srm_service.live.topic_names import MOST_KEYS, LiveTopic, UnknownTopicError, parsed_topic


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("flows", LiveTopic(kind="flows")),
        ("flow/a/b", LiveTopic(kind="flow", flow=FlowId("a", "b"))),
        ("flow/a/b/topics?keys=x", LiveTopic(kind="topics", flow=FlowId("a", "b"), keys=("x",))),
        (
            "flow/a%2Fc/b/topics?keys=x,y%2Cz&keys=x",
            LiveTopic(kind="topics", flow=FlowId("a/c", "b"), keys=("x", "y", "z")),
        ),
    ],
)
def test_a_name_is_a_topic(name: str, parsed: LiveTopic) -> None:
    assert parsed_topic(name) == parsed


@pytest.mark.parametrize(
    "name",
    [
        *("", "flow", "flow/a", "flow/a/", "flow//b", "flow/a/b/c", "flow/a/b/topics", "flow/a/b/topics?keys="),
        *("flow/a/b?keys=x", "flow/a/b/topics?other=x", "flow/a/b/topics?keys=x&limit=1", "flows?keys=x"),
        "flow/a/b/topics?keys=" + ",".join(map(str, range(MOST_KEYS + 1))),
    ],
)
def test_other_names_are_refused_with_those_that_exist(name: str) -> None:
    with pytest.raises(UnknownTopicError, match="topic"):
        parsed_topic(name)
