"""Questions and answers between service and control worker survive JSON, and refuse what is not theirs."""

import json
from dataclasses import replace

import pytest

from replication.domain.desired.json_reader import FieldError
from replication.domain.plan.preflight import PreflightFinding
from replication.domain.questions.config_drift import ConfigDrift, DriftedConfig
from replication.domain.questions.flow_changes import (
    CreatedTopic,
    Estimate,
    FlowChanges,
    SlotRestart,
    TaskChange,
    Unlooked,
    bounded,
)
from replication.domain.questions.json_shape import from_plain, to_plain
from replication.domain.questions.question import (
    Question,
    QuestionError,
    answer_from_json,
    answer_to_json,
    question_from_json,
    question_to_json,
)

QUESTION = Question(id="1", kind="change_plan", target="west", sources=("east",), document="{}", asked_ms=5)
CHANGE = FlowChanges(
    source="east",
    target="west",
    topics_created=(CreatedTopic(name="east.a", partitions=3, upstream="a"),),
    topics_added=("a", "b", "c"),
    findings=(PreflightFinding(severity="error", code="x", text="t", remedy="r", topic="a"),),
    tasks=TaskChange(before=1, after=2, restarts=(SlotRestart(slot=0, because=("tasks.max",)),)),
    estimate=Estimate(partitions=3, records=9, bytes=None),
    unlooked=(Unlooked(part="acls", reason="no right"),),
)


def test_a_question_survives_json() -> None:
    assert question_from_json(question_to_json(QUESTION)) == QUESTION


def test_a_newer_question_is_refused_and_unknown_fields_are_ignored() -> None:
    raw = json.loads(question_to_json(QUESTION))

    assert question_from_json(json.dumps(raw | {"later": 1})) == QUESTION
    with pytest.raises(QuestionError, match="upgrade"):
        question_from_json(json.dumps(raw | {"v": 2}))


@pytest.mark.parametrize("change", [{"kind": "format_disk"}, {"sources": "east"}, {"asked_ms": True}, {"target": None}])
def test_a_question_with_a_field_of_another_type_is_refused_by_the_name_of_the_field(change: dict[str, object]) -> None:
    raw = json.loads(question_to_json(QUESTION)) | change

    with pytest.raises(QuestionError, match=next(iter(change))):
        question_from_json(json.dumps(raw))


@pytest.mark.parametrize("text", ["", "[]", "7", '{"content": 3}', '{"problem": []}'])
def test_an_answer_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(QuestionError):
        answer_from_json(text)


def test_a_change_plan_survives_its_answer() -> None:
    answer = answer_from_json(answer_to_json(CHANGE))

    assert answer.content is not None
    assert from_plain(FlowChanges, answer.content) == CHANGE


def test_an_inner_field_is_named_by_its_path() -> None:
    content = to_plain(CHANGE)
    content["topics_created"][0]["partitions"] = "many"

    with pytest.raises(FieldError, match=r"topics_created\[0\]\.partitions"):
        from_plain(FlowChanges, content)


def test_lists_are_bounded_and_counted_and_unknown_ones_stay_unknown() -> None:
    short = bounded(CHANGE, 2)

    assert short.topics_added == ("a", "b")
    assert short.counts["topics_added"] == 3
    assert short.configs is None
    assert "configs" not in short.counts


def test_a_drift_survives_plain_values() -> None:
    row = DriftedConfig(
        topic="a", remote="east.a", key="k", source_value="1", target_value=None, is_synced=True, reason=None
    )
    drift = ConfigDrift(source="east", target="west", items=(row,), counts={"items": 1})

    assert from_plain(ConfigDrift, to_plain(drift)) == drift
    assert from_plain(ConfigDrift, to_plain(replace(drift, items=()))).items == ()
