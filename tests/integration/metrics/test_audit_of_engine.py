"""Audits of the records that a real engine copied, skipped and recorded."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from replication.domain.control.orders import Reset, ToOffset
from replication.domain.names.internal_topics import DEAD_LETTERS
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.domain.settings.record_settings import read_record_settings
from tests.support.audits.audit_lab import AuditLab, spark_with_kafka
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, produce
from tests.support.metrics.counted import count_raw_metrics

__all__ = ["spark_with_kafka"]

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

LARGE = b"x" * 5_000


@pytest.fixture
def lab(two_clusters: TwoClusters) -> Iterator[SlotLab]:
    slot_lab = SlotLab(two_clusters)
    yield slot_lab
    slot_lab.close()


@pytest.fixture
def auditor(lab: SlotLab, spark_with_kafka: SparkSession, tmp_path: Path) -> AuditLab:
    return AuditLab(lab.source, lab.target, spark_with_kafka, tmp_path, new=False)


def numbered(first: int, following: int, large: int | None = None) -> list[dict[str, Any]]:
    return [{"key": b"k%d" % n, "value": LARGE if n == large else b"value %d" % n} for n in range(first, following)]


def is_level(live: dict[str, Any]) -> bool:
    return live.get("lag_offsets") == 0


def test_what_an_engine_skipped_is_told_from_what_is_missing(
    lab: SlotLab, auditor: AuditLab, spark_with_kafka: SparkSession
) -> None:
    topic, letters = "kept-aside", DEAD_LETTERS.name(lab.source.alias)
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, lab.remote(topic), 1, max_message_bytes="2000")
    create_topic(lab.target_bootstrap, letters)
    spec = lab.spec({topic: 1}, errors=ErrorHandling(policy="dead_letter", dead_letter_topic=letters))
    produce(lab.source_bootstrap, topic, numbered(0, 100, large=40))
    lab.copy_until(spec, lambda live: is_level(live) and live["refused_total"] == 1)
    produce(lab.source_bootstrap, topic, numbered(100, 200, large=140))
    skipping = replace(spec, errors=ErrorHandling(policy="skip"))
    lab.copy_until(skipping, lambda live: is_level(live) and live["refused_total"] == 1)
    produce(lab.source_bootstrap, topic, numbered(200, 250))
    forward = Reset(id="r", topic=topic, partition=0, to=ToOffset(offset=220))
    with lab.running(replace(skipping, resets=(forward,))) as handle:
        until(handle, lambda live: is_level(live) and live["done_resets"] == ["r"])
        lab.wait_committed(handle, topic, 1)
    count_raw_metrics(lab, spark_with_kafka, auditor.store_url)

    audit = auditor.audit((topic, lab.remote(topic)))

    row = auditor.run_row(audit, topic)
    assert (row["missing"], row["dead_lettered"], row["skipped"]) == (0, 1, 1), row
    gap = 250 - 2 - row["records_target"]
    assert row["gap"] == gap
    assert gap in (0, 20)  # what was fetched before the order came was copied
    assert row["proven_until_ms"] is not None
    places = {(each.kind, each.source_offset) for each in auditor.findings(audit) if each.kind != "gap"}
    assert places == {("dead_lettered", 40), ("skipped", 140)}


def test_the_counts_of_a_flow_that_filters_agree(
    lab: SlotLab, auditor: AuditLab, spark_with_kafka: SparkSession
) -> None:
    topic = lab.topic("sifted", partitions=2)
    settings = {"transforms": "f", "transforms.f.type": "filter", "transforms.f.pattern": "7$"}
    spec = lab.spec({topic: 2}, records=read_record_settings(settings, identity=False))
    records = [{**each, "partition": n % 2} for n, each in enumerate(numbered(0, 1_000))]
    produce(lab.source_bootstrap, topic, records)
    with lab.running(spec) as handle:
        until(handle, is_level)
        lab.wait_committed(handle, topic, 2)
    count_raw_metrics(lab, spark_with_kafka, auditor.store_url)

    audit = auditor.audit((topic, lab.remote(topic)), counts_only=True)

    row = auditor.run_row(audit, topic)
    assert (row["records_source"], row["records_target"], row["filtered_records"]) == (1_000, 900, 100)
    assert auditor.findings(audit) == []
    assert json.loads(row["not_compared"]) == []
