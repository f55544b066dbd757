"""Translations on topics that came back from the target, in both directions."""

from dataclasses import replace

import pytest

from replication.codecs.offset_runs import encode_key, encode_value
from replication.connectors.group_questions.answers import answer_about_groups
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.desired.desired_document import ConnectorSettings, NamePatterns
from replication.domain.identifiers import FlowId
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.questions.groups import Direction, PlaceToTranslate, TranslatedPlace, Translations
from replication.domain.questions.question import Question
from tests.unit.replication.connectors.group_questions.copied_flow import FLOW, CopiedFlow

RETURNING = replace(
    FLOW,
    topics=NamePatterns(allow=("orders", r"west\.pay")),
    connectors=ConnectorSettings(checkpoint={"cloudera.reverse.checkpointing.enabled": "true"}),
)
BACK_AND_FORTH = [("to_target", 4, 14), ("to_source", 14, 4)]


@pytest.fixture
def flow() -> CopiedFlow:
    """`west.pay` on east has the records of `pay` from 10 on."""
    made = CopiedFlow()
    made.west.create("pay")
    made.east.create("west.pay")
    made._write(made.west, "pay", 0, range(20))
    made._write(made.east, "west.pay", 0, range(10, 20))
    return made


def tell_runs(flow: CopiedFlow) -> None:
    reverse = CopyTopics.of(FlowId("west", "east"), separator=".", syncs_on_target=False)
    segment = RunSegment("pay", 0, flow.west.topics["pay"].topic_id, (OffsetRun(10, 0, 10),))
    flow.tell(flow.east, reverse.runs, encode_key(segment), encode_value(segment))


def asked(request: FlowRequest, *places: PlaceToTranslate) -> tuple[TranslatedPlace, ...]:
    question = Question(
        id="q", kind="translate", target="west", sources=("east",), document="", asked_ms=0, places=places
    )
    answer = answer_about_groups(question, replace(request, flow=RETURNING))
    assert isinstance(answer, Translations)
    return answer.items


@pytest.mark.parametrize(("direction", "given", "place"), BACK_AND_FORTH)
def test_the_flow_the_other_way_tells_the_place(flow: CopiedFlow, direction: Direction, given: int, place: int) -> None:
    tell_runs(flow)

    (found,) = asked(flow.request(), PlaceToTranslate(topic="west.pay", partition=0, direction=direction, offset=given))

    assert (found.kind, found.offset, found.topic, found.remote) == ("exact", place, "west.pay", "pay")


@pytest.mark.parametrize(("direction", "given", "_"), BACK_AND_FORTH)
def test_a_place_without_evidence_leaves_the_others(flow: CopiedFlow, direction: Direction, given: int, _: int) -> None:
    items = asked(
        flow.request(),
        PlaceToTranslate(topic="west.pay", partition=0, direction=direction, offset=given),
        PlaceToTranslate(topic="west.pay", partition=7, direction=direction, offset=given),
        PlaceToTranslate(topic="orders", partition=0, offset=80),
    )

    assert [(each.kind, each.offset) for each in items] == [("impossible", None), ("impossible", None), ("exact", 61)]
