"""Previews, topic states and config drift, over two clusters in memory."""

import pytest

from replication.connectors.questions.drift_report import report_drift, set_again
from replication.connectors.questions.flow_request import FlowRequest
from replication.connectors.questions.topic_lists import list_states, preview_patterns
from replication.domain.desired.desired_document import DesiredFlow, NamePatterns
from replication.domain.errors import ClusterUnreachableError, InvalidPatternError
from replication.domain.identifiers import FlowId
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from tests.support.engine.planning import connect

FLOW = DesiredFlow(source="east", topics=NamePatterns(allow=("orders", "bills")))
NO_KEYS: frozenset[str] = frozenset()


@pytest.fixture
def clusters() -> tuple[MemoryCluster, MemoryCluster]:
    east, west = MemoryCluster("east"), MemoryCluster("west")
    east.create("orders", configs={"retention.ms": "1000"})
    east.create("bills", configs={"retention.ms": "7"})
    east.create("Orders")
    return east, west


def _request(clusters: tuple[MemoryCluster, MemoryCluster], *, most: int = 100) -> FlowRequest:
    east, west = clusters
    return FlowRequest(
        id=FlowId("east", "west"),
        flow=FLOW,
        plan=connect(east, west, FLOW).run_once(None, 0),
        source=MemoryAdmin(east),
        target=MemoryAdmin(west),
        most_names=most,
    )


def test_a_preview_uses_the_given_patterns(clusters: tuple[MemoryCluster, MemoryCluster]) -> None:
    found = preview_patterns(_request(clusters), NamePatterns(allow=("orders",)))

    assert [(each.topic, each.is_replicated) for each in found.matches] == [("orders", True)]
    assert [each.name for each in found.near_misses] == ["Orders"]


def test_a_preview_refuses_an_invalid_pattern(clusters: tuple[MemoryCluster, MemoryCluster]) -> None:
    with pytest.raises(InvalidPatternError):
        preview_patterns(_request(clusters), NamePatterns(allow=("(",)))


def test_states_come_in_pages(clusters: tuple[MemoryCluster, MemoryCluster]) -> None:
    request = _request(clusters, most=1)

    first = list_states(request, state="replicated", search="", after="")
    second = list_states(request, state="replicated", search="", after=first.next_after or "")

    assert [each.topic for each in (*first.items, *second.items)] == ["bills", "orders"]
    assert (first.next_after, second.next_after) == ("bills", None)
    assert first.counts == {"replicated": 2, "available": 1, "denied": 1}  # the offset syncs


def test_drift_is_listed_and_set_again_for_the_chosen_topic_only(
    clusters: tuple[MemoryCluster, MemoryCluster],
) -> None:
    request, west = _request(clusters), clusters[1]
    for name in ("east.orders", "east.bills"):
        west.topics[name].configs["retention.ms"] = "5"

    before = report_drift(request)
    result = set_again(request, ["orders", "nothing"], NO_KEYS)

    assert [(each.topic, each.key, each.is_synced) for each in before.items] == [
        ("bills", "retention.ms", True),
        ("orders", "retention.ms", True),
    ]
    assert [(each.topic, each.state, each.keys) for each in result.items] == [
        ("orders", "set", ("retention.ms",)),
        ("nothing", "refused", ()),
    ]
    assert west.topics["east.orders"].configs["retention.ms"] == "1000"
    assert west.topics["east.bills"].configs["retention.ms"] == "5"


def test_setting_again_without_drift_changes_nothing(clusters: tuple[MemoryCluster, MemoryCluster]) -> None:
    (result,) = set_again(_request(clusters), ["orders"], NO_KEYS).items

    assert (result.state, result.text) == ("unchanged", "nothing differs")


def test_a_key_that_the_flow_does_not_set_is_refused_with_the_reason(
    clusters: tuple[MemoryCluster, MemoryCluster],
) -> None:
    request = _request(clusters)
    clusters[0].topics["orders"].configs["min.insync.replicas"] = "2"

    (result,) = set_again(request, ["orders"], frozenset(["min.insync.replicas"])).items

    assert result.state == "refused"
    assert "config.properties.exclude" in result.text


def test_a_dead_target_is_an_error_with_its_name(clusters: tuple[MemoryCluster, MemoryCluster]) -> None:
    request = _request(clusters)
    clusters[1].is_up = False

    with pytest.raises(ClusterUnreachableError, match="west"):
        report_drift(request)
