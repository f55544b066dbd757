"""Drains and restarts: from REST to the document of drivers, its expiry, and who may order them."""

import json
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework.test import APIClient

from replication.config.security.signed_document import is_signed
from replication.domain.desired.desired_drivers import DesiredDrivers, desired_drivers_from_json
from srm_service.drivers.jobs import publish_driver_orders
from srm_service.drivers.models import DriverDrain, DriverRestart
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = [pytest.mark.redis, pytest.mark.django_db(databases=["default", "metrics"], transaction=True)]

_BERLIN = "/api/v2/drivers/berlin"


@pytest.fixture
def berlin(live_redis: redis.Redis) -> redis.Redis:
    """A driver with two data processes; the first one has a slot."""
    _report(live_redis)
    return live_redis


def _report(client: redis.Redis, *, drain: bool = False, tasks: bool = True) -> None:
    now = at_ms()
    put(
        client,
        live.driver("berlin", "control", now, drain=drain, parent="berlin"),
        live.driver("berlin", "data", now, drain=drain, parent="berlin"),
        live.driver("berlin-2", "data", now, drain=drain, parent="berlin"),
        *([live.source_task("us-east", "eu-central", now, driver="berlin")] if tasks else []),
    )


def _published(client: redis.Redis) -> DesiredDrivers:
    raw = str(client.get("srm:drivers")).encode()
    assert is_signed(settings.SRM_TRANSPORT_KEYS, raw, "driver orders")
    return desired_drivers_from_json(raw)


def test_a_drain_reaches_the_drivers_with_its_reason_and_its_end_and_goes_again(
    operator: APIClient, berlin: redis.Redis
) -> None:
    expires_ms = at_ms() + 60_000
    body = {"reason": "new disks", "expires_ms": expires_ms}
    answer = operator.post(f"{_BERLIN}/drain", body, format="json")
    document = _published(berlin)
    again = operator.post(f"{_BERLIN}/drain", body, format="json").json()
    removed = operator.post(f"{_BERLIN}/undrain", {"reason": "done"}, format="json").json()

    assert answer.status_code == 200, answer.content
    drain = document.drains["berlin"]
    assert (document.revision, drain.reason, drain.by) == (1, "new disks", "somebody-operator")
    assert abs((drain.expires_ms or 0) - expires_ms) <= 1
    assert (answer.json()["changed"], again["changed"], removed["changed"]) == (True, False, True)
    assert (_published(berlin).revision, _published(berlin).drains) == (2, {})
    actions = list(TrailEntry.objects.order_by("id").values_list("action", "subject", "reason"))
    assert actions == [("driver.drain", "berlin", "new disks"), ("driver.undrain", "berlin", "done")]


def test_progress_counts_tasks_until_every_process_is_empty(operator: APIClient, berlin: redis.Redis) -> None:
    operator.post(f"{_BERLIN}/drain", {}, format="json")
    before = operator.get(f"{_BERLIN}/drain").json()
    _report(berlin, drain=True)
    applied = operator.get(f"{_BERLIN}/drain").json()
    berlin.delete(*berlin.keys("srm:live:*"))
    _report(berlin, drain=True, tasks=False)
    after = operator.get(f"{_BERLIN}/drain").json()

    assert sorted(row["id"] for row in before["processes"]) == ["berlin", "berlin", "berlin-2"]
    assert [(state["tasks"], state["drained"]) for state in (before, applied, after)] == [
        (1, False),
        (1, False),
        (0, True),
    ]


def test_an_expired_drain_ends_and_the_trail_says_so(operator: APIClient, berlin: redis.Redis) -> None:
    operator.post(f"{_BERLIN}/drain", {"expires_ms": at_ms() + 60_000}, format="json")
    DriverDrain.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    publish_driver_orders()

    assert _published(berlin).drains == {}
    entry = TrailEntry.objects.get(action="driver.undrain")
    assert (entry.actor, entry.reason) == ("maintenance", "drain expired")


def test_a_restart_has_an_id_and_an_end_and_is_forgotten(operator: APIClient, berlin: redis.Redis) -> None:
    answer = operator.post(f"{_BERLIN}/restart", {"reason": "upgrade", "grace_ms": 30_000}, format="json").json()
    restart = _published(berlin).restarts["berlin"]
    second = operator.post(f"{_BERLIN}/restart", {}, format="json").json()
    DriverRestart.objects.update(until=timezone.now())
    publish_driver_orders()

    assert (restart.id, restart.until_ms) == (answer["restart"]["id"], answer["restart"]["until_ms"])
    assert abs(restart.until_ms - answer["restart"]["since_ms"] - 30_000) < 1_000
    assert {row["boot"] for row in answer["processes"]} == {"boot-1"}
    assert second["restart"]["id"] != restart.id
    assert _published(berlin).restarts == {}


def test_an_emptied_redis_gets_the_orders_again_with_a_revision_that_does_not_decrease(
    operator: APIClient, berlin: redis.Redis
) -> None:
    operator.post(f"{_BERLIN}/drain", {}, format="json")
    before = _published(berlin)
    berlin.flushdb()
    assert publish_driver_orders() is True
    assert publish_driver_orders() is False
    again = _published(berlin)
    assert (again.revision, again.drains) == (before.revision, before.drains)


def test_a_forged_document_is_replaced(operator: APIClient, berlin: redis.Redis) -> None:
    operator.post(f"{_BERLIN}/drain", {}, format="json")
    forged = json.loads(str(berlin.get("srm:drivers"))) | {"drains": {}}
    berlin.set("srm:drivers", json.dumps(forged))
    publish_driver_orders()
    assert set(_published(berlin).drains) == {"berlin"}


def test_nothing_is_published_before_the_first_order(berlin: redis.Redis) -> None:
    assert publish_driver_orders() is False
    assert berlin.get("srm:drivers") is None


@pytest.mark.parametrize("verb", ["drain", "undrain", "restart"])
def test_an_id_that_no_driver_has_is_refused_with_those_that_report(
    verb: str, operator: APIClient, berlin: redis.Redis
) -> None:
    answer = operator.post(f"/api/v2/drivers/berlim/{verb}", {}, format="json")
    assert (answer.status_code, answer.json()["detail"]) == (404, "No driver berlim reports; reporting: berlin.")


def test_a_drain_can_be_removed_when_its_driver_is_gone(operator: APIClient, berlin: redis.Redis) -> None:
    operator.post(f"{_BERLIN}/drain", {}, format="json")
    berlin.delete(*berlin.keys("srm:driver:*"))
    put(berlin)
    state = operator.get(f"{_BERLIN}/drain").json()
    assert (state["processes"], state["drained"]) == ([], False)
    assert operator.post(f"{_BERLIN}/undrain", {}, format="json").json()["changed"] is True


def test_an_etag_that_is_out_of_date_is_answered_with_the_difference(operator: APIClient, berlin: redis.Redis) -> None:
    seen = operator.get(f"{_BERLIN}/drain").headers["ETag"]
    operator.post(f"{_BERLIN}/drain", {"reason": "disks"}, format="json")
    order: Any = {"reason": "memory"}
    refused = operator.post(f"{_BERLIN}/drain", order, format="json", headers={"If-Match": seen})
    assert refused.status_code == 412
    assert {"field": "reason", "yours": "memory", "current": "disks"} in refused.json()["diff"]
    newest = operator.get(f"{_BERLIN}/drain").headers["ETag"]
    assert operator.post(f"{_BERLIN}/drain", order, format="json", headers={"If-Match": newest}).status_code == 200


@pytest.fixture
def other_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another request stores its drain after this one has found none, and before this one stores its own."""
    find = QuerySet.get

    def found(rows: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        if rows.model is DriverDrain and not DriverDrain.objects.exists():
            DriverDrain.objects.bulk_create(
                [DriverDrain(driver="berlin", reason="disks", ordered_by="ann", ordered_at=timezone.now())]
            )
            raise DriverDrain.DoesNotExist
        return find(rows, *args, **kwargs)

    monkeypatch.setattr(QuerySet, "get", found)


@pytest.mark.usefixtures("other_first")
def test_the_later_of_two_first_drains_replaces_the_earlier_one(operator: APIClient, berlin: redis.Redis) -> None:
    answer = operator.post(f"{_BERLIN}/drain", {"reason": "memory"}, format="json")
    assert (answer.status_code, answer.json()["changed"]) == (200, True)
    assert DriverDrain.objects.values_list("driver", "reason").get() == ("berlin", "memory")
    reasons = TrailEntry.objects.filter(action="driver.drain").values_list("before__reason", "after__reason")
    assert list(reasons) == [("disks", "memory")]


@pytest.mark.usefixtures("other_first")
def test_an_etag_of_no_drain_is_refused_when_another_request_has_stored_one(
    operator: APIClient, berlin: redis.Redis
) -> None:
    seen = operator.get(f"{_BERLIN}/drain").headers["ETag"]
    refused = operator.post(f"{_BERLIN}/drain", {"reason": "memory"}, format="json", headers={"If-Match": seen})
    assert refused.status_code == 412
    assert {"field": "reason", "yours": "memory", "current": "disks"} in refused.json()["diff"]
    assert not TrailEntry.objects.filter(action="driver.drain").exists()


@pytest.mark.parametrize("verb", ["drain", "undrain"])
def test_an_etag_of_an_earlier_drain_is_refused(verb: str, operator: APIClient, berlin: redis.Redis) -> None:
    operator.post(f"{_BERLIN}/drain", {"reason": "disks"}, format="json")
    seen = operator.get(f"{_BERLIN}/drain").headers["ETag"]
    DriverDrain.objects.update(reason="memory")
    refused = operator.post(f"{_BERLIN}/{verb}", {}, format="json", headers={"If-Match": seen})
    assert (refused.status_code, DriverDrain.objects.get().reason) == (412, "memory")


def test_viewers_see_drains_and_order_none(viewer: APIClient, berlin: redis.Redis) -> None:
    assert viewer.get(f"{_BERLIN}/drain").status_code == 200
    assert viewer.post(f"{_BERLIN}/drain", {}, format="json").status_code == 403


def test_without_redis_an_order_is_stored_and_published_later(operator: APIClient, settings: Any) -> None:
    settings.SRM_REDIS_URL = "redis://127.0.0.1:1/0"
    put(redis.Redis())
    assert operator.post(f"{_BERLIN}/drain", {}, format="json").status_code == 200
    assert operator.post("/api/v2/drivers/b%20c/drain", {}, format="json").status_code == 404
    assert DriverDrain.objects.get().driver == "berlin"
