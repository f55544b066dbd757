"""The list of the orders to all flows."""

from collections.abc import Callable
from typing import Any

from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition
from tests.support.configuration import config_import

pytestmark = [BOTH]


def test_orders_to_all_flows_are_listed_with_their_flow_and_filtered(
    person: Callable[[str | None], APIClient], db: None
) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-west", "eu-central")))
    operator, admin = person("operator"), person("admin")
    begin_ms = at_ms()
    for client, source, verb in (
        (operator, "us-east", "pause"),
        (admin, "us-west", "stop"),
        (admin, "us-west", "start"),
    ):
        body = {"action": verb, "reason": "upgrade"}
        assert client.post(f"/api/v2/replications/{source}/eu-central/actions", body, format="json").status_code == 200

    def listed(**query: Any) -> list[str]:
        answer = operator.get("/api/v2/orders", query)
        assert answer.status_code == 200, answer.content
        return [f"{row['source']} {row['event']} {row['outcome']}" for row in answer.json()["items"]]

    paused, stopped, started = "us-east flow.pause waiting", "us-west flow.stop overtaken", "us-west flow.start waiting"
    assert listed() == [started, stopped, paused]
    assert listed(ordered_by="somebody-admin") == [started, stopped]
    assert listed(source="us-east") == [paused]
    assert listed(target="eu-central", outcome="waiting", ordering="ordered_ms") == [paused, started]
    assert listed(event="flow.stop") == [stopped]
    assert listed(from_ms=begin_ms, to_ms=at_ms() + 1) == [started, stopped, paused]
    assert listed(from_ms=at_ms() + 60_000) == listed(to_ms=begin_ms) == []
    assert operator.get("/api/v2/orders", {"from_ms": 5, "to_ms": 5}).status_code == 400


def test_orders_are_ordered_by_reason_topic_and_outcome(person: Callable[[str | None], APIClient], db: None) -> None:
    config_import(configured(flow_definition("us-east", "eu-central")))
    operator, address = person("operator"), "/api/v2/replications/us-east/eu-central/actions"
    for verb, topic, reason in (("pause", "", "b" * 500), ("pause", "stock", "a" * 500), ("resume", "", "c")):
        body = {"action": verb, "reason": reason, "scope": {"topic": topic}}
        assert operator.post(address, body, format="json").status_code == 200

    def listed(ordering: str) -> list[str]:
        found: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            query: dict[str, Any] = {"ordering": ordering, "limit": 1, "cursor": cursor}
            page = operator.get(address, query).json()
            found += [f"{row['topic']}{row['reason'][:1]}" for row in page["items"]]
            cursor = page["next_cursor"]
        return found

    assert listed("reason") == ["stocka", "b", "c"]
    assert listed("-topic") == ["stocka", "b", "c"]
    assert listed("outcome") == ["b", "stocka", "c"]
