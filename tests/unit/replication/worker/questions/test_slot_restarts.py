"""The slots that a draft restarts, by the comparison that running slots make."""

from dataclasses import replace

from replication.connectors.questions.draft_plan import draft_plan
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, PolicyChoice
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.questions.flow_changes import TaskChange
from replication.worker.questions.slot_restarts import SlotInputs, task_change

EAST, WEST = (ClusterClient(alias=alias, bootstrap=("x:1",)) for alias in ("east", "west"))
FLOW = DesiredFlow(source="east", tasks_max=2)
TOPICS = (WantedTopic(upstream="orders", remote="east.orders", partitions=4),)


def _inputs(flow: DesiredFlow | None, plan: PlanDocument | None, *, source: ClusterClient = EAST) -> SlotInputs:
    return SlotInputs(flow=flow, plan=plan, source=source, target=WEST)


def _plan(flow: DesiredFlow, previous: PlanDocument | None, *topics: WantedTopic) -> PlanDocument:
    return draft_plan(FlowId("east", "west"), flow, previous, topics)


PLAN = _plan(FLOW, None, *TOPICS)


def _change(flow: DesiredFlow, *topics: WantedTopic, source: ClusterClient = EAST) -> TaskChange:
    return task_change(_inputs(FLOW, PLAN), _inputs(flow, _plan(flow, PLAN, *(topics or TOPICS)), source=source))


def _with(**settings: str) -> DesiredFlow:
    dotted = {key.replace("_", "."): value for key, value in settings.items()}
    return replace(FLOW, connectors=ConnectorSettings(source=dotted))


def test_the_same_flow_restarts_nothing() -> None:
    assert _change(FLOW) == TaskChange(before=2, after=2)


def test_a_live_setting_and_another_topic_restart_nothing() -> None:
    another = WantedTopic(upstream="bills", remote="east.bills", partitions=1)

    assert _change(_with(srm_throttle_rate="1MB/s"), *TOPICS, another).restarts == ()


def test_a_setting_that_restarts_names_its_key() -> None:
    change = _change(_with(srm_transforms_max_bytes="5000"))

    assert {each.slot: each.because for each in change.restarts} == {
        0: ("srm.transforms.max.bytes",),
        1: ("srm.transforms.max.bytes",),
    }
    assert not change.is_new_generation


def test_another_policy_is_named_where_it_restarts() -> None:
    renamed = replace(FLOW, policy=PolicyChoice(kind="identity"))

    change = _change(renamed, WantedTopic(upstream="orders", remote="orders", partitions=4))

    assert {each.because for each in change.restarts} == {("replication.policy.class",)}


def test_another_number_of_tasks_restarts_no_slot_and_counts_the_partitions_that_move() -> None:
    assert _change(replace(FLOW, tasks_max=3)) == TaskChange(before=2, after=3, moved_partitions=1)


def test_an_ordered_generation_restarts_all_slots() -> None:
    change = _change(replace(FLOW, generation=7))

    assert (change.is_new_generation, change.moved_partitions) == (True, 0)
    assert {each.slot: each.because for each in change.restarts} == {0: ("generation",), 1: ("generation",)}


def test_another_address_names_the_cluster_and_no_secret() -> None:
    change = _change(FLOW, source=replace(EAST, client={"client.id": "hidden"}))

    assert {each.because for each in change.restarts} == {("connection of east",)}
    assert "hidden" not in repr(change)


def test_another_login_restarts_nothing() -> None:
    assert _change(FLOW, source=replace(EAST, client={"sasl.jaas.config": "hidden"})).restarts == ()


def test_a_new_flow_starts_slots_and_an_ended_one_stops_them() -> None:
    assert task_change(_inputs(None, None), _inputs(FLOW, PLAN)) == TaskChange(before=0, after=2)
    assert task_change(_inputs(FLOW, PLAN), _inputs(None, None)) == TaskChange(before=2, after=0)
