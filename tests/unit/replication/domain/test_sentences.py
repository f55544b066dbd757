"""Clauses become sentences; names keep their spelling."""

import pytest

from replication.domain.errors import Cause, ConfigurationError
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
