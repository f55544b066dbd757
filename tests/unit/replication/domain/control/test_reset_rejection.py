import pytest

from replication.domain.control.orders import Reset
from replication.domain.control.reset_rejection import resets_without_slot
from replication.domain.plan.plan_document import PlanDocument, PlanTopic, SkippedTopic


def a_plan(partitions: int = 2) -> PlanDocument:
    orders = PlanTopic(
        upstream="orders",
        remote="a.orders",
        topic_id=bytes(16),
        partitions=partitions,
        max_message_bytes=1,
        timestamp_type="CreateTime",
    )
    return PlanDocument(
        target="b",
        source="a",
        generation=1,
        version=1,
        desired_revision=1,
        planned_ms=0,
        tasks_max=1,
        topics=(orders,),
        slots=(tuple((0, number) for number in range(partitions)),),
        skipped=(SkippedTopic(topic="held", reason="its remote topic compacts"),),
    )


def reset(topic: str, partition: int) -> Reset:
    return Reset(id=f"{topic}-{partition}", topic=topic, partition=partition, to="earliest")


def test_resets_of_partitions_that_are_copied_are_not_refused() -> None:
    assert resets_without_slot(a_plan(), [reset("orders", 0), reset("orders", 1)]) == ()
    assert resets_without_slot(a_plan(), []) == ()


@pytest.mark.parametrize(
    ("partitions", "topic", "partition", "why"),
    [
        (2, "orders", 2, "no partition 2 of orders: 0 to 1 are copied"),
        (0, "orders", 0, "no partition 0 of orders: none is copied"),
        (2, "held", 0, "does not copy a topic held: its remote topic compacts"),
        (2, "nothing", 0, "does not copy a topic nothing: it is not there, or the flow's filters leave it out"),
    ],
)
def test_a_reset_that_no_slot_can_carry_out_is_refused_with_the_reason(
    partitions: int, topic: str, partition: int, why: str
) -> None:
    order = reset(topic, partition)

    (refused,) = resets_without_slot(a_plan(partitions), [reset("orders", -1), order])

    assert refused.id == order.id
    assert refused.error.endswith(why)
    assert refused.error.startswith("a->b ")
