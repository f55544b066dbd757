"""The topics of a real cluster that a flow copies, and the names of the copies."""

import pytest

from replication.domain.desired.desired_document import PolicyChoice
from tests.integration.connectors.conftest import Planning, copied

pytestmark = pytest.mark.kafka

HEARTBEATS = {"heartbeats.replication.enabled": "true"}


def test_internal_topics_and_topics_from_the_target_are_not_copied(planning: Planning) -> None:
    mark, target = planning.mark, planning.target_client.alias
    plain, foreign = planning.create(f"orders-{mark}"), planning.create(f"third.{mark}")
    for name in (
        f"__{mark}",
        f".{mark}",
        f"mm2-offsets.{mark}.internal",
        f"{mark}.checkpoints.internal",
        f"srm-metrics.{mark}.internal",
        f"{mark}-internal",
        f"{target}.{mark}",
        f"third.{target}.{mark}",
    ):
        planning.create(name)

    plan = planning.connector().run_once(None, 0)

    assert copied(plan) == {plain: planning.remote(plain), foreign: planning.remote(foreign)}


def test_the_rule_of_kafka_4_copies_names_that_only_sound_internal(planning: Planning) -> None:
    mark = planning.mark
    connect, sounding = planning.create(f"{mark}-connect.configs.internal"), planning.create(f"{mark}-internal")
    planning.create(f"mm2-offsets.{mark}.internal")
    planning.create(f"{mark}.checkpoints.internal")

    plan = planning.connector(settings={"srm.internal.topics.rule": "kafka4"}).run_once(None, 0)

    assert set(copied(plan)) == {connect, sounding}


def test_patterns_are_javas_match_whole_names_and_deny_wins(planning: Planning) -> None:
    mark = planning.mark
    wanted = [planning.create(f"{mark}-{name}") for name in ("orders", "v1.2", "log07")]
    for name in ("orders-old", "old-orders", "v1x2", "log7", "log08"):
        planning.create(f"{mark}-{name}")

    connector = planning.connector(
        rf"{mark}-orders", rf"{mark}-\Qv1.2\E", rf"{mark}-log\p{{Digit}}{{2}}", deny=(rf"{mark}-log\d8",)
    )

    assert sorted(copied(connector.run_once(None, 0))) == sorted(wanted)


def test_heartbeats_pass_any_filter_under_their_prefix_until_they_are_switched_off(planning: Planning) -> None:
    mark, target = planning.mark, planning.target_client.alias
    planning.create("heartbeats", cleanup_policy="compact")
    carried, returning = planning.create(f"third{mark}.heartbeats"), planning.create(f"{target}.heartbeats")

    plan = planning.connector("nothing", settings=HEARTBEATS).run_once(None, 0)

    assert copied(plan)["heartbeats"] == planning.remote("heartbeats")
    assert copied(plan)[carried] == planning.remote(carried)
    assert returning not in copied(plan)
    assert copied(planning.connector("nothing").run_once(None, 0)) == {}


def test_heartbeats_are_copied_through_three_clusters_or_as_many_as_the_setting_allows(planning: Planning) -> None:
    near, far = (planning.create(f"{path}{planning.mark}.heartbeats") for path in ("p.q", "p.q.r"))
    further = HEARTBEATS | {"srm.heartbeats.max.hops": "4"}

    assert copied(planning.connector("nothing", settings=HEARTBEATS).run_once(None, 0)).keys() >= {near}
    assert far not in copied(planning.connector("nothing", settings=HEARTBEATS).run_once(None, 0))
    assert copied(planning.connector("nothing", settings=further).run_once(None, 0)).keys() >= {near, far}


def test_heartbeats_of_another_deployment_end_here_and_its_alias_is_named(planning: Planning) -> None:
    planning.create(f"foreign{planning.mark}.{planning.source_client.alias}.heartbeats")

    plan = planning.connector("nothing", settings=HEARTBEATS).run_once(None, 0)

    assert not [topic for topic in copied(plan) if planning.mark in topic]
    (told,) = [warning.text for warning in plan.warnings if warning.code == "foreign_aliases"]
    assert f"foreign{planning.mark}" in told


def test_a_name_with_the_separator_in_it_is_copied_like_any_other(planning: Planning) -> None:
    name = planning.create(f"odd.{planning.mark}.name")

    plan = planning.connector().run_once(None, 0)

    assert copied(plan) == {name: planning.remote(name)}
    assert planning.remote(name) in planning.target.list_topics()


def test_identity_keeps_names_of_copies_of_third_clusters_too(planning: Planning) -> None:
    plain, foreign = planning.create(f"orders-{planning.mark}"), planning.create(f"third.{planning.mark}")

    # other tests leave books of flows on the clusters, which look like a ring of flows that keep names
    connector = planning.connector(policy=PolicyChoice(kind="identity"), settings={"srm.loop.protection": "headers"})

    plan = connector.run_once(None, 0)

    assert copied(plan) == {plain: plain, foreign: foreign}


@pytest.mark.parametrize(("in_internal_names", "expected"), [("true", "__"), ("false", ".")])
def test_another_separator_is_in_remote_names_and_where_wanted_in_internal_ones(
    planning: Planning, in_internal_names: str, expected: str
) -> None:
    mark, source, target = planning.mark, planning.source_client.alias, planning.target_client.alias
    name = planning.create(f"orders-{mark}")
    planning.create(f"{target}__{mark}")  # a copy of the target's topic under this separator
    settings = {"replication.policy.internal.topic.separator.enabled": in_internal_names}

    plan = planning.connector(policy=PolicyChoice(separator="__"), settings=settings).run_once(None, 0)

    assert copied(plan) == {name: f"{source}__{name}"}
    assert planning.source.list_topics()[f"mm2-offset-syncs{expected}{target}{expected}internal"] == 1
    assert planning.target.list_topics()[f"mm2-offsets.{source}.internal"] == 25


def test_a_name_too_long_with_its_prefix_is_skipped_with_the_reason(planning: Planning) -> None:
    long, short = planning.create(planning.mark + "x" * 243), planning.create(f"{planning.mark}-short")

    plan = planning.connector().run_once(None, 0)

    assert list(copied(plan)) == [short]
    assert [skipped.topic for skipped in plan.skipped] == [long]
    assert "249" in plan.skipped[0].reason
