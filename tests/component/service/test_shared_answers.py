"""Answers that equal requests share: the first reader pays, rights are checked each time, orders are seen at once."""

import gzip
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from django.contrib.auth.models import Group, User
from django.db import connections
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from srm_service.monitoring.api import shared_answers
from srm_service.trail.contracts import TrailSubject
from srm_service.trail.models import TrailEntry
from srm_service.trail.selectors import trail_version
from srm_service.trail.services import record
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")
_LIST = "/api/v2/replications"
_PACKED = {"Accept-Encoding": "gzip, br"}


def test_the_second_reader_gets_the_bytes_of_the_first_without_reading_the_metrics_store(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_answers._bodies, "_seconds", 60.0)
    tiles.now_row(tiles.series(*_FLOW, "orders", partition=0), at_ms())
    flow, lag = f"{_LIST}/us-east/eu-central", "metric=lag_offsets&from_ms=0&to_ms=60000"
    for path in (
        _LIST,
        f"{flow}/topics",
        f"{flow}/topics/orders/partitions",
        f"{flow}/groups?topic=orders",
        f"{flow}/group-partitions",
        f"{flow}/series?{lag}",
        f"/api/v2/clusters/us-east/series?{lag}&direction=out",
        f"/api/v2/metrics/flows?{lag}",
        "/api/v2/drivers",
        "/api/v2/metrics/summary",
    ):
        first = viewer.get(path)
        with CaptureQueriesContext(connections["metrics"]) as queries:
            second = viewer.get(path)

        assert (first.status_code, second.content) == (200, first.content), path
        assert len(queries) == 0, path


def test_another_query_has_another_answer(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    assert one_flow in {f"{row['source']}->{row['target']}" for row in viewer.get(_LIST).json()["items"]}
    assert viewer.get(_LIST, {"source": "eu-central"}).json()["items"] == []


def test_a_person_gets_the_rights_of_the_own_role(
    viewer: APIClient, operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    read, act = (client.get(_LIST).json()["items"][0]["permissions"] for client in (viewer, operator))

    assert read == ["flows.read"]
    assert "flows.act" in act


def test_a_person_who_has_lost_the_role_is_refused_what_others_still_read(
    viewer: APIClient, operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    assert operator.get(_LIST).status_code == 200

    User.objects.get(username="somebody-operator").groups.remove(Group.objects.get(name="operator"))

    assert operator.get(_LIST).status_code == 403
    assert viewer.get(_LIST).status_code == 200


def test_who_orders_a_pause_reads_it_at_once(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    assert operator.get(_LIST).json()["items"][0]["status"] != "paused"

    order = {"action": "pause", "reason": "a move"}
    ordered = operator.post(f"{_LIST}/us-east/eu-central/actions", order, format="json")

    assert ordered.status_code < 300, ordered.content
    assert operator.get(_LIST).json()["items"][0]["status"] == "paused"


def test_an_answer_is_not_shared_after_the_live_state_is_to_be_read_again(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    for lag in (40, 41):
        put(live_redis, live.source_task(*_FLOW, at_ms(), lag_offsets=lag))
        assert viewer.get(_LIST).json()["items"][0]["metrics"]["lag_offsets"]["latest"] == lag


def test_the_answer_is_compressed_for_those_who_accept_it(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    plain, packed = viewer.get(_LIST), viewer.get(_LIST, headers=_PACKED)

    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.content) < len(plain.content)
    assert gzip.decompress(packed.content).startswith(b'{"items":[{')
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Accept-Encoding" in packed.headers["Vary"]


def test_a_refused_query_is_refused_each_time(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    for _ in range(2):
        assert viewer.get(_LIST, {"sorce": "us-east"}).status_code == 400


def test_the_version_of_changes_differs_after_an_entry_that_appears_late(db: None) -> None:
    """On PostgreSQL the transaction with the smaller number may end last."""
    for _ in range(3):
        record(by="test", action="flow.pause", subject=TrailSubject("flow", "a->b"))
    late = TrailEntry.objects.order_by("id").first()
    assert late is not None
    newest = TrailEntry.objects.order_by("-id").values_list("id", flat=True)[0]
    late.pk = newest + 5
    TrailEntry.objects.bulk_create([late])
    before = trail_version()

    late.pk = newest + 4
    TrailEntry.objects.bulk_create([late])

    assert max(trail_version()) == max(before)
    assert trail_version() != before


def test_an_answer_that_cannot_be_made_ahead_is_told_to_the_next_reader(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that makes it fails; the reader gets the former answer, and the one after it makes its own."""
    ahead: list[Callable[[], None]] = []
    monkeypatch.setattr(
        shared_answers, "_maker", SimpleNamespace(submit=lambda run, *given: ahead.append(lambda: run(*given)))
    )
    monkeypatch.setattr(shared_answers, "close_old_connections", lambda: None)  # those of the thread, here of the test
    settings.SRM_ANSWERS_AHEAD = True
    monkeypatch.setattr(shared_answers._bodies, "_seconds", 0.0)
    monkeypatch.setattr(shared_answers._bodies, "_spare", 60.0)
    first = viewer.get(_LIST).content
    with monkeypatch.context() as broken:
        broken.setattr(shared_answers, "_body", lambda *_, **__: 1 / 0)
        assert viewer.get(_LIST).content == first
        ahead.pop()()

    monkeypatch.setattr(shared_answers, "_body", lambda *_, **__: b"the next one")
    assert viewer.get(_LIST).content == first
    ahead.pop()()
    assert viewer.get(_LIST).content == b"the next one"
