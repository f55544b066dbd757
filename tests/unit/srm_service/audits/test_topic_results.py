"""The result of a topic over all audits of its flow."""

import pytest

from metrics.audit.cuts import Cut
from metrics.audit.ranges import FrozenPartition, plan_partition
from replication.domain.reporting.audit_words import FINDING_KINDS, FindingKind
from srm_service.audits.audit_state import LIMIT_REASON
from srm_service.audits.topic_results import (
    CombinedResult,
    ResultKind,
    TopicResult,
    combined_result,
    worst_result,
)


def result(kind: ResultKind, audit_id: int, *, compared: str = "records", **found: int) -> TopicResult:
    counts: dict[FindingKind, int] = {name: found.get(name, 0) for name in FINDING_KINDS}
    return TopicResult(kind=kind, audit_id=audit_id, at_ms=audit_id * 1_000, compared=compared, findings=counts)


def test_a_topic_no_audit_has_compared_is_unknown() -> None:
    assert combined_result("orders", ()) == CombinedResult(topic="orders", verdict="unknown")


@pytest.mark.parametrize(
    ("results", "verdict", "audit_id"),
    [
        ([result("full", 1)], "equal", 1),
        ([result("full", 1), result("incremental", 2)], "equal", 2),
        ([result("full", 3), result("incremental", 2)], "equal", 3),
        ([result("full", 1, duplicate=2)], "warnings", 1),
        ([result("full", 1, compared="counts")], "counts_agree", 1),
        ([result("found", 2, missing=1)], "different", 2),
        ([result("full", 1), result("found", 2, missing=1)], "different", 2),
        ([result("found", 2, missing=1), result("full", 3)], "equal", 3),
        ([result("found", 2, missing=1), result("incremental", 3)], "equal", 3),
        ([result("found_unproven", 2, missing=1), result("incremental", 3)], "different", 2),
        ([result("found_unproven", 2, missing=1), result("full", 3)], "equal", 3),
        (
            [result("found_unproven", 2, changed=1), result("incremental", 4), result("found", 3, missing=1)],
            "different",
            2,
        ),
        ([result("found_unproven", 2, changed=1), result("full", 1), result("found", 3, missing=1)], "different", 3),
    ],
)
def test_a_difference_stands_until_the_same_records_were_compared_again(
    results: list[TopicResult], verdict: str, audit_id: int
) -> None:
    found = combined_result("orders", results)

    assert (found.verdict, found.audit_id, found.at_ms) == (verdict, audit_id, audit_id * 1_000)
    assert combined_result("orders", reversed(results)) == found


@pytest.mark.parametrize(
    ("results", "worst"),
    [
        (("equal", "equal"), "equal"),
        (("equal", "unknown"), "unknown"),
        (("unknown", "different"), "different"),
        (("equal", "warnings", "counts_agree"), "warnings"),
        ((), "unknown"),
    ],
)
def test_a_flow_is_as_good_as_its_worst_topic(results: tuple[str, ...], worst: str) -> None:
    topics = [CombinedResult(topic=str(place), verdict=verdict) for place, verdict in enumerate(results)]  # type: ignore[arg-type]

    assert worst_result(topics) == worst


def test_an_audit_that_was_limited_says_so_in_the_words_that_are_looked_for() -> None:
    frozen = FrozenPartition(
        partition=0, source_start=0, target_start=0, end=Cut(9_000, 9_000), cuts=(Cut(0, 0), Cut(4_000, 4_000))
    )

    plan = plan_partition(frozen, first_number=0, max_offsets=10)

    assert [each.reason for each in plan.not_compared] == [LIMIT_REASON]
