"""Logs that a checkpoint task reads: of a topic created again since the plan, and of a leader that is away."""

from replication.domain.identifiers import TopicPartition
from tests.unit.replication.tasks.groups.checkpoint_lab import ORDERS, REMOTE, Lab, by_name, fill


def test_commits_of_a_topic_that_was_created_again_since_the_plan_are_not_translated_by_the_former_copy() -> None:
    lab = Lab()
    lab.copy(10)
    lab.commit("app", 7)
    order = lab.order()
    task = lab.task()
    lab.round(task)
    former = lab.checkpoints()

    del lab.source.topics[ORDERS]
    lab.source.create(ORDERS)
    fill(lab.source, ORDERS, 10)
    lab.commit("app", 9)
    task.apply_order(order)
    report = lab.round(task)

    assert lab.checkpoints() == former
    assert [each.code for each in by_name(report)["app"].causes] == ["topic_recreated"]


def test_a_remote_partition_without_a_leader_is_unavailable_and_not_missing() -> None:
    lab = Lab()
    lab.copy(10)
    lab.commit("app", 7)
    lab.target.create("east.other")  # so that one partition answers
    lab.target.leaderless.add(TopicPartition(REMOTE, 0))
    task = lab.task()

    away = by_name(lab.round(task))["app"]
    lab.target.leaderless.clear()
    back = by_name(lab.round(task))["app"]

    assert [each.code for each in away.causes] == ["no_evidence"]
    assert "no leader" in away.causes[0].text
    assert (back.readiness, back.causes) == ("ready", ())
