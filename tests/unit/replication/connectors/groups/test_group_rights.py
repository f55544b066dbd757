"""A running flow warns about the rights that it lacks on consumer groups."""

import pytest

from replication.connectors.groups.group_planner import GroupPlanner
from replication.connectors.groups.group_preflight import GroupPreflight, GroupSide
from replication.connectors.groups.group_rights import CHECK_EVERY_MS, GroupRights
from replication.connectors.plan.flow_planner import FlowPlanner
from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.plan.plan_document import PlanDocument
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.group_coordinator import ALL_GROUP_OPERATIONS
from replication.memory.groups import MemoryGroupAdmin

FLOW = DesiredFlow(
    source="east",
    topics=NamePatterns(allow=("orders",)),
    groups=NamePatterns(allow=("app",)),
    connectors=ConnectorSettings(checkpoint={"sync.group.offsets.enabled": "true"}),
)
CODE = "group_rights_missing"


class Planned:
    """A flow east->west that is planned run by run; the principal may not read the group app on the target."""

    def __init__(self) -> None:
        self.east, self.west = MemoryCluster("east"), MemoryCluster("west")
        self.east.create("orders")
        self.east.group("app")
        self.west.group("app").operations = frozenset({"describe"})
        source, target = MemoryAdmin(self.east), MemoryAdmin(self.west)
        groups, target_groups = MemoryGroupAdmin(self.east), MemoryGroupAdmin(self.west)
        check = GroupPreflight(
            FLOW, "west", GroupSide(admin=source, groups=groups), GroupSide(admin=target, groups=target_groups)
        )
        connector = SourceConnector(FLOW, "west", source, target)
        self.rights = GroupRights(check)
        self.planner = FlowPlanner(connector, GroupPlanner(FLOW, groups, "west"), self.rights)
        self.plan: PlanDocument | None = None

    def run(self, now_ms: int) -> PlanDocument:
        self.plan = self.planner.run_once(self.plan, now_ms)
        return self.plan

    def codes(self) -> list[str]:
        return [] if self.plan is None else [each.code for each in self.plan.warnings]


@pytest.fixture
def planned() -> Planned:
    return Planned()


def test_the_first_plan_does_not_wait_for_the_check(planned: Planned) -> None:
    planned.run(0)
    assert CODE not in planned.codes()

    plan = planned.run(1)

    (found,) = [each for each in plan.warnings if each.code == CODE]
    assert "Cluster west: User:ANONYMOUS lacks READ on group app" in found.text
    assert "--operation Read --group app" in found.text


def test_a_run_that_finds_the_same_returns_the_same_plan(planned: Planned) -> None:
    planned.run(0)
    plan = planned.run(1)

    for now_ms in (2, 10_000, CHECK_EVERY_MS + 1, 2 * CHECK_EVERY_MS + 1):
        assert planned.run(now_ms) == plan


def test_a_granted_right_ends_the_warning_with_the_next_check(planned: Planned) -> None:
    planned.run(0)
    planned.run(1)
    planned.west.group("app").operations = ALL_GROUP_OPERATIONS

    planned.run(CHECK_EVERY_MS)
    assert CODE in planned.codes()
    planned.run(CHECK_EVERY_MS + 1)
    assert CODE not in planned.codes()


def test_a_cluster_that_does_not_answer_leaves_the_warning(planned: Planned) -> None:
    planned.run(0)
    planned.run(1)

    planned.east.is_up = False
    assert planned.plan is not None
    plan = planned.rights.warn(planned.plan, CHECK_EVERY_MS + 1)

    assert [each.code for each in plan.warnings].count(CODE) == 1
