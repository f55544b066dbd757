"""Two million records with planted errors: the audit finds all of them at the right offsets, and nothing else."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.support.audits.audit_lab import AuditLab, spark_with_kafka
from tests.support.audits.planted_copy import BASE_MS, Copy, Planted, Sent, damaged, random_damage, record
from tests.support.audits.planted_flow import abort_some
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.writer import Traffic, fault_seed
from tests.support.metrics.metrics_process import spark_jars

__all__ = ["spark_jars", "spark_with_kafka"]

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(480)]

PARTITIONS = 8
EACH = 250_000
ERRORS = 10  # per partition


@pytest.fixture(scope="module")
def lab(
    two_clusters: TwoClusters, spark_with_kafka: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> AuditLab:
    return AuditLab.between(two_clusters, spark_with_kafka, tmp_path_factory.mktemp("audit"), "planted")


def plant(lab: AuditLab, topic: str, remote: str, *, shifted: bool) -> list[Planted]:
    """Two million records and their damaged copy; the history is that of an engine that noticed nothing."""
    seed = fault_seed()
    lab.create(topic, PARTITIONS, remote=remote)
    planted, runs = [], {}
    for partition in range(PARTITIONS):
        source = [record(partition, number) for number in range(EACH)]
        shift = abort_some(lab.target.bootstrap[0], remote, partition, 11 * partition) if shifted and partition else 0
        copy = damaged(partition, source, random_damage(seed + partition, EACH, ERRORS), shift=shift)
        lab.write_source(topic, partition, source)
        lab.write_copy(topic, partition, copy, remote=remote)
        planted += copy.planted
        runs[partition] = copy.runs
    lab.write_history(topic, runs)
    return sorted(planted, key=repr)


def test_with_prefixed_names(lab: AuditLab) -> None:
    planted = plant(lab, "orders", lab.remote("orders"), shifted=True)
    assert len(planted) == PARTITIONS * ERRORS

    audit = lab.audit(("orders", lab.remote("orders")))

    assert lab.findings(audit) == planted
    assert lab.run_row(audit, "orders")["records_source"] == PARTITIONS * EACH


def test_with_identity_names_and_others_who_write_to_the_copy(lab: AuditLab) -> None:
    topic, each = "shared", 100_000
    lab.create(topic, 1, remote=topic)
    source = [record(0, number) for number in range(each)]
    copies: list[Copy] = []
    planted: list[Planted] = []
    runs = []
    at = 0
    for first in range(0, each, 10_000):
        chunk = damaged(0, source[first : first + 10_000], {first + 5_000: "missing"}, shift=at, first=first)
        theirs = [Sent(b"theirs-%d-%d" % (first, n), b"local", BASE_MS + n) for n in range(100)]
        copies += [chunk, Copy(records=theirs)]
        planted += chunk.planted
        runs += chunk.runs
        at += len(chunk.records) + len(theirs)
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, Copy(records=[each for copy in copies for each in copy.records]), remote=topic)
    runs[-1] = runs[-1].__class__(runs[-1].upstream, at - 100 - runs[-1].length, runs[-1].length)
    lab.write_history(topic, {0: runs})

    audit = lab.audit((topic, topic), shared=True)

    assert lab.findings(audit) == sorted(planted, key=repr)


def test_audit_while_replication_continues(
    two_clusters: TwoClusters, spark_with_kafka: SparkSession, tmp_path: Path
) -> None:
    """The first records are a damaged copy; the engine continues after them, and the audit covers its new records."""
    slots = SlotLab(two_clusters)
    try:
        lab = AuditLab(slots.source, slots.target, spark_with_kafka, tmp_path, new=False)
        topic, partitions, each = slots.topic("live", 4), 4, 50_000
        planted, runs = [], {}
        for partition in range(partitions):
            source = [record(partition, number) for number in range(each)]
            copy = damaged(partition, source, random_damage(fault_seed() + partition, each, ERRORS))
            lab.write_source(topic, partition, source)
            lab.write_copy(topic, partition, copy)
            planted += copy.planted
            runs[partition] = copy.runs
        lab.write_history(topic, runs)
        traffic = Traffic(lab.source.bootstrap[0], topic, partitions, 2_000)
        with slots.running(slots.spec({topic: partitions})) as slot, traffic.flowing():
            until(slot, lambda live: live.get("records_total", 0) > 1_000)
            audits = [lab.audit((topic, lab.remote(topic))) for _ in range(2)]
            traffic.wait_for(1)
        for audit in audits:
            assert lab.findings(audit) == sorted(planted, key=repr)
            assert lab.run_row(audit, topic)["records_source"] > partitions * each
        assert lab.run_row(audits[1], topic)["records_source"] > lab.run_row(audits[0], topic)["records_source"]
    finally:
        slots.close()


def test_a_compacted_topic_that_is_being_written(
    two_clusters: TwoClusters, spark_with_kafka: SparkSession, tmp_path: Path
) -> None:
    slots = SlotLab(two_clusters)
    try:
        lab = AuditLab(slots.source, slots.target, spark_with_kafka, tmp_path, new=False)
        topic = slots.topic("table", 1, cleanup_policy="compact", segment_ms="1000", min_cleanable_dirty_ratio="0.01")
        source = [Sent(b"k%d" % (n % 20_000), b"%d" % n, BASE_MS + n) for n in range(200_000)]
        lost, broken = 190_005, 195_007  # last values of their keys
        target = [each for n, each in enumerate(source) if n != lost]
        at = target.index(source[broken])
        target[at] = target[at]._replace(value=b"broken")
        copy = damaged(0, target, {})
        lab.write_source(topic, 0, source)
        lab.write_copy(topic, 0, copy)
        run = copy.runs[0].__class__
        lab.write_history(topic, {0: [run(0, 0, 100), run(len(source) - 1, len(target) - 1, 1)]})
        traffic = Traffic(lab.source.bootstrap[0], topic, 1, 2_000)
        with slots.running(slots.spec({topic: 1})) as slot, traffic.flowing():
            until(slot, lambda live: live.get("records_total", 0) > 1_000)
            audit = lab.audit((topic, lab.remote(topic)))

        found = lab.findings(audit)
        assert [(each.kind, each.source_offset) for each in found] == [("changed", lost), ("changed", broken)]
        assert found[1].target_offset == at
    finally:
        slots.close()
