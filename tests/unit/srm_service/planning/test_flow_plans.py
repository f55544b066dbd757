"""The service's part of a change plan: values, findings, and answers that cannot be read."""

from replication.domain.identifiers import FlowId
from replication.domain.plan.preflight import FindingSeverity, PreflightFinding
from replication.domain.questions.flow_changes import CreatedTopic, FlowChanges, TakenName
from replication.domain.questions.json_shape import to_plain
from replication.domain.questions.question import FlowAnswer
from srm_service.planning.contracts import ShownValue
from srm_service.planning.flow_plans import (
    changed_values,
    flow_changes_of,
    shared_names,
    taken_findings,
    with_findings,
)

FLOW = FlowId("east", "west")
BEFORE = {"tasks.max": ShownValue(value="2", level="flow"), "topics": ShownValue(value="a", level="global")}


def _changes(source: str = "east", *, created: tuple[str, ...] = ()) -> FlowChanges:
    topics = tuple(CreatedTopic(name=name, partitions=1, upstream=name) for name in created)
    return FlowChanges(source=source, target="west", topics_created=topics)


def _finding(code: str, severity: FindingSeverity = "error") -> PreflightFinding:
    return PreflightFinding(severity=severity, code=code, text="t", remedy="r")


def test_only_values_that_differ_in_value_or_level_are_told() -> None:
    after = {
        **BEFORE,
        "tasks.max": ShownValue(value="3", level="flow"),
        "topics": ShownValue(value="a", level="flow"),
        "srm.linger.ms": ShownValue(value="7", level="flow"),
        "srm.loop.protection": ShownValue(value="headers", level="flow"),
    }

    told = {each.key: (each.before, each.after, each.takes_effect) for each in changed_values(BEFORE, after)}

    assert set(told) == {"tasks.max", "topics", "srm.linger.ms", "srm.loop.protection"}
    assert told["topics"][:2] == ("a", "a")
    assert told["topics"][2] == "live"
    assert told["srm.linger.ms"][1:] == ("7", "live")
    assert told["srm.loop.protection"][1:] == ("headers", "restart")
    assert told["tasks.max"] == ("2", "3", "live")


def test_a_new_flow_has_no_values_before_and_a_removed_one_tells_none() -> None:
    assert {each.before for each in changed_values(None, BEFORE)} == {None}
    assert changed_values(BEFORE, None) == ()


def test_a_value_without_a_level_is_its_default() -> None:
    (value,) = changed_values(BEFORE, {"topics": BEFORE["topics"]})

    assert (value.key, value.after, value.level_after) == ("tasks.max", "1", None)


def test_an_answer_of_another_release_is_a_part_that_was_not_looked_at() -> None:
    content = to_plain(_changes()) | {"topics_created": "many"}

    changes = flow_changes_of(FLOW, FlowAnswer(content=content))

    assert changes.topics_created is None
    assert "topics_created" in changes.unlooked[0].reason
    assert flow_changes_of(FLOW, FlowAnswer()).unlooked[0].part == "flow"


def test_findings_come_errors_first_and_once_per_code() -> None:
    found = with_findings(_changes(), [_finding("b", "note"), _finding("a"), _finding("c", "warning")])

    assert [each.code for each in found.findings] == ["a", "c", "b"]
    assert found.counts["findings"] == 3
    assert with_findings(found, [_finding("a")]) == found


def test_flows_that_create_one_topic_name_each_other_and_no_others() -> None:
    found = shared_names([_changes("east", created=("orders",)), _changes("north", created=("orders", "bills"))])

    assert {str(flow): [each.code for each in findings] for flow, findings in found.items()} == {
        "east->west": ["remote_name_shared"],
        "north->west": ["remote_name_shared"],
    }
    assert "north->west" in found[FLOW][0].text


def test_a_taken_name_says_by_whom() -> None:
    taken = (
        TakenName(upstream="a", remote="a", taken_by="north->west"),
        TakenName(upstream="b", remote="b", taken_by=None),
    )
    changes = FlowChanges(source="east", target="west", names_taken=taken)

    first, second = taken_findings(changes)

    assert "north->west copies to it" in first.text
    assert "has not created it" in second.text
    assert (first.topic, second.topic) == ("a", "b")
