"""Clauses become sentences; names keep their spelling."""

import pytest

from replication.domain.errors import Cause, ConfigurationError
from replication.domain.plan.plan_document import PlanWarning, plan_warning
from replication.domain.plan.preflight import PreflightFinding, warning_of
from replication.domain.sentences import sentence


@pytest.mark.parametrize(
    ("clause", "told"),
    [
        ("the target refuses a record", "The target refuses a record."),
        ("cluster east: writing to orders-3: no leader", "Cluster east: writing to orders-3: no leader."),
        ("a disk is full; is it broken?", "A disk is full; is it broken?"),
        ("It is a sentence.", "It is a sentence."),
        ("orders-3: no progress", "orders-3: no progress."),
        ("sasl.jaas.config is missing", "sasl.jaas.config is missing."),
        ("east->west is disabled", "east->west is disabled."),
        ("3 of 4 tasks failed", "3 of 4 tasks failed."),
        ("", ""),
    ],
)
def test_a_clause_gets_a_capital_and_a_full_stop(clause: str, told: str) -> None:
    assert sentence(clause) == told
    assert sentence(told) == told


def test_a_clause_that_begins_with_a_given_name_keeps_its_spelling() -> None:
    assert sentence("orders: too large", "orders") == "orders: too large."
    assert sentence("orders: too large", None) == "Orders: too large."


def test_a_command_can_be_copied_without_a_full_stop() -> None:
    assert sentence("grant it: kafka-acls --add --topic orders") == "Grant it: kafka-acls --add --topic orders"


def test_a_warning_of_a_plan_is_a_sentence_and_names_its_cluster() -> None:
    finding = PreflightFinding(
        severity="warning", code="c", text="orders has 3 partitions", remedy="count them", topic="orders", cluster="b"
    )

    assert warning_of(finding) == PlanWarning(code="c", text="orders has 3 partitions; count them.", cluster="b")
    assert plan_warning("c", "the target is full").text == "The target is full."


def test_a_finding_is_told_in_sentences() -> None:
    finding = PreflightFinding(severity="note", code="c", text="orders is wide", remedy="count them", topic="orders")

    assert (finding.as_told().text, finding.as_told().remedy) == ("orders is wide.", "Count them.")


def test_drivers_report_causes_as_sentences() -> None:
    named = Cause.of(ConfigurationError("orders holds a record of 2 MB", topic="orders"), since_ms=7)
    plain = Cause.of(ConfigurationError("the changed login is refused"), since_ms=7)

    assert named.as_reported()["text"] == "orders holds a record of 2 MB."
    assert plain.as_reported() == {
        "code": "configuration",
        "text": "The changed login is refused.",
        "topic": None,
        "partition": None,
        "since_ms": 7,
    }
