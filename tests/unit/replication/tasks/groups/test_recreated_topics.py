"""A checkpoint task after a topic was created again: old places are neither set nor translated into new ones."""

import pytest

from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.names.internal_topics import OFFSET_RUNS
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from tests.unit.replication.tasks.groups.checkpoint_lab import ORDERS, REMOTE, Lab, by_name, fill, write


@pytest.fixture
def lab() -> Lab:
    """The group's place is 65."""
    made = Lab()
    made.copy(100)
    made.commit("app", 60)
    return made


def test_the_checkpoint_of_a_remote_topic_that_was_created_again_is_not_set(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)
    assert [each.offset for each in lab.target.group("app").commits.values()] == [65]
    del lab.target.topics[REMOTE]
    lab.target.create(REMOTE)
    fill(lab.target, REMOTE, 70)
    lab.target.group("app").commits.clear()

    app = by_name(lab.round(task, 130_000))["app"]

    assert app.readiness == "blocked"
    assert lab.target.group("app").commits == {}


def test_a_refused_group_whose_checkpoints_stand_for_its_commits_gets_no_other(lab: Lab) -> None:
    lab.round(lab.task())
    written = lab.checkpoints()
    topic_id = bytes([9] * 16)
    lab.source.topics[ORDERS].topic_id = topic_id
    segment = RunSegment(topic=ORDERS, partition=0, topic_id=topic_id, runs=(OffsetRun(0, 105, 100),))
    fill(lab.target, REMOTE, 100)
    write(lab.target, OFFSET_RUNS.name("east"), encode_key(segment), encode_value(segment))
    lab.source.group("app").operations = frozenset()

    app = by_name(lab.round(lab.task()))["app"]

    assert "missing_rights" in [cause.code for cause in app.causes]
    assert lab.checkpoints() == written
