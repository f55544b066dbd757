"""Cycles among drafted flows are found before any of them has run."""

import pytest

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.identifiers import FlowId
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.questions.cycles_of_drafts import draft_cycles


def _flow(source: str, kind: PolicyKind = "identity", **settings: str) -> DesiredFlow:
    dotted = {key.replace("_", "."): value for key, value in settings.items()}
    return DesiredFlow(
        source=source,
        topics=NamePatterns(allow=(".*",)),
        policy=PolicyChoice(kind=kind),
        connectors=ConnectorSettings(source=dotted),
    )


def _codes(*flows: tuple[str, str, DesiredFlow]) -> dict[str, list[tuple[str, str]]]:
    found = draft_cycles({FlowId(source, target): flow for source, target, flow in flows})
    return {str(flow): [(each.severity, each.code) for each in findings] for flow, findings in found.items()}


def test_an_unprotected_pair_that_keeps_names_is_an_error_on_both_flows() -> None:
    off = _flow("a", srm_loop_protection="off")

    assert _codes(("a", "b", off), ("b", "a", _flow("b"))) == {
        "a->b": [("error", "identity_loop")],
        "b->a": [("error", "identity_loop")],
    }


def test_a_protected_pair_is_only_noted() -> None:
    found = _codes(("a", "b", _flow("a")), ("b", "a", _flow("b")))

    assert found == {"a->b": [("note", "identity_pair")], "b->a": [("note", "identity_pair")]}


def test_a_pair_of_two_policies_is_a_warning_on_both_flows() -> None:
    found = _codes(("a", "b", _flow("a")), ("b", "a", _flow("b", "default")))

    assert found == {"a->b": [("warning", "mixed_policies")], "b->a": [("warning", "mixed_policies")]}


def test_a_ring_is_found_once_per_flow_and_named() -> None:
    ring = (("a", "b", _flow("a")), ("b", "c", _flow("b")), ("c", "a", _flow("c")))

    assert _codes(*ring) == {name: [("error", "identity_circle")] for name in ("a->b", "b->c", "c->a")}


def test_a_ring_in_which_every_flow_is_decided_is_no_finding() -> None:
    ring = [
        (source, target, _flow(source, srm_loop_protection="headers"))
        for source, target in (("a", "b"), ("b", "c"), ("c", "a"))
    ]

    assert _codes(*ring) == {}


@pytest.mark.parametrize("kind", ["default", "identity"])
def test_a_chain_is_no_cycle(kind: PolicyKind) -> None:
    assert _codes(("a", "b", _flow("a", kind)), ("b", "c", _flow("b", kind))) == {}


def test_two_renaming_flows_are_no_finding() -> None:
    assert _codes(("a", "b", _flow("a", "default")), ("b", "a", _flow("b", "default"))) == {}
