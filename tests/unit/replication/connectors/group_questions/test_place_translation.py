"""Translations of any place, with the evidence."""

import pytest

from replication.connectors.group_questions.answers import answer_about_groups
from replication.domain.errors import ConfigurationError
from replication.domain.questions.groups import PlaceToTranslate, TranslatedPlace, Translations
from replication.domain.questions.question import Question
from tests.unit.replication.connectors.group_questions.copied_flow import CopiedFlow


@pytest.fixture
def flow() -> CopiedFlow:
    return CopiedFlow()


def asked(flow: CopiedFlow, *places: PlaceToTranslate) -> Translations:
    answer = flow.ask("translate", places=places)
    assert isinstance(answer, Translations)
    return answer


def one(flow: CopiedFlow, place: PlaceToTranslate) -> TranslatedPlace:
    (found,) = asked(flow, place).items
    return found


def test_an_offset_is_translated_with_the_run_that_names_it(flow: CopiedFlow) -> None:
    found = one(flow, PlaceToTranslate(topic="orders", partition=0, offset=80))

    assert (found.kind, found.reason, found.offset, found.given_offset) == ("exact", "inside_run", 61, 80)
    assert "an offset run has east 80 at west 61" in found.evidence


def test_the_other_direction_is_the_inverse(flow: CopiedFlow) -> None:
    found = one(flow, PlaceToTranslate(topic="orders", partition=0, offset=61, direction="to_source"))

    assert (found.kind, found.offset, found.topic, found.remote) == ("exact", 80, "orders", "east.orders")


def test_a_topic_may_be_named_as_on_the_target(flow: CopiedFlow) -> None:
    found = one(flow, PlaceToTranslate(topic="east.orders", partition=0, offset=80))

    assert (found.topic, found.remote, found.offset) == ("orders", "east.orders", 61)


def test_a_time_is_that_of_the_asked_side(flow: CopiedFlow) -> None:
    forwards = one(flow, PlaceToTranslate(topic="orders", partition=0, timestamp_ms=1_080))
    backwards = one(flow, PlaceToTranslate(topic="orders", partition=1, timestamp_ms=1_080, direction="to_source"))

    assert (forwards.given_offset, forwards.offset) == (80, 61)
    assert "the first record at or after the time is 80" in forwards.evidence
    assert backwards.given_offset == 80


def test_a_time_after_all_records_is_the_end_of_the_log(flow: CopiedFlow) -> None:
    found = one(flow, PlaceToTranslate(topic="orders", partition=0, timestamp_ms=10_000_000))

    assert (found.given_offset, found.offset) == (100, 81)
    assert "the log ends at 100" in found.evidence


def test_bounds_are_narrowed_by_records_and_name_the_sync(flow: CopiedFlow) -> None:
    found = one(flow, PlaceToTranslate(topic="orders", partition=1, offset=40))

    assert (found.kind, found.offset) == ("exact", 40)
    assert "the last offset sync has east 10 at west 10" in found.evidence
    assert "MirrorMaker would compute 11" in found.evidence


def test_without_the_source_the_targets_topics_tell(flow: CopiedFlow) -> None:
    flow.east.is_up = False

    answer = asked(
        flow,
        PlaceToTranslate(topic="orders", partition=0, offset=80),
        PlaceToTranslate(topic="orders", partition=0, timestamp_ms=1_080),
    )

    by_offset, by_time = answer.items
    assert [each.part for each in answer.unlooked] == ["source"]
    assert (by_offset.offset, by_time.offset, by_time.given_offset) == (61, 61, None)
    assert "the target's topics alone tell this" in by_offset.evidence
    assert "copies keep the times of their records" in by_time.evidence


def test_places_that_cannot_be_answered_keep_their_order(flow: CopiedFlow) -> None:
    items = asked(
        flow,
        PlaceToTranslate(topic="unknown", partition=0, offset=1),
        PlaceToTranslate(topic="orders", partition=7, offset=1),
        PlaceToTranslate(topic="orders", partition=0),
        PlaceToTranslate(topic="orders", partition=0, offset=20),
    ).items

    assert [each.kind for each in items] == ["impossible", "impossible", "impossible", "exact"]
    assert items[2].evidence == "give an offset or a time"


def test_a_flow_without_a_plan_says_so(flow: CopiedFlow) -> None:
    request = flow.request()
    object.__setattr__(request, "plan", None)
    question = Question(id="q", kind="translate", target="west", sources=("east",), document="", asked_ms=0)

    with pytest.raises(ConfigurationError, match="no plan yet"):
        answer_about_groups(question, request)
