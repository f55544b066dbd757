"""Labels: what is allowed, and which drivers have those that are asked for."""

import pytest

from replication.domain.assignment.assignment import role_of
from replication.domain.assignment.labels import has_labels, labels_text, parse_labels
from replication.domain.assignment.members import AssignableTask, Member
from replication.domain.assignment.unplaced import why_unplaced
from replication.domain.identifiers import TaskId

WORK = AssignableTask(target="west", task=TaskId("east", "source", 0), labels={"region": "eu"})
EU = Member(driver="a", role=role_of(WORK.task), labels={"region": "eu"})


def test_labels_are_read_and_written() -> None:
    labels = parse_labels(" rack=a , region=eu,")

    assert labels == {"rack": "a", "region": "eu"}
    assert labels_text(labels) == "rack=a,region=eu"


@pytest.mark.parametrize("text", ["eu", "=eu", "region=", "re gion=eu", "region=eu,region=us"])
def test_an_invalid_label_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="label"):
        parse_labels(text)


def test_a_driver_needs_every_label_that_is_asked_for() -> None:
    assert has_labels({"region": "eu", "rack": "a"}, {"region": "eu"})
    assert not has_labels({"region": "us", "rack": "a"}, {"region": "eu"})


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([], "no data worker serves west"),
        ([Member(driver="a", role="data")], "--label region=eu"),
        ([Member(driver="a", role="data", labels={"region": "eu"}, drain=True)], "drained (a)"),
        ([Member(driver="a", role="data", labels={"region": "eu"}, capacity=4)], "capacity of a: 4"),
    ],
    ids=["no driver", "labels", "drained", "full"],
)
def test_an_unplaced_task_has_a_reason_with_a_remedy(members: list[Member], words: str) -> None:
    assert words in why_unplaced(WORK, members)
