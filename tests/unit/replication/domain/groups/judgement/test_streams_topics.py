"""Kafka Streams applications and their internal topics."""

from replication.domain.groups.judgement.streams_topics import streams_cause, streams_topics

TOPICS = (
    "orders",
    "app-counts-changelog",
    "app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition",
    "app2-counts-changelog",
    "app--changelog",
    "app-changelog",
)


def test_internal_topics_are_found_by_the_group_and_their_ends() -> None:
    found = [(each.topic, each.kind, each.name) for each in streams_topics("app", TOPICS)]

    assert found == [
        (
            "app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition",
            "repartition",
            "KSTREAM-AGGREGATE-STATE-STORE-0000000003",
        ),
        ("app-counts-changelog", "changelog", "counts"),
    ]


def test_state_stores_that_are_not_copied_are_named() -> None:
    found = streams_cause("app", TOPICS, {"orders": "a.orders"}, "b")

    assert found is not None
    assert "state store counts (app-counts-changelog)" in found.text
    assert "repartition" in found.text
    assert found.readiness == "blocked"


def test_a_copy_under_another_name_is_no_use_to_the_application() -> None:
    renamed = streams_cause("app2", TOPICS, {"app2-counts-changelog": "a.app2-counts-changelog"}, "b")
    kept = streams_cause("app2", TOPICS, {"app2-counts-changelog": "app2-counts-changelog"}, "b")

    assert renamed is not None
    assert kept is None


def test_other_groups_are_no_streams_applications() -> None:
    assert streams_cause("orders", TOPICS, {}, "b") is None


def test_many_topics_are_counted() -> None:
    topics = [f"app-{number}-changelog" for number in range(7)]

    found = streams_cause("app", topics, {}, "b")

    assert found is not None
    assert found.text.endswith("(app-4-changelog) and 2 more.")
