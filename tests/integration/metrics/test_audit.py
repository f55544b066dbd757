"""The audit on real brokers: planted errors are found with their offsets, and nothing else is."""

import itertools
import json
import sqlite3

import pytest
from pyspark.sql import SparkSession

from replication.domain.offsets.offset_run import OffsetRun
from tests.support.audits.audit_lab import AuditLab, spark_with_kafka
from tests.support.audits.planted_copy import BASE_MS, Copy, Planted, Sent, damaged, random_damage, record
from tests.support.audits.planted_flow import abort_some
from tests.support.eventually import eventually
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, delete_topic
from tests.support.metrics.metrics_process import START_LIMIT_S, MetricsProcess

__all__ = ["spark_with_kafka"]

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


@pytest.fixture(scope="module")
def lab(
    two_clusters: TwoClusters, spark_with_kafka: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> AuditLab:
    return AuditLab.between(two_clusters, spark_with_kafka, tmp_path_factory.mktemp("audit"), "audit")


def test_planted_errors_in_a_hundred_thousand_records_are_all_found_and_nothing_else(lab: AuditLab) -> None:
    topic, partitions, each = "orders", 4, 25_000
    lab.create(topic, partitions)
    planted, runs = [], {}
    for partition in range(partitions):
        source = [record(partition, number) for number in range(each)]
        shift = abort_some(lab.target.bootstrap[0], lab.remote(topic), partition, 10 * partition) if partition else 0
        copy = damaged(partition, source, random_damage(partition, each, 5), shift=shift)
        lab.write_source(topic, partition, source)
        lab.write_copy(topic, partition, copy)
        planted += copy.planted
        runs[partition] = copy.runs
    lab.write_history(topic, runs)

    audit = lab.audit((topic, lab.remote(topic)))

    assert lab.findings(audit) == sorted(planted, key=repr)
    row = lab.run_row(audit, topic)
    assert (row["state"], row["compared"], row["records_source"]) == ("done", "records", partitions * each)
    assert row["proven_until_ms"] is None


def test_an_equal_copy_is_proven_and_an_incremental_audit_reads_only_what_is_new(lab: AuditLab) -> None:
    topic = "equal"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(6_000)]
    copy = damaged(0, source, {})
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, copy)
    lab.write_history(topic, {0: copy.runs})

    first = lab.audit((topic, lab.remote(topic)))
    assert lab.findings(first) == []
    assert lab.run_row(first, topic)["proven_until_ms"] == BASE_MS + first

    more = [record(0, number) for number in range(6_000, 8_000)]
    addition = damaged(0, more, {7_000: "missing"}, shift=6_000, first=6_000)
    lab.write_source(topic, 0, more)
    lab.write_copy(topic, 0, addition)
    lab.write_history(topic, {0: addition.runs})
    second = lab.audit((topic, lab.remote(topic)), mode="incremental")

    assert lab.run_row(second, topic)["records_source"] == 2_000
    assert lab.findings(second) == [Planted(0, "missing", 7_000, None)]
    assert lab.run_row(second, topic)["proven_until_ms"] == BASE_MS + first  # held, not lost


def test_a_restart_that_copied_again_is_told_as_duplicates_even_when_its_runs_were_lost(lab: AuditLab) -> None:
    topic = "restarted"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(9_000)]
    first, again = damaged(0, source[:5_000], {}), damaged(0, source[4_700:], {}, shift=5_000, first=4_700)
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, first)
    lab.write_copy(topic, 0, again)
    lab.write_history(topic, {0: first.runs[:4]})
    lab.write_history(topic, {0: again.runs})

    found = lab.findings(lab.audit((topic, lab.remote(topic))))

    assert {each.kind for each in found} == {"duplicate"}
    assert sorted(each.source_offset or 0 for each in found) == list(range(4_700, 5_000))


def test_without_any_runs_the_position_alone_aligns_both_logs(lab: AuditLab) -> None:
    topic = "no-runs"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(3_000)]
    copy = damaged(0, source, {1_000: "missing", 2_000: "changed"})
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, copy)
    copy.runs[-1] = copy.runs[-1].__class__(2_500, 2_499, 500)
    lab.write_history(topic, {0: copy.runs}, with_runs=False)

    assert lab.findings(lab.audit((topic, lab.remote(topic)))) == sorted(copy.planted, key=repr)
    assert lab.findings(lab.audit((topic, lab.remote(topic)), strict=True)) == sorted(copy.planted, key=repr)


def test_a_compacted_topic_is_compared_by_the_last_value_of_each_key(lab: AuditLab) -> None:
    topic = "table"
    lab.create(topic, 1, cleanup_policy="compact")
    source = [Sent(b"k%d" % (n % 500), b"%d" % n, BASE_MS + n) for n in range(2_000)]
    source += [Sent(b"gone", None, BASE_MS), Sent(b"k7", None, BASE_MS)]
    target = [each for each in source if each.key not in (b"k11", b"gone") and each.timestamp_ms != BASE_MS + 1_600]
    target.append(Sent(b"alien", b"1", BASE_MS))
    copy = damaged(0, target, {})
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, copy)
    runs = [copy.runs[0].__class__(0, 0, 500), copy.runs[0].__class__(len(source) - 1, len(target) - 1, 1)]
    lab.write_history(topic, {0: runs})

    audit = lab.audit((topic, lab.remote(topic)))

    assert lab.run_row(audit, topic)["compared"] == "last values"
    assert lab.findings(audit) == sorted(
        [
            Planted(0, "missing", 1_511, None),  # k11
            Planted(0, "changed", 1_600, target.index(source[1_100])),  # k100: the last one did not come
            Planted(0, "unexpected", None, len(target) - 1),
        ],
        key=repr,
    )


def test_where_others_write_as_well_their_records_are_not_reported(lab: AuditLab) -> None:
    topic = "both-ways"
    lab.create(topic, 1, remote=topic)
    source = [record(0, number) for number in range(4_000)]
    copy = damaged(0, source[:2_000], {700: "missing", 1_300: "changed"})
    theirs = [Sent(b"local-%d" % n, b"written on the target", BASE_MS + n) for n in range(50)]
    rest = damaged(0, source[2_000:], {}, shift=len(copy.records) + len(theirs), first=2_000)
    lab.write_source(topic, 0, source)
    for records in (copy.records, theirs, rest.records):
        lab.write_copy(topic, 0, copy.__class__(records=records), remote=topic)
    lab.write_history(topic, {0: [*copy.runs, *rest.runs]})

    audit = lab.audit((topic, topic), shared=True)

    assert lab.findings(audit) == sorted(copy.planted, key=repr)
    assert lab.run_row(audit, topic)["local_records"] == 50


def test_copies_whose_runs_were_lost_are_not_taken_for_records_of_others(lab: AuditLab) -> None:
    topic = "lost-runs"
    lab.create(topic, 1, remote=topic)
    source = [record(0, number) for number in range(3_000)]
    copy = damaged(0, source, {2_900: "missing"})
    theirs = [Sent(b"local-%d" % n, b"written on the target", BASE_MS + n) for n in range(20)]
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, Copy(records=[*copy.records[:1_700], *theirs, *copy.records[1_700:]]), remote=topic)
    lab.write_history(topic, {0: [OffsetRun(0, 0, 1_500), OffsetRun(2_999, len(source) - 2 + len(theirs), 1)]})

    audit = lab.audit((topic, topic), shared=True)

    assert lab.findings(audit) == [Planted(0, "missing", 2_900, None)]
    assert lab.run_row(audit, topic)["local_records"] == 20


def test_a_copy_with_kept_names_and_without_runs_is_compared_as_a_whole(lab: AuditLab) -> None:
    topic = "taken-over"
    lab.create(topic, 1, remote=topic)
    source = [record(0, number) for number in range(3_000)]
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, damaged(0, source, {}), remote=topic)
    lab.write_history(topic, {0: [OffsetRun(2_500, 2_500, 500)]}, with_runs=False)

    audit = lab.audit((topic, topic), shared=True)

    row = lab.run_row(audit, topic)
    assert (row["ranges_bad"], row["local_records"], row["proven_until_ms"]) == (0, 0, BASE_MS + audit)

    locals_ = [Sent(b"local-%d" % n, b"written on the target", BASE_MS + n) for n in range(30)]
    more = [record(0, number) for number in range(3_000, 3_500)]
    lab.write_source(topic, 0, more)
    lab.write_copy(topic, 0, Copy(records=[*locals_, *more]), remote=topic)
    lab.write_history(topic, {0: [OffsetRun(3_000, 3_030, 500)]})
    mixed = lab.audit((topic, topic), shared=True)

    assert lab.findings(mixed) == []
    assert lab.run_row(mixed, topic)["local_records"] == 30


def test_records_that_were_skipped_and_recorded_are_told_from_missing_ones(lab: AuditLab) -> None:
    topic = "left-out"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(6_000)]
    gone = {500, 700, 5_000, *range(2_000, 2_400)}
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, Copy(records=[each for number, each in enumerate(source) if number not in gone]))
    bounds = [(0, 500), (501, 700), (701, 2_000), (2_400, 5_000), (5_001, 6_000)]
    places = itertools.accumulate((following - first for first, following in bounds), initial=0)
    runs = [OffsetRun(first, at, following - first) for (first, following), at in zip(bounds, places, strict=False)]
    lab.write_history(topic, {0: runs})
    lab.write_letter(topic, 0, 500)
    lab.note_skipped(topic, 0, 700)
    lab.write_gap(topic, 0, 2_000, 2_400)
    lab.write_gap(topic, 0, 5_500, 5_600)  # copied after all, as the runs say

    audit = lab.audit((topic, lab.remote(topic)))

    found = lab.findings(audit)
    assert [each for each in found if each.kind == "missing"] == [Planted(0, "missing", 5_000, None)]
    row = lab.run_row(audit, topic)
    assert (row["missing"], row["dead_lettered"], row["skipped"], row["gap"]) == (1, 1, 1, 400)
    assert {each.source_offset for each in found} == gone
    assert row["records_source"] == 6_000
    assert row["proven_until_ms"] is None

    lab.write_letter(topic, 0, 5_000)
    again = lab.audit((topic, lab.remote(topic)))
    assert lab.run_row(again, topic)["missing"] == 0
    assert lab.run_row(again, topic)["proven_until_ms"] == BASE_MS + again


def test_a_copy_re_created_ends_what_was_proven_of_the_old_one(lab: AuditLab) -> None:
    topic = "remade"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(1_000)]
    copy = damaged(0, source, {})
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, copy)
    lab.write_history(topic, {0: copy.runs})
    proven = lab.audit((topic, lab.remote(topic)))
    assert lab.run_row(proven, topic)["proven_until_ms"] == BASE_MS + proven

    delete_topic(lab.target.bootstrap[0], lab.remote(topic))
    create_topic(lab.target.bootstrap[0], lab.remote(topic), 1)
    lab.write_copy(topic, 0, Copy(records=[*source[:500], *source[501:], source[0]]))
    audit = lab.audit((topic, lab.remote(topic)), mode="incremental")

    assert lab.run_row(audit, topic)["missing"] == 1
    assert lab.run_row(audit, topic)["proven_until_ms"] is None


def test_a_flow_that_changes_records_is_compared_by_counts(lab: AuditLab) -> None:
    topic = "masked"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(3_000)]
    copy = damaged(0, source, {1_200: "missing"})
    lab.write_source(topic, 0, source)
    copy.records = [each._replace(value=b"***") for each in copy.records]
    lab.write_copy(topic, 0, copy)
    lab.write_history(topic, {0: copy.runs})

    audit = lab.audit((topic, lab.remote(topic)), counts_only=True)

    assert [(each.kind, each.partition) for each in lab.findings(audit)] == [("missing", 0)]
    assert lab.run_row(audit, topic)["compared"] == "counts"
    assert json.loads(lab.run_row(audit, topic)["not_compared"]) == []


def test_counts_say_nothing_of_records_that_no_run_names(lab: AuditLab) -> None:
    topic = "masked-with-a-hole"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(2_000)]
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, Copy(records=source[:1_000] + source[1_100:]))
    lab.write_history(topic, {0: [OffsetRun(0, 0, 1_000), OffsetRun(1_100, 1_000, 900)]})

    audit = lab.audit((topic, lab.remote(topic)), counts_only=True)

    assert lab.findings(audit) == []
    assert lab.run_row(audit, topic)["filtered_records"] == 0
    (hole,) = json.loads(lab.run_row(audit, topic)["not_compared"])
    assert (hole["side"], hole["first"], hole["next"], hole["open"]) == ("source", 1_000, 1_100, True)


def test_counts_agree_where_the_flow_has_counted_what_it_filtered(lab: AuditLab) -> None:
    topic = "filtered"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(2_000)]
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, Copy(records=source[:1_000] + source[1_100:]))
    lab.write_history(topic, {0: [OffsetRun(0, 0, 1_000), OffsetRun(1_130, 1_030, 870)]})  # the run from 1,100 was lost
    lab.write_letter(topic, 0, 1_050)
    lab.note_filtered(99)

    audit = lab.audit((topic, lab.remote(topic)), counts_only=True)

    row = lab.run_row(audit, topic)
    assert (row["filtered_records"], row["dead_lettered"], row["missing"]) == (99, 1, 0)
    assert json.loads(row["not_compared"]) == []
    assert (row["records_source"], row["records_target"]) == (2_000, 1_900)


def test_a_topic_that_does_not_exist_fails_alone_and_says_where(lab: AuditLab) -> None:
    with pytest.raises(Exception, match="1 of 1 topics could not be compared"):
        lab.audit(("never-made", lab.remote("never-made")))

    error = lab.rows("SELECT error FROM audit_run WHERE topic = 'never-made'")[0][0]
    assert error == f"topic never-made does not exist on cluster {lab.source.alias}"


@pytest.mark.large  # every day the journey of `tests/e2e/test_planted_loss.py` shows it
def test_the_metrics_process_takes_an_audit_from_the_job_table(lab: AuditLab, metrics_process: MetricsProcess) -> None:
    topic = "asked-for"
    lab.create(topic, 1)
    source = [record(0, number) for number in range(2_000)]
    copy = damaged(0, source, {700: "missing"})
    lab.write_source(topic, 0, source)
    lab.write_copy(topic, 0, copy)
    lab.write_history(topic, {0: copy.runs})
    metrics_process.create_store()
    clusters = {cluster.alias: cluster.bootstrap[0] for cluster in (lab.source, lab.target)}
    metrics_process.write_targets(**clusters)
    spec = {"source": lab.source.alias, "target": lab.target.alias, "topics": [[topic, lab.remote(topic)]]}
    with sqlite3.connect(metrics_process.store) as connection:
        connection.execute(
            "INSERT INTO job_request (id, kind, target, spec, state, attempts) VALUES (5, 'audit', ?, ?, ?, 0)",
            (lab.target.alias, json.dumps(spec), "requested"),
        )
    connection.close()
    metrics_process.start()

    def is_done() -> bool:
        return [row["state"] for row in metrics_process.rows("SELECT state FROM job_request")] == ["done"]

    eventually(is_done, START_LIMIT_S, "the audit is done")
    (found,) = metrics_process.rows("SELECT kind, source_offset, target_offset, job_id FROM audit_finding")
    assert found == {"kind": "missing", "source_offset": 700, "target_offset": None, "job_id": 5}
    (run,) = metrics_process.rows("SELECT state, missing, records_source FROM audit_run")
    assert run == {"state": "done", "missing": 1, "records_source": 2_000}
