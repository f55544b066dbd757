"""Flows that do not exist yet: their patterns are previewed, their settings planned, and they are created paused."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from srm_service.configuration.selectors import current_version
from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH
from tests.component.service.test_planning import _PLAN, _only_flow
from tests.support.drivers.memory_control_worker import MemoryControlWorker

pytestmark = [BOTH, pytest.mark.redis]
_WITHOUT_A_FLOW = "/api/v2/replications/eu-central/us-east"


@pytest.fixture
def new_target(live_redis: redis.Redis, settings: Any, one_flow: str) -> Iterator[MemoryControlWorker]:
    """Leads us-east, which no flow has as its target yet."""
    found = MemoryControlWorker(settings.SRM_REDIS_URL, settings.SRM_TRANSPORT_KEYS, frozenset(["us-east"]))
    for topic in ("orders", "Orders"):
        found.cluster("eu-central").create(topic, partitions=1)
    with found.answering():
        yield found


def test_a_preview_of_a_flow_that_does_not_exist_names_its_topics_and_stores_nothing(
    viewer: APIClient, new_target: MemoryControlWorker
) -> None:
    version = current_version()

    answer = viewer.post(f"{_WITHOUT_A_FLOW}/preview", {"allow": ["orders"]}, format="json")

    assert answer.status_code == 200, answer.content
    assert [each["remote"] for each in answer.json()["matches"]] == ["eu-central.orders"]
    assert [each["name"] for each in answer.json()["near_misses"]] == ["Orders"]
    assert (current_version(), Flow.objects.count()) == (version, 1)


def test_a_preview_names_remote_topics_by_the_policy_of_the_request(
    viewer: APIClient, new_target: MemoryControlWorker
) -> None:
    body = {"allow": ["orders"], "policy": {"kind": "template", "template": "{topic}.from.{source}"}}

    answer = viewer.post(f"{_WITHOUT_A_FLOW}/preview", body, format="json")

    assert [each["remote"] for each in answer.json()["matches"]] == ["orders.from.eu-central"]


def test_a_preview_of_groups_counts_the_topics_of_the_request(
    viewer: APIClient, new_target: MemoryControlWorker
) -> None:
    source = new_target.cluster("eu-central")
    for group, topic in {"billing": "orders", "mailer": "Orders", "test-1": "orders"}.items():
        source.group(group).commits[TopicPartition(topic, 0)] = Commit(1)
    body = {"allow": [".*"], "deny": ["test-.*"], "topics_allow": ["orders"]}

    answer = viewer.post(f"{_WITHOUT_A_FLOW}/preview/groups", body, format="json")

    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert [(each["group"], each["topics"]) for each in found["matches"]] == [("billing", 1)]
    assert [each["group"] for each in found["skipped"]] == ["mailer"]
    assert found["denied"] == [{"group": "test-1", "reason": "the deny pattern test-.* matches it"}]
    assert found["on_source"] == 3


def test_a_preview_of_groups_of_a_dead_source_is_answered_with_its_name(
    viewer: APIClient, new_target: MemoryControlWorker
) -> None:
    new_target.cluster("eu-central").is_up = False

    answer = viewer.post(f"{_WITHOUT_A_FLOW}/preview/groups", {"allow": [".*"]}, format="json")

    assert answer.status_code == 503
    assert "eu-central" in answer.json()["detail"]


@pytest.mark.parametrize("body", [{}, {"allow": ["("]}, {"allow": [".*"], "topics_deny": ["("]}])
def test_patterns_of_groups_that_are_none_are_refused(viewer: APIClient, one_flow: str, body: dict[str, Any]) -> None:
    assert viewer.post(f"{_WITHOUT_A_FLOW}/preview/groups", body, format="json").status_code == 400


def test_the_settings_of_a_new_flow_are_planned(operator: APIClient, new_target: MemoryControlWorker) -> None:
    wanted = {"source": "eu-central", "target": "us-east", "topics_allow": ["orders"], "tasks_max": 3}

    answer = operator.post(_PLAN, {"flow": wanted}, format="json")

    assert answer.status_code == 200, answer.content
    flow = _only_flow(answer.json())
    assert (flow["source"], flow["target"], flow["outcome"]) == ("eu-central", "us-east", "created")
    assert flow["changes"]["topics_added"] == ["orders"]
    assert Flow.objects.count() == 1


def test_a_plan_of_a_flow_with_an_unknown_cluster_is_refused(operator: APIClient, one_flow: str) -> None:
    answer = operator.post(_PLAN, {"flow": {"source": "nowhere", "target": "us-east"}}, format="json")

    assert answer.status_code == 400
    assert "There is no cluster nowhere" in answer.json()["detail"]


def test_a_flow_is_created_paused_with_the_comment_as_its_reason(operator: APIClient, one_flow: str) -> None:
    wanted = {"source": "eu-central", "target": "us-east", "paused": True, "comment": "after the review"}

    answer = operator.post("/api/v2/replications", wanted, format="json")

    assert answer.status_code == 201, answer.content
    flow = Flow.objects.get(source__alias="eu-central")
    assert (flow.state, flow.pause_reason) == ("pause", "after the review")
