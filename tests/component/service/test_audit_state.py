"""The state of a flow by all of its audits, over REST; rows stand for the metrics process."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.reporting.audit_words import FINDING_KINDS
from srm_service.audits.audit_differences import forget_differences
from srm_service.core.clock import now_ms
from srm_service.monitoring.models import AuditRun, JobRequest
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

AUDITS = "/api/v2/replications/us-east/eu-central/audits"
TOPICS = ("clicks", "inventory", "orders", "payments")
OPEN = json.dumps([{"partition": 0, "side": "source", "first": 0, "next": 5, "reason": "why", "open": True}])
ABOVE = [{"partition": 0, "side": "source", "first": 0, "next": 5, "reason": "above the limit of this audit"}]
LIMITED = json.dumps([{**ABOVE[0], "open": False}])


@pytest.fixture
def four_topics(one_flow: str, live_redis: redis.Redis) -> None:
    """The flow copies four topics and heartbeats."""
    key, text = live.plan_document("us-east", "eu-central", at_ms())
    document = json.loads(text)
    document["topics"] = [{**document["topics"][0], "upstream": name} for name in (*TOPICS, "heartbeats")]
    put(live_redis, live.plan_task("us-east", "eu-central", at_ms()), (key, json.dumps(document)))


def audited(*topics: str, state: str = "done", job_state: str = "done", **changes: Any) -> int:
    """An audit that compared these topics; its number."""
    spec = {"source": "us-east", "topics": [[topic, f"us-east.{topic}"] for topic in topics]}
    job = JobRequest.objects.create(kind="audit", target="eu-central", state=job_state, spec=json.dumps(spec))
    numbers: dict[str, Any] = dict.fromkeys(FINDING_KINDS, 0)
    numbers |= {"records_source": 10, "records_target": 10, "ranges": 2, "ranges_bad": 0, "local_records": 0}
    words = {"mode": "full", "compared": "records", "not_compared": "[]", "started_ms": 1_000, "ended_ms": 2_000}
    for topic in topics:
        AuditRun.objects.create(
            job_id=job.id,
            source="us-east",
            target="eu-central",
            topic=topic,
            remote_topic=f"us-east.{topic}",
            state=state,
            **{**numbers, **words, **changes},
        )
    return int(job.id)


def state_of(client: APIClient) -> dict[str, Any]:
    answer = client.get(f"{AUDITS}/state")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def topic_of(client: APIClient, topic: str) -> tuple[str, int | None]:
    found = next(each for each in state_of(client)["topics"] if each["topic"] == topic)
    return found["verdict"], found["audit_id"]


def test_a_difference_stays_although_another_topic_was_compared_since(viewer: APIClient, four_topics: None) -> None:
    audited(*TOPICS)
    bad = audited("orders", "payments", missing=3, duplicate=1, ended_ms=7_000)
    audited("inventory")

    state = state_of(viewer)

    assert (state["verdict"], state["topics_total"]) == ("different", 4)
    assert state["by_verdict"] == {"equal": 2, "counts_agree": 0, "warnings": 0, "different": 2, "unknown": 0}
    assert [each["topic"] for each in state["topics"]] == ["orders", "payments", "clicks", "inventory"]
    orders = state["topics"][0]
    assert (orders["audit_id"], orders["at_ms"]) == (bad, 7_000)
    assert (orders["findings"]["missing"], orders["findings"]["duplicate"]) == (3, 1)


def test_the_flow_is_equal_only_when_all_of_its_topics_are(viewer: APIClient, four_topics: None) -> None:
    audited("inventory")
    state = state_of(viewer)
    assert (state["verdict"], state["by_verdict"]["equal"], state["by_verdict"]["unknown"]) == ("unknown", 1, 3)
    assert state["topics"][0] == {
        "topic": "clicks",
        "verdict": "unknown",
        "audit_id": None,
        "at_ms": None,
        "findings": None,
    }

    audited("clicks", "orders", "payments", mode="incremental")
    assert state_of(viewer)["verdict"] == "equal"


@pytest.mark.parametrize(
    "later",
    [
        {"state": "cancelled", "job_state": "cancelled"},
        {"state": "failed", "job_state": "failed"},
        {"state": "running", "job_state": "running"},
        {"mode": "sample"},
        {"not_compared": OPEN},
        {"not_compared": LIMITED},
        {"ranges": 0, "proven_until_ms": None},
    ],
    ids=[
        "cancelled",
        "failed",
        "running",
        "sample",
        "a stretch that nothing vouches for",
        "limited",
        "nothing compared",
    ],
)
def test_an_audit_that_did_not_compare_the_whole_topic_changes_nothing(
    viewer: APIClient, four_topics: None, later: dict[str, Any]
) -> None:
    good, bad = audited("inventory"), audited("orders", changed=1)

    audited("orders", "inventory", **later)

    assert topic_of(viewer, "orders") == ("different", bad)
    assert topic_of(viewer, "inventory") == ("equal", good)


@pytest.mark.parametrize("mode", ["full", "incremental"])
def test_a_later_audit_without_a_difference_takes_it_back(viewer: APIClient, four_topics: None, mode: str) -> None:
    audited("orders", missing=1)

    good = audited("orders", mode=mode)

    assert topic_of(viewer, "orders") == ("equal", good)


@pytest.mark.parametrize("found_by", [{"mode": "sample"}, {"compared": "counts"}], ids=["a sample", "counts"])
def test_what_holds_no_proof_is_taken_back_by_a_full_audit_only(
    viewer: APIClient, four_topics: None, found_by: dict[str, Any]
) -> None:
    bad = audited("orders", missing=1, **found_by)
    audited("orders", mode="incremental")
    assert topic_of(viewer, "orders") == ("different", bad)

    good = audited("orders")
    assert topic_of(viewer, "orders") == ("equal", good)


def test_what_a_cancelled_audit_had_compared_counts(viewer: APIClient, four_topics: None) -> None:
    bad = audited("orders", missing=1, job_state="cancelled")

    assert topic_of(viewer, "orders") == ("different", bad)


def test_a_running_flow_with_a_difference_is_degraded_until_an_audit_takes_it_back(
    viewer: APIClient, four_topics: None, live_redis: redis.Redis
) -> None:
    put(live_redis, live.source_task("us-east", "eu-central", at_ms()))
    audited(*TOPICS)
    assert flow_of(viewer)["status"] == "healthy"

    bad = audited("orders", "payments", missing=1)
    flow = flow_of(viewer)
    assert (flow["status"], flow["cause"]["code"], flow["cause"]["topic"]) == ("degraded", "audit_difference", "orders")
    assert flow["reason"] == f"Audit {bad} found differences in orders and 1 more."

    audited(*TOPICS)
    assert flow_of(viewer)["status"] == "healthy"


def flow_of(client: APIClient) -> dict[str, Any]:
    forget_differences()
    found: dict[str, Any] = client.get("/api/v2/replications/us-east/eu-central").json()
    return found


def test_a_topic_that_is_copied_no_more_is_skipped(viewer: APIClient, four_topics: None) -> None:
    audited("deleted", missing=1)

    state = state_of(viewer)

    assert (state["verdict"], state["topics_total"]) == ("unknown", 4)


def test_without_a_plan_the_audited_topics_are_told(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    audited("orders", "payments")

    state = state_of(viewer)

    assert (state["verdict"], state["topics_total"]) == ("equal", 2)


def test_a_flow_that_was_never_audited_is_unknown(viewer: APIClient, four_topics: None) -> None:
    assert state_of(viewer)["verdict"] == "unknown"
    assert viewer.get("/api/v2/replications/us-east/nowhere/audits/state").status_code == 404


def test_the_list_may_be_short_and_the_counts_are_whole(viewer: APIClient, four_topics: None) -> None:
    audited("payments", missing=1)

    state = viewer.get(f"{AUDITS}/state", {"limit": 1}).json()

    assert [each["topic"] for each in state["topics"]] == ["payments"]
    assert (state["topics_total"], state["by_verdict"]["unknown"]) == (4, 3)


def test_the_number_of_queries_does_not_grow_with_the_audits(
    viewer: APIClient, four_topics: None, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    for _ in range(5):
        audited(*TOPICS)

    with django_assert_max_num_queries(2, using="metrics"):
        state_of(viewer)


def test_an_open_audit_says_how_long_nothing_was_heard(viewer: APIClient, four_topics: None) -> None:
    number = audited("orders", state="running", job_state="running")
    JobRequest.objects.filter(id=number).update(heartbeat_ms=now_ms() - 60_000)

    audit = viewer.get(f"{AUDITS}/{number}").json()
    assert 60_000 <= audit["silent_ms"] < 90_000

    JobRequest.objects.filter(id=number).update(state="done")
    assert viewer.get(f"{AUDITS}/{number}").json()["silent_ms"] is None


def test_an_audit_names_a_few_of_its_topics(viewer: APIClient, four_topics: None) -> None:
    audited(*TOPICS)

    audit = viewer.get(AUDITS).json()["items"][0]

    assert (audit["first_topics"], audit["topics_asked"]) == (list(TOPICS[:3]), 4)


def test_one_topic_can_be_asked_for(viewer: APIClient, four_topics: None) -> None:
    audited("orders", "payments")

    [topic] = viewer.get(f"{AUDITS}/state?topic=orders").json()["topics"]

    assert (topic["topic"], topic["verdict"]) == ("orders", "equal")


def test_the_estimate_counts_the_records_of_planned_topics_and_says_what_it_lacks(
    viewer: APIClient, four_topics: None
) -> None:
    for number, end in ((0, 100), (1, 250)):
        series = tiles.series("us-east", "eu-central", "orders", partition=number)
        tiles.now_row(series, at_ms(), covered_to=end, log_end=end, log_start=50)
    series = tiles.series("us-east", "eu-central", "deleted", partition=0)
    tiles.now_row(series, at_ms(), covered_to=9, log_end=9, log_start=0)

    found = viewer.get(f"{AUDITS}/estimate").json()

    assert (found["topics"], found["records"]) == (4, 250)
    assert found["unmeasured"] == found["partitions"] - 2


def test_as_csv_the_topics_are_the_rows(viewer: APIClient, four_topics: None) -> None:
    audited("orders", missing=1)

    answer = viewer.get("/api/v2/replications/us-east/eu-central/audits/state", headers={"Accept": "text/csv"})

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    header, worst, *others = answer.getvalue().decode().splitlines()
    assert header.startswith("topic,verdict,audit_id,at_ms,findings.")
    assert worst.startswith("orders,different,")
    assert len(others) == 3
