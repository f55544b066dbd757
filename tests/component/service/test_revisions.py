"""A flow's answer shows how far drivers are with its desired state."""

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.flows.publishing import publish
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]


def test_a_flow_shows_the_desired_revision_what_tasks_applied_and_what_was_rejected(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    flow, now = ("us-east", "eu-central"), at_ms()
    publish("eu-central")
    rejected = [{"path": "flows[1].tasks_max", "error": "must be a whole number", "source": "us-east"}]
    put(
        live_redis,
        live.source_task(*flow, now, applied_revision=1, rejected=rejected),
        live.heartbeat_task(*flow, now, applied_revision=0, rejected=rejected),
    )

    behind = viewer.get("/api/v2/replications/us-east/eu-central").json()["revisions"]
    put(live_redis, live.heartbeat_task(*flow, now, applied_revision=1, rejected=[]))
    listed = viewer.get("/api/v2/replications").json()["items"][0]["revisions"]

    assert (behind["desired"], behind["is_applied"], behind["rejected"]) == (1, False, rejected)
    assert [(task["kind"], task["applied"]) for task in behind["tasks"]] == [("source", 1), ("heartbeat", 0)]
    assert listed["is_applied"] is True


def test_revisions_without_reports_are_unknown(viewer: APIClient, one_flow: str) -> None:
    revisions = viewer.get("/api/v2/replications/us-east/eu-central").json()["revisions"]

    assert revisions == {"desired": None, "is_applied": None, "tasks": [], "rejected": []}
