"""Audits over REST: asked for, watched, read, cancelled; the metrics process is played by rows."""

import json
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.identifiers import FlowId
from srm_service.audits.jobs import schedule_audits
from srm_service.audits.selectors import flows_proven_until
from srm_service.flows.models import Flow
from srm_service.monitoring.models import AuditFinding, AuditProven, AuditRun, JobRequest, Series
from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

FLOW = FlowId("us-east", "eu-central")
AUDITS = "/api/v2/replications/us-east/eu-central/audits"


@pytest.fixture
def planned(one_flow: str, live_redis: redis.Redis) -> None:
    """The flow copies `orders` and `heartbeats`."""
    key, text = live.plan_document("us-east", "eu-central", at_ms())
    document = json.loads(text)
    orders = {**document["topics"][0], "upstream": "orders"}
    document["topics"] = [orders, {**orders, "upstream": "heartbeats"}]
    put(live_redis, live.plan_task("us-east", "eu-central", at_ms()), (key, json.dumps(document)))


def finished(job_id: int, **counts: int) -> None:
    """Stores the rows that the metrics process writes for an audit of `orders`."""
    values: dict[str, Any] = dict.fromkeys(("missing", "duplicate", "changed", "reordered", "unexpected"), 0)
    values |= {"records_source": 10, "records_target": 10, "ranges": 2, "ranges_bad": 1, "local_records": 0}
    AuditRun.objects.create(
        job_id=job_id,
        source="us-east",
        target="eu-central",
        topic="orders",
        remote_topic="us-east.orders",
        state="done",
        mode="full",
        compared="records",
        started_ms=1_000,
        ended_ms=2_000,
        not_compared=json.dumps([{"partition": 0, "side": "source", "first": 0, "next": 5, "reason": "aged out"}]),
        proven_until_ms=None if counts else 1_500,
        **{**values, **counts},
    )
    JobRequest.objects.filter(id=job_id).update(state="done", progress=json.dumps({"done": 1.0, "text": "1 of 1"}))


def test_an_audit_is_asked_for_with_the_topics_and_rules_of_the_flow(operator: APIClient, planned: None) -> None:
    answer = operator.post(AUDITS, {"mode": "full", "strict": True}, format="json")

    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["verdict"]) == ("requested", "unknown")
    job = JobRequest.objects.get(id=answer.json()["id"])
    spec = json.loads(job.spec)
    assert (job.kind, job.target, spec["source"]) == ("audit", "eu-central", "us-east")
    assert spec["topics"] == [["orders", "us-east.orders"]]
    assert (spec["strict"], spec["isolation"], spec["shared"], spec["counts_only"]) == (
        True,
        "read_uncommitted",
        False,
        False,
    )


def test_an_audit_of_all_topics_leaves_out_what_the_flow_no_longer_copies(operator: APIClient, planned: None) -> None:
    Series.objects.create(
        source="us-east", target="eu-central", topic="deleted", partition=-1, remote_topic="us-east.deleted"
    )

    job = JobRequest.objects.get(id=operator.post(AUDITS, {}, format="json").json()["id"])

    assert json.loads(job.spec)["topics"] == [["orders", "us-east.orders"]]


def test_the_flows_rules_reach_the_audit(operator: APIClient, live_redis: redis.Redis) -> None:
    settings = {"transforms": "m", "transforms.m.type": "mask", "transforms.m.fields": "a"}
    both = [flow_definition(a, b) for a, b in (("us-east", "eu-central"), ("eu-central", "us-east"))]
    config_import(configured(*both))
    Flow.objects.filter(source__alias="us-east").update(
        policy_kind="identity", delivery="exactly_once", connectors={"source": settings}
    )

    spec = json.loads(
        JobRequest.objects.get(id=operator.post(AUDITS, {"topics": ["orders"]}, format="json").json()["id"]).spec
    )

    assert spec["topics"] == [["orders", "orders"]]
    assert (spec["isolation"], spec["shared"], spec["counts_only"]) == ("read_committed", True, True)


def test_an_identity_flow_may_have_writers_of_its_own_on_the_target(operator: APIClient, planned: None) -> None:
    Flow.objects.filter(source__alias="us-east").update(policy_kind="identity")

    operator.post(AUDITS, {"topics": ["orders"]}, format="json")

    assert json.loads(JobRequest.objects.get().spec)["shared"] is True


@pytest.mark.parametrize(
    ("rules", "skips", "letters"),
    [
        ({}, False, "srm-dead-letters.us-east.internal"),
        ({"srm.errors.policy": "skip"}, True, "srm-dead-letters.us-east.internal"),
        ({"errors.deadletterqueue.topic.name": "letters"}, False, "letters"),
    ],
)
def test_an_audit_knows_where_rejected_records_are_named(
    operator: APIClient, planned: None, rules: dict[str, str], letters: str, *, skips: bool
) -> None:
    Flow.objects.filter(source__alias="us-east").update(connectors={"source": rules})

    operator.post(AUDITS, {}, format="json")

    spec = json.loads(JobRequest.objects.get().spec)
    assert (spec["skips"], spec["dead_letters"]) == (skips, letters)


def test_settings_that_cannot_be_read_refuse_the_audit(operator: APIClient, planned: None) -> None:
    Flow.objects.filter(source__alias="us-east").update(connectors={"source": {"srm.errors.policy": "hope"}})

    answer = operator.post(AUDITS, {}, format="json")

    assert answer.status_code == 409
    assert "srm.errors.policy" in answer.json()["detail"]


def test_a_second_audit_waits_for_the_first(operator: APIClient, planned: None) -> None:
    first = operator.post(AUDITS, {}, format="json").json()["id"]

    refused = operator.post(AUDITS, {}, format="json")

    assert refused.status_code == 409
    assert f"Audit {first} of us-east->eu-central has not ended" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ({"topics": ["no-such-topic"]}, 404, "does not copy a topic no-such-topic"),
        ({"mode": "half"}, 400, "mode"),
        ({"mode": "sample", "sample": 1}, 400, "sample"),
        ({"sample": 200}, 400, "sample: Only the mode sample has a sample, full has none"),
        ({"sample": 10}, 400, "sample: Only the mode sample has a sample"),
        ({"mode": "full", "sample": 200}, 400, "sample: Only the mode sample has a sample"),
        ({"mode": "incremental", "sample": 200}, 400, "sample: Only the mode sample has a sample"),
        ({"topic": "orders"}, 400, "topic: This is no field here; did you mean topics?"),
        ({"mode": "full", "rate": 5, "limit": 1}, 400, "rate: This is no field here"),
        ({"max_offsets": 0}, 400, "max_offsets"),
    ],
)
def test_an_invalid_request_is_rejected(
    operator: APIClient, planned: None, body: dict[str, Any], code: int, text: str
) -> None:
    answer = operator.post(AUDITS, body, format="json")

    assert answer.status_code == code
    assert text in answer.json()["detail"]
    assert not JobRequest.objects.exists()


@pytest.mark.parametrize(
    ("body", "mode", "sample"),
    [
        ({"mode": "sample", "sample": 200}, "sample", 200),
        ({"mode": "sample"}, "sample", 10),
        ({"mode": "full", "sample": 10, "strict": False}, "full", 1),
        ({}, "full", 1),
    ],
    ids=["as asked", "the usual", "as clients made from the schema ask", "nothing"],
)
def test_a_sample_counts_in_its_mode(
    operator: APIClient, planned: None, body: dict[str, Any], mode: str, sample: int
) -> None:
    number = operator.post(AUDITS, body, format="json").json()["id"]

    spec = json.loads(JobRequest.objects.get(id=number).spec)
    assert (spec["mode"], spec["sample"]) == (mode, sample)


def test_a_viewer_reads_and_does_not_start(viewer: APIClient, planned: None) -> None:
    assert viewer.post(AUDITS, {}, format="json").status_code == 403
    assert viewer.get(AUDITS).json()["items"] == []


def test_findings_are_counted_listed_and_reported(operator: APIClient, planned: None) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]
    finished(number, missing=3, duplicate=1)
    row = {"job_id": number, "topic": "orders", "partition": 1, "detail": ""}
    AuditFinding.objects.create(kind="missing", source_offset=7, target_offset=None, records=3, **row)
    AuditFinding.objects.create(kind="duplicate", source_offset=2, target_offset=9, records=1, **row)

    audit = operator.get(f"{AUDITS}/{number}").json()
    assert (audit["verdict"], audit["findings"]["missing"], audit["topics_done"]) == ("different", 3, 1)
    assert audit["topics"][0]["not_compared"][0]["next"] == 5

    page = operator.get(f"{AUDITS}/{number}/findings", {"limit": 1}).json()
    assert [item["kind"] for item in page["items"]] == ["missing"]
    rest = operator.get(f"{AUDITS}/{number}/findings", {"limit": 1, "cursor": page["next_cursor"]}).json()
    assert ([item["kind"] for item in rest["items"]], rest["next_cursor"]) == (["duplicate"], None)
    only = operator.get(f"{AUDITS}/{number}/findings", {"kind": "duplicate"}).json()
    assert len(only["items"]) == 1

    report = operator.get(f"{AUDITS}/{number}/report")
    assert report["Content-Type"].startswith("text/markdown")
    text = report.content.decode()
    assert "Source and copy differ." in text
    assert "| orders | 1 | missing | 7 | - | 3 |  |" in text


def test_only_duplicates_are_a_warning(operator: APIClient, planned: None) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]
    finished(number, duplicate=2)

    assert operator.get(f"{AUDITS}/{number}").json()["verdict"] == "warnings"


@pytest.mark.parametrize("kind", ["gap", "skipped", "dead_lettered"])
def test_records_skipped_and_recorded_are_shown_and_fail_nothing(operator: APIClient, planned: None, kind: str) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]
    finished(number, **{kind: 7})
    AuditFinding.objects.create(
        job_id=number,
        topic="orders",
        partition=1,
        kind=kind,
        source_offset=5,
        target_offset=None,
        records=7,
        detail="why",
    )

    audit = operator.get(f"{AUDITS}/{number}").json()

    assert (audit["verdict"], audit["findings"][kind], audit["findings"]["missing"]) == ("warnings", 7, 0)
    assert audit["topics"][0]["findings"][kind] == 7
    assert operator.get(f"{AUDITS}/{number}/findings", {"kind": kind}).json()["items"][0]["records"] == 7
    report = operator.get(f"{AUDITS}/{number}/report").content.decode()
    assert f"| orders | 1 | {kind} | 5 | - | 7 | why |" in report
    assert "skipped and recorded" in report


def test_counts_that_agree_are_not_called_equal(operator: APIClient, planned: None) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]
    finished(number, filtered_records=4, local_records=2)
    AuditRun.objects.filter(job_id=number).update(compared="counts")

    audit = operator.get(f"{AUDITS}/{number}").json()

    assert audit["verdict"] == "counts_agree"
    assert (audit["topics"][0]["filtered_records"], audit["topics"][0]["local_records"]) == (4, 2)
    assert "The numbers of records agree" in operator.get(f"{AUDITS}/{number}/report").content.decode()


@pytest.mark.parametrize(
    "change",
    [
        {"state": "running"},
        {"ranges": 0, "proven_until_ms": None},
        {"not_compared": json.dumps([{"partition": 0, "side": "source", "first": 0, "next": 5, "open": True}])},
    ],
    ids=["a topic that has not ended", "nothing compared", "a stretch that nothing vouches for"],
)
def test_a_job_that_is_done_is_not_called_equal_without_proof(
    operator: APIClient, planned: None, change: dict[str, Any]
) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]
    finished(number)
    assert operator.get(f"{AUDITS}/{number}").json()["verdict"] == "equal"

    AuditRun.objects.filter(job_id=number).update(**change)
    assert operator.get(f"{AUDITS}").json()["items"][0]["verdict"] == "unknown"


def test_a_topic_without_a_result_keeps_the_result_open(operator: APIClient, planned: None) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]
    finished(number)
    AuditRun.objects.filter(job_id=number).delete()

    assert operator.get(f"{AUDITS}/{number}").json()["verdict"] == "unknown"


def test_a_waiting_audit_is_cancelled_and_an_ended_one_is_not(operator: APIClient, planned: None) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]

    assert operator.delete(f"{AUDITS}/{number}").json()["state"] == "cancelled"
    again = operator.delete(f"{AUDITS}/{number}")
    assert again.status_code == 409
    assert again.json()["detail"] == f"Audit {number} has already ended (cancelled): there is nothing to cancel."
    assert operator.get(f"{AUDITS}/999999").status_code == 404


def test_an_audit_of_another_flow_is_not_found_here(operator: APIClient, planned: None) -> None:
    job = JobRequest.objects.create(
        kind="audit", target="eu-central", state="done", spec=json.dumps({"source": "somebody-else"})
    )

    assert operator.get(f"{AUDITS}/{job.id}").status_code == 404
    assert operator.get(AUDITS).json()["items"] == []


def test_a_flow_is_proven_until_its_oldest_topic(one_flow: str) -> None:
    row = {"source": "us-east", "target": "eu-central", "topic_id": "00", "proven_offset": 1, "proven_target_offset": 1}
    AuditProven.objects.create(topic="a", partition=0, proven_ms=2_000, **row)
    AuditProven.objects.create(topic="b", partition=0, proven_ms=1_000, **row)
    assert flows_proven_until([FLOW]) == {FLOW: 1_000}

    AuditProven.objects.create(topic="b", partition=1, proven_ms=None, **row)
    assert flows_proven_until([FLOW]) == {}


def test_a_schedule_asks_for_an_incremental_audit_once(planned: None) -> None:
    Flow.objects.filter(source__alias="us-east").update(connectors={"source": {"srm.audit.schedule": "6h"}})

    assert schedule_audits() == 1
    assert json.loads(JobRequest.objects.get().spec)["mode"] == "incremental"
    JobRequest.objects.update(state="done")
    assert schedule_audits() == 0


def test_a_bad_schedule_stops_no_other_flow(planned: None) -> None:
    Flow.objects.filter(source__alias="us-east").update(connectors={"source": {"srm.audit.schedule": "often"}})

    assert schedule_audits() == 0


@pytest.mark.parametrize(
    ("ordering", "offsets"),
    [("kind", [2, 7, 4]), ("-source_offset", [7, 4, 2]), ("detail", [4, 2, 7]), ("-topic", [2, 7, 4])],
)
def test_findings_are_ordered_by_any_column_over_all_pages(
    operator: APIClient, planned: None, ordering: str, offsets: list[int]
) -> None:
    number = operator.post(AUDITS, {}, format="json").json()["id"]
    for kind, offset, topic, detail in (
        ("missing", 7, "orders", "b" * 2_000),
        ("duplicate", 2, "stock", "b"),
        ("missing", 4, "orders", "a" * 2_000),
    ):
        row = {"kind": kind, "source_offset": offset, "topic": topic, "detail": detail}
        AuditFinding.objects.create(job_id=number, partition=0, target_offset=None, records=1, **row)

    found: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        query: dict[str, Any] = {"ordering": ordering, "limit": 1, "cursor": cursor}
        page = operator.get(f"{AUDITS}/{number}/findings", query).json()
        found += [item["source_offset"] for item in page["items"]]
        cursor = page["next_cursor"]

    assert found == offsets
