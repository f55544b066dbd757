"""Each topic of a source has one of five states, with a reason."""

from replication.domain.names.filters import NameFilter
from replication.domain.names.replication_policy import IdentityPolicy
from replication.domain.plan.plan_document import PlanDocument, PlanTopic, SkippedTopic
from replication.domain.plan.topic_plan import TopicRules, select_topics
from replication.domain.questions.topic_state import SeenTopics, TopicState, page_of, topic_states

PARTITIONS = {"copied": 1, "new": 1, "other": 1, "secret": 1, "held": 1, "theirs": 1, "was": 1, "__offsets": 50}


def _topic(name: str) -> PlanTopic:
    return PlanTopic(
        upstream=name,
        remote=name,
        topic_id=bytes(16),
        partitions=1,
        max_message_bytes=1,
        timestamp_type="CreateTime",
    )


PLAN = PlanDocument(
    target="west",
    source="east",
    generation=1,
    version=1,
    desired_revision=1,
    planned_ms=0,
    tasks_max=1,
    topics=(_topic("copied"), _topic("deleted")),
    slots=(((0, 0), (1, 0)),),
    left=(("was", None),),
    skipped=(SkippedTopic(topic="held", reason="compacted on the target"),),
)


def _states(plan: PlanDocument | None = PLAN) -> dict[str, TopicState]:
    filters = NameFilter.of(["copied", "new", "held", "secret"], ["secret"])
    rules = TopicRules(source="east", target="west", policy=IdentityPolicy("east"), topics=filters)
    seen = SeenTopics(
        rules=rules,
        partitions=PARTITIONS,
        selection=select_topics(rules, PARTITIONS),
        plan=plan,
        copied_by={"theirs": "north->west"},
    )
    return {each.topic: each for each in topic_states(seen)}


def test_every_topic_has_its_state() -> None:
    assert {name: each.state for name, each in _states().items()} == {
        "__offsets": "denied",
        "copied": "replicated",
        "deleted": "departed",
        "held": "conflicting",
        "new": "available",
        "other": "available",
        "secret": "denied",
        "theirs": "conflicting",
        "was": "departed",
    }


def test_reasons_tell_available_topics_apart() -> None:
    states = _states()

    assert states["new"].reason == "the flow selects it; the next planning run adds it"
    assert states["other"].reason == "no allow pattern matches it"
    assert states["theirs"].reason == "north->west copies to theirs"
    assert states["deleted"].partitions is None


def test_without_a_plan_nothing_is_replicated() -> None:
    assert {each.state for each in _states(None).values()} == {"available", "denied", "conflicting"}


def test_pages_filter_by_state_and_text_and_follow_a_name() -> None:
    states = tuple(_states().values())

    assert [each.topic for each in page_of(states, state="departed", search="", after="")] == ["deleted", "was"]
    assert [each.topic for each in page_of(states, state="departed", search="", after="deleted")] == ["was"]
    assert [each.topic for each in page_of(states, state="", search="COPI", after="")] == ["copied"]


def test_pages_follow_an_order_over_all_topics_with_unknown_values_last() -> None:
    states = tuple(_states().values())
    for ordering in ("partitions", "-reason", "-topic", "state"):
        column = ordering.lstrip("-")
        all_of_them = page_of(states, state="", search="", after="", ordering=ordering)
        values = [getattr(each, column) for each in all_of_them if getattr(each, column) is not None]
        assert values == sorted(values, reverse=ordering.startswith("-"))
        assert [getattr(each, column) for each in all_of_them[len(values) :]] == [None] * (len(states) - len(values))
        for place, each in enumerate(all_of_them, 1):
            rest = page_of(states, state="", search="", after=each.topic, ordering=ordering)
            assert rest == all_of_them[place:]
            left = page_of(states, state="denied", search="", after=each.topic, ordering=ordering)
            assert left == tuple(one for one in rest if one.state == "denied")
