"""The desired document: read back as written, bad parts rejected one by one."""

import json
from dataclasses import replace
from typing import Any

import pytest

from replication.domain.desired.desired_document import (
    ConnectorSettings,
    DesiredCluster,
    DesiredDocument,
    DesiredDocumentError,
    DesiredFlow,
    Hold,
    NamePatterns,
    Pause,
    PolicyChoice,
    Reset,
    ToOffset,
    ToTimestamp,
    content_sha256,
    desired_from_json,
    desired_to_json,
)
from replication.domain.desired.desired_flow import RestartOrder, Stop, TopicThrottle

FULL_FLOW = DesiredFlow(
    source="east",
    state="pause",
    pause=Pause(reason="migration", by="ann", until_ms=5),
    generation=3,
    tasks_max=4,
    delivery="exactly_once",
    policy=PolicyChoice(kind="template", template="dr-{topic}"),
    topics=NamePatterns(allow=("orders.*",), deny=("orders-tmp",)),
    control_offset=99,
    start=1_700_000_000_000,
    gap_policy="stop",
    throttle_bytes_per_second=1_000,
    throttle_until_ms=1_800_000_000_000,
    topic_throttles=(
        TopicThrottle(topic="orders", bytes_per_second=5_000, until_ms=7, reason="busy disks"),
        TopicThrottle(topic="orders", partition=3, bytes_per_second=1),
    ),
    holds=(Hold(topic="orders", partition=1, reason="poison"),),
    stops=(Stop(topic="payments", until_ms=5, reason="moved"),),
    restarts=(RestartOrder(id="r1", task=2), RestartOrder(id="r2", topic="orders", partition=0)),
    resets=(
        Reset(id="r1", topic="orders", partition=0, to=ToOffset(offset=7)),
        Reset(id="r2", topic="orders", partition=1, to=ToTimestamp(timestamp_ms=9)),
        Reset(id="r3", topic="orders", partition=2, to="latest"),
    ),
    connectors=ConnectorSettings(source={"offset.lag.max": "50"}),
)
DOCUMENT = DesiredDocument(
    target="west",
    revision=12,
    published_ms=1_700_000_000_001,
    clusters={
        "east": DesiredCluster(bootstrap=("e:9092",), client={"security.protocol": "SASL_SSL"}, secret="token"),
        "north": DesiredCluster(bootstrap=("n:9092",)),
        "west": DesiredCluster(bootstrap=("w1:9092", "w2:9092")),
    },
    flows=(FULL_FLOW, DesiredFlow(source="north")),
)


def changed(**flow_fields: object) -> str:
    """The document with fields of its first flow replaced by raw JSON values."""
    raw: dict[str, Any] = json.loads(desired_to_json(DOCUMENT))
    raw["flows"][0] |= flow_fields
    return json.dumps(raw)


def test_a_document_reads_back_as_it_was_written() -> None:
    assert desired_from_json(desired_to_json(DOCUMENT)) == (DOCUMENT, ())


def test_unknown_fields_of_a_newer_writer_are_ignored() -> None:
    document, rejected = desired_from_json(changed(colour="green"))

    assert (document, rejected) == (DOCUMENT, ())


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("tasks_max", "four", "flows[0].tasks_max"),
        ("tasks_max", 0, "flows[0].tasks_max"),
        ("tasks_max", True, "flows[0].tasks_max"),
        ("state", "sleep", "flows[0].state"),
        ("source", "", "flows[0].source"),
        ("source", "unknown-cluster", "flows[0].source"),
        ("topics", {"allow": [1]}, "flows[0].topics.allow[0]"),
        ("policy", {"kind": "template"}, "flows[0].policy.template"),
        ("start", "tomorrow", "flows[0].start"),
        ("resets", [{"id": "r"}], "flows[0].resets[0].topic"),
        ("restarts", [{"id": "r", "partition": 1}], "flows[0].restarts[0].partition"),
        ("throttle_bytes_per_second", 0, "flows[0].throttle_bytes_per_second"),
        (
            "topic_throttles",
            [{"topic": "orders", "bytes_per_second": 0}],
            "flows[0].topic_throttles[0].bytes_per_second",
        ),
    ],
)
def test_a_bad_flow_is_rejected_by_path_and_its_neighbour_applies(field: str, value: object, path: str) -> None:
    document, rejected = desired_from_json(changed(**{field: value}))

    assert [flow.source for flow in document.flows] == ["north"]
    assert [one.path for one in rejected] == [path]


def test_a_second_flow_of_the_same_source_is_rejected() -> None:
    document, rejected = desired_from_json(desired_to_json(replace(DOCUMENT, flows=(FULL_FLOW, FULL_FLOW))))

    assert len(document.flows) == 1
    assert rejected[0].path == "flows[1]"


def test_a_cluster_without_bootstrap_servers_takes_its_flows_along() -> None:
    raw = json.loads(desired_to_json(DOCUMENT))
    raw["clusters"]["north"]["bootstrap"] = []

    document, rejected = desired_from_json(json.dumps(raw))

    assert [flow.source for flow in document.flows] == ["east"]
    assert {one.path for one in rejected} == {"clusters.north.bootstrap", "flows[1].source"}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"v": 1}', '{"v": 1, "target": "west", "revision": -1}'])
def test_a_document_of_another_shape_cannot_be_used(text: str) -> None:
    with pytest.raises(DesiredDocumentError):
        desired_from_json(text)


def test_a_newer_version_asks_for_an_upgrade() -> None:
    with pytest.raises(DesiredDocumentError, match="upgrade the driver"):
        desired_from_json('{"v": 2}')


def test_the_checksum_covers_the_content_but_neither_secrets_nor_the_publication() -> None:
    other_key = DOCUMENT.clusters | {"east": replace(DOCUMENT.clusters["east"], secret="other token")}
    same = replace(DOCUMENT, revision=13, published_ms=0, clusters=other_key)
    different = replace(DOCUMENT, flows=(replace(FULL_FLOW, tasks_max=5),))

    assert content_sha256(same) == content_sha256(DOCUMENT)
    assert content_sha256(different) != content_sha256(DOCUMENT)


@pytest.mark.parametrize(
    ("flow", "copies"),
    [
        (DesiredFlow(source="a"), True),
        (DesiredFlow(source="a", enabled=False), False),
        (DesiredFlow(source="a", state="stop"), False),
        (DesiredFlow(source="a", state="pause", pause=Pause(reason="", by="")), False),
        (DesiredFlow(source="a", state="pause", pause=Pause(reason="", by="", until_ms=101)), False),
        (DesiredFlow(source="a", state="pause", pause=Pause(reason="", by="", until_ms=100)), True),
    ],
    ids=["running", "disabled", "stopped", "paused", "pause not over", "pause over"],
)
def test_a_flow_copies_unless_somebody_stopped_it(flow: DesiredFlow, copies: bool) -> None:
    assert flow.copies(now_ms=100) is copies
