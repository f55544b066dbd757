"""Consumer groups from REST to the clusters and back: the service, Redis, and a control worker's desk."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.questions.question import RECORD_WAIT_MS, Question
from replication.kafka.client_config import REQUEST_TIMEOUT_S
from srm_service.planning import selectors
from srm_service.planning.control_worker import Answers, ask
from srm_service.planning.drafts import desired_documents
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition, put
from tests.support.drivers import live_documents as live
from tests.support.drivers.memory_control_worker import MemoryControlWorker
from tests.unit.replication.connectors.group_questions.copied_flow import CopiedFlow

pytestmark = [BOTH, pytest.mark.redis]
_FLOW = "/api/v2/replications/east/west"
_GROUP = "zahlung/größe 1"
_PATH = f"{_FLOW}/groups/zahlung%2Fgr%C3%B6%C3%9Fe%201"


@pytest.fixture
def copied(live_redis: redis.Redis, settings: Any, db: None) -> Iterator[CopiedFlow]:
    """East->west has copied orders; the group has read 75 records of partition 0 and all of partition 1."""
    flow = CopiedFlow()
    flow.commit(_GROUP, 75, 100)
    config_import(configured(flow_definition("east", "west", topics_allow=("orders",), groups_allow=(".*",))))
    worker = MemoryControlWorker(settings.SRM_REDIS_URL, settings.SRM_TRANSPORT_KEYS, frozenset(["west"]))
    worker.clusters.update({"east": flow.east, "west": flow.west})
    worker.runs(desired_documents()["west"])
    with worker.answering():
        yield flow


def test_partitions_are_translated_exactly_and_by_position(viewer: APIClient, copied: CopiedFlow) -> None:
    found = viewer.get(f"{_PATH}/partitions").json()

    first, second = found["partitions"]
    assert found["unlooked"] == []
    assert (first["committed"], first["kind"], first["downstream"]) == (75, "exact", 56)
    assert (second["committed"], second["downstream"], second["remote_end"]) == (100, 100, 100)
    assert "an offset run has east 75 at west 56" in first["evidence"]
    assert (first["metadata"], first["remote"], first["target_committed"]) == ("m", "east.orders", None)


def test_a_sync_writes_what_its_rehearsal_said(operator: APIClient, copied: CopiedFlow) -> None:
    rehearsed = operator.post(f"{_PATH}/sync", {"dry_run": True}, format="json").json()
    assert copied.on_target(_GROUP) == [None, None]

    written = operator.post(f"{_PATH}/sync", {"reason": "move"}, format="json").json()
    again = operator.post(f"{_PATH}/sync", {}, format="json").json()

    assert rehearsed["counts"] == written["counts"] == {"written": 2, "unchanged": 0, "refused": 0, "impossible": 0}
    assert {(each["partition"], each["before"], each["after"]) for each in written["items"]} == {
        (0, None, 56),
        (1, None, 100),
    }
    assert copied.on_target(_GROUP) == [56, 100]
    assert again["counts"]["unchanged"] == 2


def test_any_offset_is_translated_in_both_directions(viewer: APIClient, copied: CopiedFlow) -> None:
    places = [
        {"topic": "orders", "partition": 0, "offset": 75},
        {"topic": "east.orders", "partition": 0, "offset": 56, "direction": "to_source"},
        {"topic": "unknown", "partition": 0, "offset": 1},
    ]

    found = viewer.post(f"{_FLOW}/translate", {"items": places}, format="json").json()["items"]

    assert [(each["kind"], each["offset"]) for each in found] == [("exact", 56), ("exact", 75), ("impossible", None)]
    assert all(each["evidence"] for each in found)


def test_a_dead_source_is_named(viewer: APIClient, copied: CopiedFlow) -> None:
    copied.east.is_up = False

    answer = viewer.get(f"{_PATH}/partitions")

    assert answer.status_code == 200
    assert [part["part"] for part in answer.json()["unlooked"]] == ["source"]
    assert "east" in answer.json()["unlooked"][0]["reason"]


def test_a_group_that_does_not_exist_is_404(viewer: APIClient, copied: CopiedFlow) -> None:
    assert viewer.get(f"{_FLOW}/groups/nothing/partitions").status_code == 404


_RECORD = f"{_FLOW}/topics/orders/partitions/0/records/75"


def test_a_record_and_its_copy_are_side_by_side(viewer: APIClient, copied: CopiedFlow) -> None:
    found = viewer.get(_RECORD).json()

    assert (found["original"]["record"]["offset"], found["copy"]["record"]["offset"]) == (75, 56)
    assert (found["copy"]["topic"], found["differences"]) == ("east.orders", [])
    assert found["original"]["record"]["value_size"] == 2
    assert found["original"]["record"]["value"] is None

    back = viewer.get(f"{_FLOW}/topics/east.orders/partitions/0/records/56", {"on": "target"}).json()
    assert back["original"]["record"] == found["original"]["record"]


def test_values_are_for_admins_behind_a_setting_and_leave_an_entry(
    viewer: APIClient, admin: APIClient, copied: CopiedFlow, settings: Any
) -> None:
    hidden = admin.get(_RECORD, {"value": "true"})
    settings.SRM_SHOW_RECORD_VALUES = True
    refused = viewer.get(_RECORD, {"value": "true"})
    assert not TrailEntry.objects.filter(action="flow.read_record_value").exists()

    shown = admin.get(_RECORD, {"value": "true"}).json()

    assert (hidden.status_code, refused.status_code) == (403, 403)
    assert "SRM_SHOW_RECORD_VALUES" in hidden.json()["detail"]
    assert shown["original"]["record"]["value"]["text"] == shown["copy"]["record"]["value"]["text"] == "75"
    (entry,) = TrailEntry.objects.filter(action="flow.read_record_value")
    assert (entry.subject, entry.actor) == ("east->west", "somebody-admin")
    assert entry.after == {"topic": "orders", "partition": 0, "offset": 75, "cluster": "east"}


@pytest.mark.parametrize(("query", "wait_ms"), [({}, 20_000), ({"wait_ms": 700}, 700)])
def test_slow_brokers_are_waited_for_when_a_record_is_read(
    viewer: APIClient, copied: CopiedFlow, monkeypatch: pytest.MonkeyPatch, query: dict[str, int], wait_ms: int
) -> None:
    asked: list[Question] = []

    def noted(questions: list[Question]) -> list[Answers]:
        asked.extend(questions)
        return ask(questions)

    monkeypatch.setattr(selectors, "ask", noted)

    assert viewer.get(_RECORD, query).status_code == 200

    assert [each.wait_ms for each in asked] == [wait_ms]
    assert RECORD_WAIT_MS > 2 * 1_000 * REQUEST_TIMEOUT_S, "a request to each cluster may take so long"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("topics/orders/partitions/7/records/1", 503),
        ("topics/unknown/partitions/0/records/1", 503),
        ("topics/orders/partitions/0/records/9223372036854775808", 400),
        ("topics/orders/partitions/0/records/1?on=both", 400),
    ],
)
def test_a_record_that_cannot_be_asked_for_is_explained(
    viewer: APIClient, copied: CopiedFlow, path: str, status: int
) -> None:
    answer = viewer.get(f"{_FLOW}/{path}")

    assert answer.status_code == status
    assert answer.json()["detail"]


def test_a_partition_that_the_plan_does_not_have_is_not_found(
    viewer: APIClient, copied: CopiedFlow, live_redis: redis.Redis
) -> None:
    put(live_redis, live.plan_document("east", "west", at_ms()))

    answers = [
        viewer.get(f"{_FLOW}/topics/{each}/records/75") for each in ("bills/partitions/0", "orders/partitions/9")
    ]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert "partition 9 of orders" in answers[1].json()["detail"]
    assert viewer.get(_RECORD).status_code == 200
