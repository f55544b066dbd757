"""Change plans, previews, topic states and drift: REST, Redis and a control worker's desk over clusters in memory."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.config.security.signed_document import signed
from replication.config.tree.properties import PropertyPlace
from replication.domain.desired.desired_flow import PolicyChoice
from replication.domain.questions.question import QUESTIONS_KEY
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.drafts import draft_create
from srm_service.configuration.models import ConfigVersion
from srm_service.configuration.selectors import current_version
from srm_service.configuration.services import apply_changes
from srm_service.flows.models import Flow
from srm_service.planning.drafts import desired_documents
from tests.component.service.conftest import BOTH, config_import, configured, flow_definition
from tests.support.drivers.memory_control_worker import MemoryControlWorker

pytestmark = [BOTH, pytest.mark.redis]
_FLOW = "/api/v2/replications/us-east/eu-central"
_PLAN = "/api/v2/config/plan"
_IDENTITY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
Change = dict[str, Any]


def _flow_change(name: str, value: str | None, source: str = "us-east", target: str = "eu-central") -> Change:
    return {"key": f"{source}->{target}.{name}", "value": value}


def _plan(client: APIClient, *changes: Change, wait_ms: int = 5_000) -> dict[str, Any]:
    answer = client.post(_PLAN, {"changes": list(changes), "wait_ms": wait_ms}, format="json")
    assert answer.status_code == 200, answer.content
    plan: dict[str, Any] = answer.json()
    return plan


def _only_flow(plan: dict[str, Any]) -> dict[str, Any]:
    (flow,) = plan["flows"]
    return dict(flow)


@pytest.fixture
def worker(live_redis: redis.Redis, settings: Any, one_flow: str) -> Iterator[MemoryControlWorker]:
    """Leads eu-central, whose flow copies `orders` and `bills`."""
    found = MemoryControlWorker(settings.SRM_REDIS_URL, settings.SRM_TRANSPORT_KEYS, frozenset(["eu-central"]))
    for topic in ("orders", "bills"):
        found.cluster("us-east").create(topic, partitions=2, configs={"retention.ms": "1000"})
    found.runs(desired_documents()["eu-central"])
    with found.answering():
        yield found


def test_a_plan_names_what_changes_and_applies_nothing(operator: APIClient, worker: MemoryControlWorker) -> None:
    version = current_version()

    plan = _plan(operator, _flow_change("topics", "orders"))

    flow = _only_flow(plan)
    assert plan["version"] == version
    assert plan["changes_configuration"] is True
    assert (flow["source"], flow["target"], flow["outcome"]) == ("us-east", "eu-central", "changed")
    assert flow["changes"]["topics_removed"] == ["bills"]
    assert flow["changes"]["topics_created"] == []
    assert flow["changes"]["tasks"]["restarts"] == []
    assert flow["changes"]["unlooked"] == []
    assert current_version() == version
    assert Flow.objects.get().topics_allow == [".*"]


def test_a_stored_draft_is_planned_by_its_id(operator: APIClient, worker: MemoryControlWorker) -> None:
    place = PropertyPlace(level="flow", source="us-east", target="eu-central", name="topics")
    draft = draft_create(name="narrow", author="test", changes=[PropertyChange(place=place, value="orders")])

    answer = operator.post(_PLAN, {"draft": draft.id}, format="json")

    assert _only_flow(answer.json())["changes"]["topics_removed"] == ["bills"]
    assert answer.headers["ETag"] == f'"{current_version()}"'
    assert operator.post(_PLAN, {"draft": draft.id + 1}, format="json").status_code == 404


def test_a_plan_gives_the_effective_values_before_and_after(operator: APIClient, worker: MemoryControlWorker) -> None:
    (value,) = _only_flow(_plan(operator, _flow_change("srm.transforms.max.bytes", "5000")))["values"]

    assert (value["key"], value["after"], value["level_after"]) == ("srm.transforms.max.bytes", "5000", "flow")
    assert value["takes_effect"] == "restart"


def test_a_plan_says_which_tasks_restart_and_why(operator: APIClient, worker: MemoryControlWorker) -> None:
    tasks = _only_flow(_plan(operator, _flow_change("srm.transforms.max.bytes", "5000")))["changes"]["tasks"]

    assert tasks["before"] == tasks["after"]
    assert {tuple(each["because"]) for each in tasks["restarts"]} == {("srm.transforms.max.bytes",)}
    assert len(tasks["restarts"]) == tasks["before"]


def test_a_plan_names_a_loop_a_taken_name_and_a_missing_right(operator: APIClient, worker: MemoryControlWorker) -> None:
    keeping = {"policy": PolicyChoice(kind="identity")}
    config_import(
        configured(
            flow_definition("eu-central", "us-east", **keeping), flow_definition("us-east", "us-west", **keeping)
        )
    )
    for topic in ("orders", "new"):
        worker.cluster("us-west").create(topic)
    target = worker.cluster("eu-central")
    target.create("orders")
    target.cluster_operations = frozenset(["describe"])
    new = {"enabled": "true", "topics": "orders,new", "replication.policy.class": _IDENTITY}

    plan = _plan(operator, *(_flow_change(name, value, "us-west") for name, value in new.items()))

    flow = _only_flow(plan)
    findings = {each["code"]: each for each in flow["changes"]["findings"]}
    assert flow["outcome"] == "created"
    assert "eu-central -> us-east -> us-west -> eu-central" in findings["identity_circle"]["text"]
    assert "orders exists on eu-central" in findings["remote_name_taken"]["text"]
    assert "would refuse to create new" in findings["rights_missing"]["text"]
    assert "kafka-acls" in findings["rights_missing"]["remedy"]
    assert "new" not in target.topics
    assert not Flow.objects.filter(source__alias="us-west").exists()


def test_an_unprotected_loop_is_refused_by_name(operator: APIClient, one_flow: str) -> None:
    loop = {"enabled": "true", "replication.policy.class": _IDENTITY, "srm.loop.protection": "off"}
    pairs = (("us-east", "eu-central"), ("eu-central", "us-east"))
    changes = [_flow_change(name, value, *pair) for name, value in loop.items() for pair in pairs]

    answer = operator.post(_PLAN, {"changes": changes}, format="json")

    assert answer.status_code == 422
    assert "records would go in circles" in answer.json()["detail"]


def test_a_target_without_a_driver_does_not_hide_the_others(operator: APIClient, worker: MemoryControlWorker) -> None:
    new = {"enabled": "true", "topics": "orders"}
    back = [_flow_change(name, value, "eu-central", "us-east") for name, value in new.items()]

    plan = _plan(operator, _flow_change("topics", "orders"), *back, wait_ms=300)

    changes = {each["source"]: each["changes"] for each in plan["flows"]}
    assert changes["us-east"]["topics_removed"] == ["bills"]
    assert changes["eu-central"]["topics_removed"] is None
    (unlooked,) = changes["eu-central"]["unlooked"]
    assert unlooked["part"] == "flow"
    assert "start a driver that serves us-east" in unlooked["reason"]


def test_a_dead_source_is_named_and_its_restarts_are_still_known(
    operator: APIClient, worker: MemoryControlWorker
) -> None:
    worker.cluster("us-east").is_up = False

    changes = _only_flow(_plan(operator, _flow_change("srm.transforms.max.bytes", "5000")))["changes"]

    assert "us-east" in changes["unlooked"][0]["reason"]
    assert changes["topics_added"] is None
    assert len(changes["tasks"]["restarts"]) == changes["tasks"]["before"] > 0


def test_without_a_driver_the_plan_says_what_it_could_not_look_at(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    plan = _plan(operator, _flow_change("topics", "orders"), wait_ms=100)

    flow = _only_flow(plan)
    assert "No control worker" in flow["changes"]["unlooked"][0]["reason"]
    assert [each["key"] for each in flow["values"]] == ["topics"]
    assert live_redis.hgetall(QUESTIONS_KEY) == {}  # no driver answers it later


def test_without_redis_the_plan_has_what_the_service_knows(operator: APIClient, one_flow: str, settings: Any) -> None:
    settings.SRM_REDIS_URL = ""

    flow = _only_flow(_plan(operator, _flow_change("topics", "orders")))

    assert "Redis does not answer" in flow["changes"]["unlooked"][0]["reason"]
    assert flow["revision"] is None or flow["revision"] > 0


def test_a_plan_without_a_change_is_empty(operator: APIClient, worker: MemoryControlWorker) -> None:
    plan = _plan(operator, _flow_change("topics", ".*"))

    assert (plan["changes_configuration"], plan["flows"]) == (False, [])


def test_a_removed_flow_keeps_its_topics(operator: APIClient, worker: MemoryControlWorker) -> None:
    flow = _only_flow(_plan(operator, _flow_change("enabled", "false")))

    assert flow["changes"]["topics_removed"] == ["bills", "orders"]
    assert flow["changes"]["tasks"]["after"] == 0


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"changes": []},
        {"changes": "topics"},
        {"draft": "first"},
        {"draft": 1, "changes": [{"key": "topics", "value": "a"}]},
        {"changes": [{"value": "a"}]},
        {"changes": [{"key": "topics"}]},
        {"changes": [{"key": "", "value": "a"}]},
        {"changes": [{"key": "topics", "value": "a", "level": "global"}]},
        {"changes": [{"key": "topics", "value": "a"}], "wait": 5},
        {"changes": [{"key": "topics", "value": "a"}], "wait_ms": 0},
        {"changes": [{"key": "topics", "value": "a"}], "wait_ms": "soon"},
    ],
)
def test_a_draft_that_is_none_is_refused(operator: APIClient, one_flow: str, body: dict[str, Any]) -> None:
    answer = operator.post(_PLAN, body, format="json")

    assert answer.status_code == 400
    assert answer.json()["errors"]


def test_an_invalid_draft_names_every_error(operator: APIClient, one_flow: str) -> None:
    changes = [_flow_change("tasks.max", "many"), _flow_change("srm.linger.ms", "soon")]

    answer = operator.post(_PLAN, {"changes": changes}, format="json")

    assert answer.status_code == 422
    assert "tasks.max" in answer.json()["detail"]
    assert "srm.linger.ms" in answer.json()["detail"]


def test_an_operator_may_not_send_drivers_and_credentials_to_another_address(
    operator: APIClient, worker: MemoryControlWorker
) -> None:
    change = {"key": "us-east.bootstrap.servers", "value": "elsewhere:9092"}

    answer = operator.post(_PLAN, {"changes": [change]}, format="json")

    assert answer.status_code == 403
    assert "admin role" in answer.json()["detail"]


def test_secrets_of_a_draft_are_in_no_answer(
    person: Callable[[str | None], APIClient], worker: MemoryControlWorker
) -> None:
    change = {"key": "us-east.sasl.jaas.config", "value": "planted-secret"}

    answer = person("admin").post(_PLAN, {"changes": [change]}, format="json")

    assert answer.status_code == 200
    assert "planted-secret" not in answer.content.decode()
    assert _only_flow(answer.json())["changes"]["tasks"]["restarts"] == []  # slots log in again while they copy


def test_a_viewer_may_preview_but_not_plan(viewer: APIClient, worker: MemoryControlWorker) -> None:
    assert viewer.post(_PLAN, {"changes": [_flow_change("topics", "a")]}, format="json").status_code == 403
    assert viewer.post(f"{_FLOW}/preview", {"allow": ["orders"]}, format="json").status_code == 200
    assert viewer.post(f"{_FLOW}/drift", {"topics": ["orders"]}, format="json").status_code == 403


def test_a_preview_shows_matches_and_near_misses(viewer: APIClient, worker: MemoryControlWorker) -> None:
    worker.cluster("us-east").create("Orders")

    found = viewer.post(f"{_FLOW}/preview", {"allow": ["orders"]}, format="json").json()

    assert [each["topic"] for each in found["matches"]] == ["orders"]
    assert [(each["name"], each["kind"]) for each in found["near_misses"]] == [("Orders", "case")]


@pytest.mark.parametrize("body", [{}, {"allow": ["("]}, {"allow": "orders"}, {"allow": [], "limit": 0}])
def test_patterns_that_are_none_are_refused(viewer: APIClient, one_flow: str, body: dict[str, Any]) -> None:
    assert viewer.post(f"{_FLOW}/preview", body, format="json").status_code == 400


def test_topics_have_states(viewer: APIClient, worker: MemoryControlWorker) -> None:
    found = viewer.get(f"{_FLOW}/topic-states", {"state": "replicated", "search": "o", "limit": "1"}).json()

    assert [(each["topic"], each["remote"]) for each in found["items"]] == [("orders", "us-east.orders")]
    assert found["counts"]["replicated"] >= 2


@pytest.mark.parametrize("query", [{"state": "lost"}, {"limit": "0"}, {"wait_ms": "never"}, {"stat": "denied"}])
def test_a_query_that_is_none_is_refused(viewer: APIClient, one_flow: str, query: dict[str, str]) -> None:
    assert viewer.get(f"{_FLOW}/topic-states", query).status_code == 400


def test_drift_is_listed_and_set_again(operator: APIClient, worker: MemoryControlWorker) -> None:
    remote = worker.cluster("eu-central").topics["us-east.orders"]
    remote.configs["retention.ms"] = "5"

    before = operator.get(f"{_FLOW}/drift").json()
    result = operator.post(f"{_FLOW}/drift", {"topics": ["orders", "none"]}, format="json").json()
    after = operator.get(f"{_FLOW}/drift", {"topic": "orders"}).json()

    assert [(each["topic"], each["key"], each["is_synced"]) for each in before["items"]] == [
        ("orders", "retention.ms", True)
    ]
    assert [each["state"] for each in result["items"]] == ["set", "refused"]
    assert after["items"] == []
    assert remote.configs["retention.ms"] == "1000"


def test_without_a_driver_lists_are_not_available_and_say_why(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    answer = viewer.get(f"{_FLOW}/topic-states", {"wait_ms": "100"})

    assert answer.status_code == 503
    assert "start a driver" in answer.json()["detail"]


def test_an_unknown_flow_is_not_found(viewer: APIClient, one_flow: str) -> None:
    assert viewer.get("/api/v2/replications/us-east/nowhere/topic-states").status_code == 404


def test_a_forged_question_is_dropped(
    operator: APIClient, worker: MemoryControlWorker, live_redis: redis.Redis
) -> None:
    live_redis.hset(QUESTIONS_KEY, "forged", signed(["another key"], '{"kind":"set_again"}', "question"))

    assert _only_flow(_plan(operator, _flow_change("topics", "orders")))["changes"]["unlooked"] == []
    assert live_redis.hget(QUESTIONS_KEY, "forged") is None


def test_two_flows_that_would_create_one_topic_name_each_other(
    operator: APIClient, worker: MemoryControlWorker
) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-west", "eu-central")))
    worker.present.clear()
    worker.cluster("eu-central").topics.clear()
    worker.cluster("us-west").create("orders")
    place = PropertyPlace(level="flow", source="us-east", target="eu-central", name="replication.policy.class")
    other = PropertyPlace(level="flow", source="us-west", target="eu-central", name="replication.policy.class")
    apply_changes([PropertyChange(place=each, value=None) for each in (place, other)], by="test", comment="")

    plan = _plan(operator, {"key": place.name, "value": _IDENTITY})

    texts = [
        finding["text"]
        for flow in plan["flows"]
        for finding in flow["changes"]["findings"]
        if finding["code"] == "remote_name_shared"
    ]
    assert any("us-west->eu-central" in text for text in texts)
    assert any("us-east->eu-central" in text for text in texts)
    assert ConfigVersion.objects.count() == current_version()


def test_a_flow_whose_reference_leads_nowhere_is_named_with_the_reason(
    operator: APIClient, worker: MemoryControlWorker
) -> None:
    flow = _only_flow(_plan(operator, _flow_change("srm.linger.ms", "${file:/nowhere/at.properties:linger}")))

    assert flow["outcome"] == "changed"
    (unlooked,) = flow["changes"]["unlooked"]
    assert "Drivers would not get us-east->eu-central" in unlooked["reason"]
    assert "/nowhere/at.properties" in unlooked["reason"]
