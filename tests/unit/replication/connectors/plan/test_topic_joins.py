"""The plan keeps how many partitions each topic had when it joined the flow: only later ones start at `earliest`."""

from dataclasses import replace

from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.desired.desired_document import DesiredFlow, NamePatterns
from replication.domain.plan.plan_document import PlanDocument, plan_from_json, plan_to_json
from replication.domain.plan.topic_join import TopicJoin
from replication.memory.broker import MemoryCluster
from tests.support.engine.planning import ALL, connect

FLOW = DesiredFlow(source="east", topics=ALL)


def joins(plan: PlanDocument) -> dict[str, TopicJoin | None]:
    return {topic.upstream: topic.joined for topic in plan.topics}


def grow(cluster: MemoryCluster, topic: str, partitions: int) -> None:
    """Add partitions as CreatePartitions does: the topic keeps its id."""
    bigger = cluster.create(topic, partitions=partitions)
    bigger.topic_id = cluster.topics[topic].topic_id


def test_a_topic_that_grows_keeps_the_number_it_joined_with(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("orders", partitions=2)
    connector = connect(east, west)
    first = connector.run_once(None, 0)
    grow(east, "orders", 5)
    east.create("late", partitions=3)

    second = connector.run_once(first, 1)

    assert joins(second) == {"late": TopicJoin(3, 1), "orders": TopicJoin(2, 1)}
    assert [topic.partitions for topic in second.topics] == [3, 5]
    assert second.slot_partitions(0)[-1].joined == TopicJoin(2, 1)


def test_partitions_that_a_narrow_remote_topic_leaves_out_were_there_when_it_joined(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("orders", partitions=4)
    connector = connect(east, west)
    connector._remote_topics = _Narrow(connector)  # type: ignore[assignment]

    plan = connector.run_once(None, 0)

    assert plan.topics[0].partitions == 1
    assert joins(plan) == {"orders": TopicJoin(4, 1)}


class _Narrow:
    """A target that does not add partitions to remote topics."""

    def __init__(self, connector: SourceConnector) -> None:
        self._real = connector._remote_topics

    def apply(self, *args: object) -> object:
        applied = self._real.apply(*args)  # type: ignore[arg-type]
        return replace(applied, partitions=dict.fromkeys(applied.partitions, 1))


def test_another_number_of_tasks_keeps_the_joins(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("orders", partitions=2)
    first = connect(east, west, FLOW).run_once(None, 0)
    east.create("late")

    second = connect(east, west, replace(FLOW, tasks_max=3)).run_once(first, 1)

    assert joins(second) == {"late": TopicJoin(1, 1), "orders": TopicJoin(2, 1)}


def test_a_new_generation_keeps_the_joins(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("orders", partitions=2)
    first = connect(east, west, FLOW).run_once(None, 0)
    east.create("late")

    second = connect(east, west, replace(FLOW, generation=2)).run_once(first, 1)

    assert second.generation == 2
    assert joins(second) == {"late": TopicJoin(1, 2), "orders": TopicJoin(2, 1)}


def test_a_topic_that_leaves_and_returns_keeps_its_join(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("orders", partitions=2)
    east.create("others")
    first = connect(east, west, FLOW).run_once(None, 0)
    without = replace(FLOW, topics=NamePatterns(allow=("others",)))
    second = connect(east, west, without).run_once(first, 1)
    grow(east, "orders", 4)

    third = connect(east, west, FLOW).run_once(plan_from_json(plan_to_json(second)), 2)

    assert dict(second.left) == {"orders": TopicJoin(2, 1)}
    assert joins(third)["orders"] == TopicJoin(2, 1)
    assert third.left == ()


def test_topics_of_a_plan_that_an_older_release_began_stay_without_a_number(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("orders", partitions=2)
    first = connect(east, west, FLOW).run_once(None, 0)
    older = replace(first, topics=tuple(replace(topic, joined=None) for topic in first.topics))

    assert connect(east, west, FLOW).run_once(older, 1) == older

    east.create("late")
    assert joins(connect(east, west, FLOW).run_once(older, 2)) == {"late": TopicJoin(1, 1), "orders": None}


def test_a_topic_of_an_older_plan_that_leaves_and_returns_stays_without_a_number(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("orders", partitions=2)
    east.create("others")
    first = connect(east, west, FLOW).run_once(None, 0)
    older = replace(first, topics=tuple(replace(topic, joined=None) for topic in first.topics))
    without = replace(FLOW, topics=NamePatterns(allow=("others",)))
    second = connect(east, west, without).run_once(older, 1)
    grow(east, "orders", 4)

    third = connect(east, west, FLOW).run_once(plan_from_json(plan_to_json(second)), 2)

    assert dict(second.left) == {"orders": None}
    assert joins(third) == {"orders": None, "others": None}
    assert third.left == ()
