"""The checkpoint connector finds the groups of a flow, cheaply, and plans them."""

from dataclasses import replace

import pytest

from replication.connectors.groups.group_planner import GONE_KEPT_MS, GroupPlanner
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument, plan_from_json, plan_to_json
from replication.memory.broker import MemoryCluster
from replication.memory.groups import MemoryGroupAdmin
from tests.support.plans import plan_of

FLOW = DesiredFlow(
    source="east",
    tasks_max=2,
    topics=NamePatterns(allow=("orders.*",), deny=("orders-private",)),
    groups=NamePatterns(allow=(".*",), deny=("console-.*",)),
)
PLAN = plan_of(generation=3, version=4)


@pytest.fixture
def source() -> MemoryCluster:
    made = MemoryCluster("east")
    commit(made, "app", "orders")
    return made


def commit(cluster: MemoryCluster, group: str, topic: str) -> None:
    cluster.group(group).commits[TopicPartition(topic, 0)] = Commit(5)


class CountingAdmin(MemoryGroupAdmin):
    """Counts the groups whose commits are read."""

    def __init__(self, cluster: MemoryCluster) -> None:
        super().__init__(cluster)
        self.read: list[str] = []

    def commits(self, groups):  # type: ignore[no-untyped-def]
        self.read += groups
        return super().commits(groups)


def planner(source: MemoryCluster, flow: DesiredFlow = FLOW) -> GroupPlanner:
    return GroupPlanner(flow, MemoryGroupAdmin(source))


def with_settings(**settings: str) -> DesiredFlow:
    given = {key.replace("_", "."): value for key, value in settings.items()}
    return replace(FLOW, connectors=ConnectorSettings(checkpoint=given))


def reasons(plan: PlanDocument) -> dict[str, str]:
    return {each.group: each.reason for each in plan.groups.skipped}


def test_groups_with_a_commit_on_a_topic_of_the_flow_are_translated(source: MemoryCluster) -> None:
    commit(source, "private", "orders-private")
    commit(source, "console-1", "orders")
    source.group("idle")
    commit(source, "queue", "orders")
    source.group("queue").type = "share"
    commit(source, "closed", "orders")
    source.group("closed").problem = None

    plan = planner(source).run_once(PLAN, 10)

    assert plan.groups.slots == (("app",), ("closed",))
    assert (plan.generation, plan.version, plan.planned_ms) == (3, 4, 10)
    assert set(reasons(plan)) == {"private", "idle", "queue"}
    assert "share group" in reasons(plan)["queue"]
    assert plan_from_json(plan_to_json(plan)) == plan


def test_a_group_that_reads_only_copies_from_the_target_is_of_the_flow_the_other_way(source: MemoryCluster) -> None:
    commit(source, "copies", "west.orders")
    everything = replace(FLOW, topics=NamePatterns(allow=(".*",)))

    plan = GroupPlanner(everything, MemoryGroupAdmin(source), "west").run_once(PLAN, 10)

    assert plan.groups.slots == (("app",),)
    assert set(reasons(plan)) == {"copies"}


def test_nothing_new_is_the_same_plan(source: MemoryCluster) -> None:
    connector = planner(source)
    plan = connector.run_once(PLAN, 10)

    assert connector.run_once(plan, 20_010) is plan


def test_looking_again_reads_commits_of_new_groups_only(source: MemoryCluster) -> None:
    admin = CountingAdmin(source)
    source.group("idle")
    connector = GroupPlanner(FLOW, admin)
    plan = connector.run_once(PLAN, 0)
    assert admin.read == ["app", "idle"]

    commit(source, "new", "orders-2")
    plan = connector.run_once(plan, 10_000)

    assert admin.read[2:] == ["new", "idle"]
    assert plan.groups.slots == (("app",), ("new",))
    for run in range(2, 12):  # a group without commits is asked for less and less often
        plan = connector.run_once(plan, run * 10_000)
    assert admin.read[4:] == ["idle", "idle"]


def test_ten_thousand_groups_cost_two_requests_and_then_one_per_look(source: MemoryCluster) -> None:
    for number in range(4_000):
        commit(source, f"group-{number}", "orders")
    admin = MemoryGroupAdmin(source)
    connector = GroupPlanner(FLOW, admin)

    plan = connector.run_once(PLAN, 0)
    assert (sum(map(len, plan.groups.slots)), admin.requests) == (4_001, 2)
    connector.run_once(plan, 10_000)
    assert admin.requests == 3


def test_a_clock_that_is_set_back_hides_no_new_group(source: MemoryCluster) -> None:
    connector = planner(source)
    plan = connector.run_once(PLAN, 7_200_000)
    commit(source, "newcomer", "orders")

    assert connector.next_ms(3_600_000) == 3_600_000
    plan = connector.run_once(plan, 3_600_000)

    assert "newcomer" in {name for slot in plan.groups.slots for name in slot}
    following = connector.next_ms(3_600_000)
    assert following is not None
    assert following > 3_600_000


def test_groups_beyond_the_limit_of_a_look_follow_in_the_next_ones(source: MemoryCluster) -> None:
    for number in range(6_000):
        commit(source, f"group-{number}", "orders")
    connector = planner(source)
    plan = connector.run_once(PLAN, 0)
    assert sum(map(len, plan.groups.slots)) == 5_000
    following = connector.next_ms(0)

    assert following is not None
    assert following < 1_000
    plan = connector.run_once(plan, following)
    assert sum(map(len, plan.groups.slots)) == 6_001


def test_a_group_that_disappears_is_kept_for_a_week_and_may_return(source: MemoryCluster) -> None:
    connector = planner(source)
    plan = connector.run_once(PLAN, 0)
    del source.group_coordinator.groups["app"]

    gone = connector.run_once(plan, 10_000)
    assert (gone.groups.slots, gone.groups.gone) == ((("app",),), (("app", 10_000),))
    assert plan_from_json(plan_to_json(gone)) == gone
    commit(source, "app", "orders")
    assert connector.run_once(gone, 20_000).groups.gone == ()
    del source.group_coordinator.groups["app"]
    assert connector.run_once(gone, 10_000 + GONE_KEPT_MS).groups.slots == ()


def test_a_group_that_the_lists_exclude_now_leaves_the_plan(source: MemoryCluster) -> None:
    plan = planner(source).run_once(PLAN, 0)

    flow = replace(FLOW, groups=NamePatterns(allow=("other",)))

    assert planner(source, flow).run_once(plan, 10).groups.slots == ()


@pytest.mark.parametrize(
    "flow",
    [
        with_settings(emit_checkpoints_enabled="false"),
        replace(FLOW, connectors=ConnectorSettings(source={"emit.offset-syncs.enabled": "false"})),
    ],
    ids=["no checkpoints", "no offset syncs"],
)
def test_without_checkpoints_there_are_no_groups(source: MemoryCluster, flow: DesiredFlow) -> None:
    plan = planner(source).run_once(PLAN, 0)
    off = planner(source, flow)

    assert off.next_ms(10) is None
    assert off.run_once(plan, 10).groups.slots == ()


def test_a_flow_may_look_for_groups_only_once(source: MemoryCluster) -> None:
    connector = planner(source, with_settings(refresh_groups_enabled="false"))
    plan = connector.run_once(PLAN, 0)
    commit(source, "new", "orders")

    assert connector.run_once(plan, 10**9) is plan


def test_a_source_that_does_not_answer_keeps_the_groups_of_the_plan(source: MemoryCluster) -> None:
    connector = planner(source)
    plan = connector.run_once(PLAN, 0)
    source.is_up = False

    assert connector.run_once(plan, 10_000) is plan
    assert connector.problem is not None
    assert connector.problem.code == "cluster_unreachable"
    source.is_up = True
    connector.run_once(plan, 20_000)
    assert connector.problem is None


def test_a_coordinator_that_does_not_answer_keeps_its_groups_in_the_plan(source: MemoryCluster) -> None:
    connector = planner(source)
    plan = connector.run_once(PLAN, 0)
    source.group("app").problem = GroupProblem("COORDINATOR_NOT_AVAILABLE", "it does not answer")
    read_again_ms = 600_000

    kept = connector.run_once(plan, read_again_ms)
    restarted = planner(source).run_once(plan, read_again_ms)
    source.group("app").problem = None
    source.group("app").commits.clear()
    later = connector.run_once(kept, read_again_ms + 10_000)

    assert kept.groups.slots == restarted.groups.slots == (("app",),)
    assert reasons(restarted) == {}
    assert later.groups.slots == ()


def test_a_group_without_rights_leaves_the_plan(source: MemoryCluster) -> None:
    connector = planner(source)
    plan = connector.run_once(PLAN, 0)
    source.group("app").problem = GroupProblem("GROUP_AUTHORIZATION_FAILED", "grant DESCRIBE")

    denied = connector.run_once(plan, 600_000)

    assert (denied.groups.slots, reasons(denied)) == ((), {"app": "grant DESCRIBE"})


def test_a_restarted_planner_keeps_the_slots(source: MemoryCluster) -> None:
    for name in ("a", "b", "c"):
        commit(source, name, "orders")
    plan = planner(source).run_once(PLAN, 0)

    assert planner(source).run_once(plan, 10) is plan


def test_copies_that_came_from_the_target_lead_groups_back_or_are_skipped_with_the_reason() -> None:
    source = MemoryCluster("east")
    commit(source, "app", "west.orders")
    everything = replace(FLOW, topics=NamePatterns(allow=(".*",)))
    back = {"cloudera.reverse.checkpointing.enabled": "true"}

    skipped = GroupPlanner(everything, MemoryGroupAdmin(source), "west").run_once(PLAN, 0)
    assert skipped.groups.slots == ()
    assert "copies that came from west" in reasons(skipped)["app"]

    reverse = replace(everything, connectors=ConnectorSettings(checkpoint=back))
    assert GroupPlanner(reverse, MemoryGroupAdmin(source), "west").run_once(PLAN, 0).groups.slots == (("app",),)
