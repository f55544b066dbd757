"""Two flows into one target that would write the same group on the same remote topics."""

from dataclasses import replace

import pytest

from replication.connectors.groups.group_planner import GroupPlanner
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument, PlanGroups, PlanTopic, plan_from_json, plan_to_json
from replication.memory.broker import MemoryCluster
from replication.memory.groups import MemoryGroupAdmin
from replication.tasks.groups.taken_groups import taken_summaries
from tests.support.plans import plan_of

INTERVAL_MS = 600_000


def plan(source: str, *groups: str, remote: str = "orders") -> PlanDocument:
    topic = PlanTopic(
        upstream="orders",
        remote=remote,
        topic_id=bytes(16),
        partitions=1,
        max_message_bytes=1,
        timestamp_type="CreateTime",
    )
    return plan_of(
        source=source,
        topics=(topic,),
        slots=(((0, 0),),),
        groups=PlanGroups(slots=(groups,) if groups else (), most_slots=1),
    )


@pytest.fixture
def planner() -> GroupPlanner:
    """The planner of east->west, where the groups app and other have commits."""
    east = MemoryCluster("east")
    for group in ("app", "other"):
        east.group(group).commits[TopicPartition("orders", 0)] = Commit(5)
    flow = DesiredFlow(
        source="east", tasks_max=2, topics=NamePatterns(allow=(".*",)), groups=NamePatterns(allow=(".*",))
    )
    return GroupPlanner(flow, MemoryGroupAdmin(east))


def names(found: PlanDocument) -> set[str]:
    return {name for slot in found.groups.slots for name in slot}


def test_a_group_that_another_flow_has_is_left_to_it(planner: GroupPlanner) -> None:
    found = planner.run_once(plan("east"), 1, [plan("north", "app")])

    assert names(found) == {"other"}
    assert found.groups.taken == (("app", "north", ("orders",)),)
    assert plan_from_json(plan_to_json(found)) == found


def test_the_second_by_alias_gives_up_what_both_have(planner: GroupPlanner) -> None:
    mine = plan("east", "app", "other")

    assert names(planner.run_once(mine, 1, [plan("north", "app")])) == {"app", "other"}
    assert names(planner.run_once(mine, 1 + INTERVAL_MS, [plan("a-first", "app")])) == {"other"}


def test_a_group_comes_back_when_the_other_flow_has_left_it(planner: GroupPlanner) -> None:
    taken = planner.run_once(plan("east"), 1, [plan("north", "app")])

    assert names(planner.run_once(taken, 1 + INTERVAL_MS, [plan("north")])) == {"app", "other"}


def test_other_remote_names_are_no_conflict(planner: GroupPlanner) -> None:
    found = planner.run_once(plan("east", remote="east.orders"), 1, [plan("north", "app", remote="north.orders")])

    assert names(found) == {"app", "other"}


def test_a_flow_whose_groups_are_all_taken_still_reports_them(planner: GroupPlanner) -> None:
    found = planner.run_once(plan("east"), 1, [plan("north", "app", "other")])

    assert found.groups.slots == ((),)
    assert [(each.group, each.readiness, each.causes[0].code) for each in taken_summaries(found)] == [
        ("app", "blocked", "taken_by_another_flow"),
        ("other", "blocked", "taken_by_another_flow"),
    ]
    assert "north->west" in taken_summaries(found)[0].causes[0].text


def led_back(source: str, other: str) -> PlanDocument:
    """The plan of a flow whose group has made progress on a copy of the target's `orders`."""
    cluster = MemoryCluster(source)
    cluster.group("app").commits[TopicPartition("west.orders", 0)] = Commit(5)
    flow = DesiredFlow(
        source=source,
        topics=NamePatterns(allow=(".*",)),
        groups=NamePatterns(allow=(".*",)),
        connectors=ConnectorSettings(checkpoint={"cloudera.reverse.checkpointing.enabled": "true"}),
    )
    mine = replace(plan(source), topics=())
    return GroupPlanner(flow, MemoryGroupAdmin(cluster), "west").run_once(mine, 1, [plan(other, "app")])


def test_a_group_that_is_led_back_to_an_original_is_left_to_the_flow_that_has_it_there() -> None:
    found = led_back("east", "north")

    assert found.groups.taken == (("app", "north", ("orders",)),)
    assert found.groups.originals == ("orders",)


def test_a_group_that_another_flow_leads_back_is_left_to_it(planner: GroupPlanner) -> None:
    reverse = replace(plan("north", "app"), topics=())
    reverse = replace(reverse, groups=replace(reverse.groups, originals=("orders",)))

    found = planner.run_once(plan("east"), 1, [plan_from_json(plan_to_json(reverse))])

    assert found.groups.taken == (("app", "north", ("orders",)),)


def test_plans_of_older_releases_have_no_taken_groups() -> None:
    older = plan("east", "app")

    assert plan_from_json(plan_to_json(older)) == older
    assert replace(older).groups.taken == ()
