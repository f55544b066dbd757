"""A checkpoint task translates commits, writes checkpoints by MirrorMaker's rules, and sets offsets on the target."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from replication.codecs.mm2_records import Checkpoint
from replication.domain.errors import ClusterUnreachableError, FencedError
from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.settings.choices import IsolationLevel
from replication.memory.records import MemoryRecordLog
from replication.ports.record_log import LogRecord
from replication.tasks.groups.checkpoint_history import CheckpointHistory
from tests.unit.replication.tasks.groups.checkpoint_lab import REMOTE, SHIFT, Lab, by_name

PLACE = TopicPartition(REMOTE, 0)


def checkpoint(upstream: int, downstream: int, group: str = "app", metadata: str = "") -> Checkpoint:
    return Checkpoint(
        group=group, remote=PLACE, upstream_offset=upstream, downstream_offset=downstream, metadata=metadata
    )


@pytest.fixture
def lab() -> Lab:
    made = Lab()
    made.copy(10)
    made.commit("app", 7, metadata="note\0")
    return made


def test_a_commit_becomes_a_checkpoint_with_the_exact_offset_and_its_metadata(lab: Lab) -> None:
    report = lab.round(lab.task())

    assert lab.checkpoints() == [checkpoint(7, 7 + SHIFT, metadata="note\0")]
    app = by_name(report)["app"]
    assert (app.readiness, app.partitions, app.exact, app.lag, app.rereads) == ("ready", 1, 1, 3, 0)
    assert report.times.written == 1


def test_the_offset_is_set_on_the_target_and_follows(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)
    assert lab.target.group("app").commits == {PLACE: Commit(7 + SHIFT, "note\0")}

    lab.commit("app", 9)
    report = lab.round(task)

    assert lab.target.group("app").commits[PLACE].offset == 9 + SHIFT
    assert by_name(report)["app"].synced == "written"


def test_nothing_is_written_for_a_group_that_has_not_moved(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)

    lab.round(task)

    assert len(lab.checkpoints()) == 1


def test_a_rewound_group_gets_a_smaller_checkpoint_and_keeps_its_offset_on_the_target(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)

    lab.commit("app", 2)
    lab.round(task)

    assert lab.checkpoints()[-1] == checkpoint(2, 2 + SHIFT)
    assert lab.target.group("app").commits[PLACE].offset == 7 + SHIFT


def test_a_restarted_task_continues_the_history(lab: Lab) -> None:
    lab.round(lab.task())

    lab.round(lab.task())

    assert len(lab.checkpoints()) == 1


def test_a_task_whose_slot_another_one_has_taken_writes_nothing(lab: Lab) -> None:
    frozen = lab.task()
    lab.round(frozen)
    lab.commit("app", 9)
    lab.round(lab.task())
    written = lab.checkpoints()

    lab.commit("app", 3)
    with pytest.raises(FencedError, match="another task has taken"):
        lab.round(frozen)

    assert lab.checkpoints() == written


def test_a_source_that_does_not_answer_leaves_the_groups_and_what_is_known_of_them(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)
    lab.source.is_up = False

    report = lab.round(task)

    assert isinstance(report.problem, ClusterUnreachableError)
    app = by_name(report)["app"]
    assert app.causes[0].code == "source_unreachable"
    assert app.if_source_gone is not None
    assert app.if_source_gone.rereads == 0
    assert task.next_ms(lab.now_ms) == lab.now_ms  # again, as soon as the worker's pause is over
    lab.source.is_up = True
    assert lab.round(task).problem is None


def test_a_task_that_starts_while_the_source_is_gone_judges_its_checkpoints(lab: Lab) -> None:
    lab.round(lab.task())
    lab.source.is_up = False

    app = by_name(lab.round(lab.task()))["app"]

    assert (app.partitions, app.exact) == (1, 1)
    assert app.if_source_gone is not None
    assert app.if_source_gone.readiness == "ready"


def test_a_group_deleted_at_the_source_is_told_and_keeps_its_copy(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)
    del lab.source.group_coordinator.groups["app"]

    app = by_name(lab.round(task))["app"]

    assert [cause.code for cause in app.causes] == ["group_deleted_at_source"]
    assert app.state == "dead"
    assert lab.target.group("app").commits[PLACE].offset == 7 + SHIFT


def test_new_groups_are_translated_at_once_and_others_only_when_their_round_is_due(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)
    lab.commit("app", 8)
    lab.commit("second", 4)

    task.apply_order(lab.order(("app", "second")))
    assert task.next_ms(lab.now_ms) == lab.now_ms
    report = lab.round(task, after_ms=10)

    assert lab.checkpoints()[1:] == [checkpoint(4, 4 + SHIFT, group="second")]
    assert set(by_name(report)) == {"app", "second"}


def test_a_refused_group_stops_no_other(lab: Lab) -> None:
    lab.groups = ("app", "closed")
    lab.commit("closed", 3)
    lab.source.group("closed").operations = frozenset()

    groups = by_name(lab.round(lab.task()))

    assert groups["app"].readiness == "ready"
    assert [cause.code for cause in groups["closed"].causes] == ["missing_rights"]


def test_a_topic_that_the_flow_does_not_copy_blocks_the_group(lab: Lab) -> None:
    lab.source.create("private")
    lab.commit("app", 1, topic="private")

    app = by_name(lab.round(lab.task()))["app"]

    assert (app.readiness, app.causes[0].code, app.causes[0].topic) == ("blocked", "not_replicated", "private")


def test_progress_on_copies_from_the_target_concerns_the_flow_the_other_way(lab: Lab) -> None:
    lab.source.create("west.payments")
    lab.commit("app", 1, topic="west.payments")

    app = by_name(lab.round(lab.task()))["app"]

    assert (app.readiness, app.partitions, app.lag) == ("ready", 1, 3)


def test_intervals_change_while_the_task_runs(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)
    assert task.next_ms(lab.now_ms) > lab.now_ms + 5_000

    lab.set_settings(emit_checkpoints_interval_seconds="5")
    task.apply_order(lab.order())
    report = lab.round(task, after_ms=0)  # of the new order; no round is due

    assert (report.summary.interval_ms, report.rows) == (5_000, ())
    assert task.next_ms(lab.now_ms) == lab.now_ms + 5_000


def test_a_clock_that_is_set_back_delays_no_round(lab: Lab) -> None:
    task = lab.task()
    lab.round(task)
    lab.now_ms -= 3_600_000

    assert task.next_ms(lab.now_ms) == lab.now_ms
    lab.round(task, after_ms=0)
    assert lab.now_ms < task.next_ms(lab.now_ms) <= lab.now_ms + 60_000


def test_a_checkpoint_behind_unread_records_is_corrected(lab: Lab) -> None:
    """The remote topic was deleted by hand: it begins again, with the records that are copied from then on."""
    task = lab.task()
    lab.round(task)
    lab.target.create(REMOTE)
    lab.copied, lab.shift = 10, -10
    lab.copy(5)
    lab.commit("app", 12)

    lab.round(task)

    assert lab.checkpoints() == [checkpoint(7, 7 + SHIFT, metadata="note\0"), checkpoint(12, 2)]


def test_a_group_that_another_flow_has_is_shown_blocked_by_the_first_slot(lab: Lab) -> None:
    plan = lab.plan()
    taken = replace(plan, groups=replace(plan.groups, taken=(("shared", "north", (REMOTE,)),)))
    task = lab.task()

    task.apply_order(replace(lab.order(), plan=taken))
    groups = by_name(lab.round(task))

    assert (groups["shared"].readiness, groups["shared"].causes[0].code) == ("blocked", "taken_by_another_flow")
    assert groups["app"].readiness == "ready"


def test_metadata_that_is_no_text_is_kept_and_too_long_one_left_away(lab: Lab) -> None:
    lab.groups = ("app", "long")
    lab.commit("app", 7, metadata=b"\xff\x00".decode(errors="surrogateescape"))
    lab.commit("long", 7, metadata="x" * 40_000)

    lab.round(lab.task())

    found = {each.group: each.metadata for each in lab.checkpoints()}
    assert found == {"app": "\udcff\0", "long": ""}


def test_offsets_on_the_target_are_known_between_two_syncs(lab: Lab) -> None:
    lab.set_settings(sync_group_offsets_interval_seconds="600")
    task = lab.task()
    lab.round(task)
    lab.target.group("app").commits[PLACE] = Commit(10 + SHIFT)
    report = lab.round(task, after_ms=600_000)
    assert [each.code for each in by_name(report)["app"].causes] == ["ahead_on_target"]

    report = lab.round(task)

    assert [each.code for each in by_name(report)["app"].causes] == ["ahead_on_target"]


def test_the_rows_of_raw_metrics_name_commit_checkpoint_and_end(lab: Lab) -> None:
    report = lab.round(lab.task())

    assert len(report.rows) == 1
    [[group, topic, partition, committed, checkpointed, end, latency]] = report.rows[0]
    assert (group, topic, partition, committed, checkpointed, end) == ("app", "orders", 0, 7, 7, 10)
    assert latency[0] == 1


def test_a_task_that_starts_without_the_source_sets_offsets_from_the_checkpoints(lab: Lab) -> None:
    lab.round(lab.task())
    del lab.target.group_coordinator.groups["app"]  # or its offsets have expired
    lab.source.is_up = False

    app = by_name(lab.round(lab.task()))["app"]

    assert [each.code for each in app.causes] == ["source_unreachable"]
    assert lab.target.group("app").commits == {PLACE: Commit(7 + SHIFT, "note\0")}
    assert app.synced == "written"


def test_a_group_that_was_gone_before_the_start_is_not_brought_back_on_the_target(lab: Lab) -> None:
    lab.round(lab.task())
    del lab.target.group_coordinator.groups["app"]
    lab.source.is_up = False
    order = lab.order()
    gone = replace(order.plan.groups, gone=(("app", 1),))

    task = lab.task()
    task.apply_order(replace(order, plan=replace(order.plan, groups=gone)))
    lab.round(task)

    assert "app" not in lab.target.group_coordinator.groups


class CountingLog(MemoryRecordLog):
    """Counts how often a whole topic is read."""

    reads = 0

    def read_to_end(self, topic: str, *, isolation: IsolationLevel = "read_uncommitted") -> Iterator[LogRecord]:
        self.reads += 1
        return super().read_to_end(topic, isolation=isolation)


def test_a_new_group_does_not_let_the_history_be_read_again_and_one_that_returns_does(lab: Lab) -> None:
    log = CountingLog(lab.target)
    history = CheckpointHistory(log, "east.checkpoints.internal")
    lab.round(lab.task())
    history.read(["other"])

    history.begin(["other", "new"])
    assert (log.reads, history.of("new")) == (1, {})
    history.begin(["other", "new", "app"])

    assert (log.reads, history.of("app")[PLACE].downstream) == (2, 7 + SHIFT)
    assert history.metadata("app", PLACE) == "note\0"


def test_every_slot_fences_all_former_slots(lab: Lab) -> None:
    order = lab.order()
    groups = replace(order.plan.groups, slots=(("a",), ("b",)), most_slots=5)

    slots = [replace(order, slot=slot, plan=replace(order.plan, groups=groups)) for slot in (0, 1)]

    former = tuple(f"srm.west.east.checkpoint.{number}" for number in (2, 3, 4))
    assert [each.former_ids for each in slots] == [former, former]
