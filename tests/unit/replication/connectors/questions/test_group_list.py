"""Patterns select consumer groups of a cluster in memory; the others have a reason."""

from dataclasses import replace

import pytest

from replication.connectors.questions.flow_request import FlowRequest
from replication.connectors.questions.group_list import preview_groups
from replication.domain.desired.desired_document import DesiredFlow, NamePatterns
from replication.domain.errors import ClusterUnreachableError, ConfigurationError, InvalidPatternError
from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import FlowId, TopicPartition
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from tests.support.groups.memory_ports import memory_group_admins

ALL = NamePatterns(allow=(".*",))


@pytest.fixture
def east() -> MemoryCluster:
    """Groups by what they read: topics of the flow, others, nothing that has an offset."""
    east = MemoryCluster("east")
    for group, topics in {"billing": ("orders", "bills"), "Billing": ("orders",), "logs": ("logs",)}.items():
        for topic in topics:
            east.group(group).commits[TopicPartition(topic, 0)] = Commit(1)
    east.group("queue").type = "share"
    return east


@pytest.fixture
def request_(east: MemoryCluster) -> FlowRequest:
    west = MemoryCluster("west")
    return FlowRequest(
        id=FlowId("east", "west"),
        flow=DesiredFlow(source="east", topics=NamePatterns(allow=("orders", "bills"))),
        plan=None,
        source=MemoryAdmin(east),
        target=MemoryAdmin(west),
        open_group_admins=lambda: memory_group_admins(east, west),
        now_ms=1,
    )


def test_matches_count_the_topics_of_the_flow_that_a_group_has_offsets_of(request_: FlowRequest) -> None:
    found = preview_groups(request_, ALL)

    assert {each.group: (each.topics, each.type, each.state) for each in found.matches} == {
        "billing": (2, "classic", "empty"),
        "Billing": (1, "classic", "empty"),
    }
    assert found.on_source == 4


def test_groups_that_would_not_be_translated_have_the_reason(request_: FlowRequest) -> None:
    reasons = {each.group: each.reason for each in preview_groups(request_, ALL).skipped}

    assert reasons == {
        "logs": "it has no committed offset on a topic of the flow",
        "queue": "a share group has no offset per partition that could be translated",
    }


def test_denied_groups_name_the_rule(request_: FlowRequest) -> None:
    found = preview_groups(request_, NamePatterns(allow=(".*",), deny=("[Bb]ill.*",)))

    assert {each.group: each.reason for each in found.denied} == {
        "billing": "the deny pattern [Bb]ill.* matches it",
        "Billing": "the deny pattern [Bb]ill.* matches it",
    }
    assert found.matches == ()


def test_near_misses_and_patterns_without_a_group_are_named(request_: FlowRequest) -> None:
    found = preview_groups(request_, NamePatterns(allow=("billing", "nothing")))

    assert [(each.name, each.kind) for each in found.near_misses] == [("Billing", "case")]
    assert found.unmatched_patterns == ("nothing",)


def test_lists_are_bounded_and_counted(request_: FlowRequest) -> None:
    found = preview_groups(replace(request_, most_names=1), ALL)

    assert (len(found.matches), len(found.skipped)) == (1, 1)
    assert (found.counts["matches"], found.counts["skipped"]) == (2, 2)


def test_an_invalid_pattern_is_refused_before_the_source_is_asked(request_: FlowRequest, east: MemoryCluster) -> None:
    east.is_up = False

    with pytest.raises(InvalidPatternError):
        preview_groups(request_, NamePatterns(allow=("(",)))


def test_a_dead_source_is_an_error_with_its_name(request_: FlowRequest, east: MemoryCluster) -> None:
    east.is_up = False

    with pytest.raises(ClusterUnreachableError, match="east"):
        preview_groups(request_, ALL)


def test_a_driver_that_cannot_ask_for_groups_says_so(request_: FlowRequest) -> None:
    with pytest.raises(ConfigurationError, match="cannot ask for consumer groups"):
        preview_groups(replace(request_, open_group_admins=None), ALL)
