"""Places of offsets in the remote log, by what the flow wrote about its copying."""

import pytest

from replication.domain.groups.copy_account import BEHIND, CopyAccount
from replication.domain.groups.translation import LogRange, Translation
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.copied_log import DISTRUSTED
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import NO_TOPIC_ID, Position

ID, FORMER = bytes([1] * 16), bytes([2] * 16)
T = TopicPartition("t", 0)
SOURCE = LogRange(start=0, end=10_000)


class Flow:
    """An account and what is asked of it."""

    def __init__(self, *runs: tuple[int, int, int]) -> None:
        self.account = CopyAccount()
        self.copy(*runs)

    def copy(self, *runs: tuple[int, int, int], topic_id: bytes = ID) -> "Flow":
        for run in runs:
            segment = RunSegment(T.topic, T.partition, topic_id, (OffsetRun(*run),))
            self.account.add_segment(b"key", segment)
        return self

    def at(self, next_offset: int, downstream_next: int | None, *, topic_id: bytes = ID, **more: object) -> "Flow":
        position = Position(next_offset=next_offset, topic_id=topic_id, downstream_next=downstream_next, **more)  # type: ignore[arg-type]
        self.account.add_position(T, position)
        return self

    def synced(self, *syncs: tuple[int, int]) -> "Flow":
        for sync in syncs:
            self.account.add_sync(T, *sync)
        return self

    def place(
        self, offset: int, *, start: int = 0, end: int = 1_000, source: LogRange | None = SOURCE, topic_id: bytes = ID
    ) -> Translation:
        return self.account.translate(T, topic_id, offset, source, LogRange(start=start, end=end))

    def back(self, offset: int, *, start: int = 0, end: int = 1_000, source: LogRange | None = SOURCE) -> Translation:
        return self.account.translate_back(T, ID, offset, source, LogRange(start=start, end=end))


def said(translation: Translation) -> tuple[str, str, int | None, int | None, int | None]:
    each = translation
    return each.kind, each.reason, each.downstream, each.latest, each.rereads


def test_inside_a_run_the_place_is_exact() -> None:
    assert said(Flow((100, 20, 50)).place(120)) == ("exact", "inside_run", 40, None, 0)


def test_where_nothing_was_copied_between_two_runs_the_place_is_exact() -> None:
    """Markers, compaction, filters and gaps leave holes on the source's side only."""
    flow = Flow((0, 0, 10), (15, 10, 10))

    assert [flow.place(offset).downstream for offset in (9, 10, 12, 14, 15)] == [9, 10, 10, 10, 10]
    assert said(flow.place(12)) == ("exact", "between_runs", 10, None, 0)


def test_a_missing_run_leaves_bounds() -> None:
    flow = Flow((0, 0, 10), (60, 40, 10))

    assert said(flow.place(10)) == ("exact", "between_runs", 10, None, 0)
    assert said(flow.place(15)) == ("bounded", "missing_runs", 10, 40, 30)
    assert said(flow.place(59)) == ("bounded", "missing_runs", 10, 40, 30)


def test_the_position_tells_the_place_behind_the_last_run() -> None:
    flow = Flow((0, 0, 10)).at(25, 20)

    assert said(flow.place(10)) == ("exact", "at_the_tip", 10, None, 0)
    assert said(flow.place(25, end=20)) == ("exact", "at_the_tip", 20, None, 0)
    assert said(flow.place(17, end=20)) == ("bounded", "missing_runs", 10, 20, 10)
    assert said(flow.at(25, 10).place(17, end=10)) == ("exact", "at_the_tip", 10, None, 0)


def test_a_commit_ahead_of_the_copy_continues_behind_what_was_copied() -> None:
    flow = Flow((0, 0, 10)).at(25, 20)

    assert said(flow.place(40, end=22)) == ("bounded", "copy_behind", 20, 22, 15)
    assert said(Flow((0, 0, 10)).place(40, end=12)) == ("bounded", "copy_behind", 10, 12, 30)


def test_a_partition_without_records_has_the_place_of_its_position() -> None:
    flow = Flow().at(7, None)

    assert said(flow.place(7, end=0)) == ("exact", "at_the_tip", 0, None, 0)
    assert said(flow.place(9, end=0)) == ("bounded", "copy_behind", 0, 0, 2)
    assert said(flow.place(3, end=0)) == ("exact", "in_gap", 0, None, 0)
    assert said(flow.place(7, end=5)) == ("impossible", "no_evidence", None, None, None)


def test_of_records_copied_twice_the_newest_copy_counts() -> None:
    flow = Flow((0, 0, 100), (50, 100, 80))

    assert [flow.place(offset).downstream for offset in (49, 50, 99, 110)] == [49, 100, 149, 160]


def test_a_rewind_never_passes_records_that_are_not_copied_again_yet() -> None:
    """Behind 100 the only copies of 60 to 99 are the older ones."""
    flow = Flow((0, 0, 100), (50, 100, 10))

    assert said(flow.place(80)) == ("exact", "inside_run", 80, None, 30)
    assert [flow.place(offset).downstream for offset in (49, 50, 55, 60, 99)] == [49, 60, 60, 60, 99]
    assert [flow.copy((60, 110, 40)).place(offset).downstream for offset in (49, 50, 60, 99, 100)] == [
        49,
        100,
        110,
        149,
        150,
    ]


def test_runs_of_a_truncated_remote_log_do_not_count() -> None:
    flow = Flow((0, 0, 100), (100, 60, 20))

    assert [flow.place(offset).downstream for offset in (59, 60, 80, 100, 110)] == [59, 60, 60, 60, 70]


def test_inside_a_segment_no_run_is_missing() -> None:
    """Markers of the target's transactions and records of others leave holes on both sides."""
    flow = Flow()
    flow.account.add_segment(b"key", RunSegment("t", 0, ID, (OffsetRun(0, 0, 10), OffsetRun(15, 12, 5))))

    assert said(flow.place(12)) == ("exact", "between_runs", 10, None, 0)


def test_segments_that_overlap_have_no_run_missing_between() -> None:
    flow = Flow()
    flow.account.add_segment(b"one", RunSegment("t", 0, ID, (OffsetRun(0, 0, 10), OffsetRun(15, 12, 5))))
    flow.account.add_segment(b"two", RunSegment("t", 0, ID, (OffsetRun(15, 12, 8), OffsetRun(30, 24, 2))))
    assert [flow.place(offset).downstream for offset in (12, 16, 25, 31)] == [10, 13, 20, 25]

    flow.account.add_segment(b"other", RunSegment("t", 0, ID, (OffsetRun(50, 40, 8),)))
    assert said(flow.place(40)) == ("bounded", "missing_runs", 26, 40, 14)


def test_the_position_brings_the_newest_runs() -> None:
    flow = Flow((0, 0, 10)).at(33, 26, runs=(OffsetRun(0, 0, 10), OffsetRun(15, 12, 5), OffsetRun(30, 24, 2)))

    assert [said(flow.place(offset))[:3] for offset in (12, 16, 25, 31, 33)] == [
        ("exact", "between_runs", 10),
        ("exact", "inside_run", 13),
        ("exact", "between_runs", 17),
        ("exact", "inside_run", 25),
        ("exact", "at_the_tip", 26),
    ]
    assert said(flow.place(34)) == ("bounded", "copy_behind", 26, 1_000, 1)


def test_an_older_segment_takes_nothing_from_what_the_position_brought() -> None:
    flow = Flow().at(20, 17, runs=(OffsetRun(0, 0, 10), OffsetRun(15, 12, 5)))
    assert flow.place(16).downstream == 13

    flow.copy((0, 0, 10))
    assert flow.place(16).downstream == 13


def test_runs_of_a_position_that_contradict_the_others_make_them_doubtful() -> None:
    """One of the two is older: the remote log was cut at 60."""
    flow = Flow((0, 0, 100)).at(120, 80, runs=(OffsetRun(100, 60, 20),))

    assert said(flow.place(50, end=120)) == ("exact", "inside_run", 50, None, 0)
    assert said(flow.place(80, end=120)) == ("bounded", "missing_runs", 60, 120, 60)


def test_a_segment_written_again_replaces_itself() -> None:
    flow = Flow((0, 0, 10))
    for length in (5, 9, 20):
        runs = (OffsetRun(12, 10, 3), OffsetRun(20, 13, length))
        flow.account.add_segment(b"open", RunSegment("t", 0, ID, runs))

    assert [flow.place(offset).downstream for offset in (13, 16, 39)] == [11, 13, 32]


def test_a_remote_log_that_is_shorter_than_the_copies_gives_no_place() -> None:
    assert said(Flow((0, 0, 100)).place(10, end=99)) == ("impossible", "remote_truncated", None, None, None)
    assert Flow((0, 0, 10)).at(10, DISTRUSTED).place(5).reason == "remote_truncated"
    assert Flow((0, 0, 10)).at(20, 15).place(5, end=14).reason == "remote_truncated"


def test_a_remote_topic_created_again_gives_no_place() -> None:
    flow = Flow((0, 0, 100)).at(100, 100, remote_topic_id=ID)
    now = LogRange(start=0, end=100, topic_id=FORMER)

    assert flow.account.translate(T, ID, 5, SOURCE, now).reason == "remote_truncated"


def test_while_a_truncation_waits_for_its_gap_there_is_no_place() -> None:
    assert Flow((0, 0, 100)).at(100, 100, truncated_at=60).place(50).reason == "remote_truncated"


def test_runs_of_before_a_truncation_are_doubtful_until_one_begins_there() -> None:
    flow = Flow((0, 0, 100)).at(100, 100, truncated_at=60).at(30, None)
    assert said(flow.place(50, end=120)) == ("exact", "inside_run", 50, None, 20)
    assert said(flow.place(80, end=120)) == ("bounded", "missing_runs", 60, 120, 60)

    flow.copy((30, 60, 70)).at(100, 130)
    assert said(flow.place(80, end=130)) == ("exact", "inside_run", 110, None, 0)


def test_a_position_before_copies_of_lower_offsets_makes_them_doubtful() -> None:
    """The remote log was cut at 60 and the position accepted it; the runs of the new copies are not written yet."""
    flow = Flow((0, 0, 100)).at(100, 60)

    assert said(flow.place(50, end=120)) == ("exact", "inside_run", 50, None, 0)
    assert said(flow.place(80, end=120)) == ("bounded", "missing_runs", 60, 120, 60)


def test_the_first_copied_record_is_next_for_offsets_before_it() -> None:
    flow = Flow((250, 0, 100))

    assert said(flow.place(7)) == ("exact", "in_gap", 0, None, 0)
    assert said(flow.place(7, source=LogRange(start=250, end=400))) == ("exact", "before_source_start", 0, None, 0)
    assert said(Flow((250, 40, 100)).place(7)) == ("bounded", "missing_runs", 0, 40, 40)


def test_the_place_is_never_below_the_start_of_the_remote_log() -> None:
    flow = Flow((0, 0, 10), (15, 10, 90))

    assert said(flow.place(5, start=50)) == ("exact", "below_remote_start", 50, None, 0)
    assert said(flow.place(12, start=50)) == ("exact", "below_remote_start", 50, None, 0)
    assert said(flow.place(55, start=50)) == ("exact", "inside_run", 50, None, 0)
    assert said(Flow((100, 40, 90)).place(7, start=50)) == ("exact", "below_remote_start", 50, None, 0)


def test_each_topic_of_a_name_has_its_own_places() -> None:
    flow = Flow().copy((0, 0, 100), topic_id=FORMER)

    assert said(flow.place(5)) == ("impossible", "topic_recreated", None, None, None)
    flow.copy((0, 100, 10))
    assert said(flow.place(5)) == ("exact", "inside_run", 105, None, 0)
    assert flow.place(5, topic_id=FORMER).downstream == 5
    assert said(Flow((3, 100, 10)).at(13, 110, topic_id=FORMER).place(5)) == ("exact", "inside_run", 102, None, 0)


def test_before_the_first_copy_of_a_topic_are_the_copies_of_the_former_one() -> None:
    flow = Flow().copy((0, 0, 100), topic_id=FORMER).copy((20, 100, 10))

    assert said(flow.place(5)) == ("exact", "in_gap", 100, None, 0)


def test_brokers_without_topic_ids_have_one_account_per_name() -> None:
    flow = Flow().copy((0, 0, 10), topic_id=NO_TOPIC_ID).copy((10, 10, 10))

    assert [flow.place(5).downstream, flow.place(15).downstream] == [5, 15]
    assert flow.place(5, topic_id=NO_TOPIC_ID).downstream == 5


def test_without_runs_offset_syncs_give_bounds() -> None:
    flow = Flow().synced((100, 0), (200, 90), (300, 180)).at(400, None, topic_id=NO_TOPIC_ID)

    assert said(flow.place(200)) == ("exact", "sync_only", 90, None, 0)
    assert said(flow.place(201)) == ("exact", "sync_only", 91, None, 0)
    assert said(flow.place(250)) == ("bounded", "sync_only", 91, 180, 89)
    assert said(flow.place(50)) == ("exact", "sync_only", 0, None, 0)
    assert said(flow.place(350, end=220)) == ("bounded", "sync_only", 181, 220, 39)


def test_offset_syncs_narrow_a_hole_between_runs() -> None:
    flow = Flow((0, 0, 10), (1_000, 900, 10)).synced((100, 90), (200, 190))

    assert said(flow.place(120)) == ("bounded", "sync_only", 91, 190, 99)
    assert said(Flow((0, 0, 10), (1_000, 900, 10)).synced((100, 950)).place(120)) == (
        ("bounded", "missing_runs", 10, 900, 890)
    )


@pytest.mark.parametrize("offset", [10_001, 2**62])
def test_a_commit_behind_the_end_of_the_source_has_no_place(offset: int) -> None:
    assert Flow((0, 0, 10)).place(offset).reason == "beyond_source_end"


def test_nothing_known_is_said_as_such() -> None:
    assert said(Flow().place(5)) == ("impossible", "no_evidence", None, None, None)
    assert CopyAccount().translate(T, ID, 5, SOURCE, None).reason == "remote_topic_missing"
    assert Flow().place(5).text.startswith("no offset run")


def test_mirrormaker_translates_the_same_offset_by_syncs_alone() -> None:
    flow = Flow((0, 0, 500)).synced((100, 100), (201, 201))

    assert flow.account.mm2_downstream(T, 150) == 101
    assert flow.account.mm2_downstream(T, 99) == BEHIND
    assert flow.account.mm2_downstream(TopicPartition("t", 1), 99) is None


def test_the_inverse_leads_back_to_the_record() -> None:
    flow = Flow((0, 0, 10), (15, 10, 10), (60, 40, 10)).at(75, 55)

    assert [flow.back(offset).downstream for offset in (0, 9, 11, 20)] == [0, 9, 16, 25]
    assert said(flow.back(10)) == ("exact", "inside_run", 10, None, 0)  # 10 to 14 have no copy, and stay unread
    assert said(flow.back(30)) == ("bounded", "missing_runs", 25, 60, 10)
    assert said(flow.back(55)) == ("exact", "at_the_tip", 75, None, 0)
    assert said(flow.back(52)) == ("bounded", "missing_runs", 70, 75, 2)
    assert flow.back(1_001).reason == "beyond_remote_end"


def test_behind_a_rewind_everything_copied_before_it_is_read() -> None:
    flow = Flow((0, 0, 100), (50, 100, 10))

    assert [flow.back(offset).downstream for offset in (40, 80, 100, 105, 110)] == [40, 80, 100, 100, 100]


def test_the_inverse_stays_in_the_log_of_the_source() -> None:
    flow = Flow((0, 0, 100))

    assert said(flow.back(5, source=LogRange(start=50, end=100))) == ("exact", "before_source_start", 50, None, 0)
    assert flow.back(80, source=LogRange(start=0, end=60)).reason == "beyond_source_end"


@pytest.mark.parametrize("offset", [90, 100, 150])
def test_offset_syncs_of_a_log_that_was_longer_give_no_place(offset: int) -> None:
    flow = Flow().synced((100, 1_000))

    assert said(flow.place(offset, end=50)) == ("impossible", "remote_truncated", None, None, None)
    assert flow.place(100, end=1_001).kind == "exact"


def test_runs_count_beside_offset_syncs_of_a_log_that_was_longer() -> None:
    flow = Flow((0, 0, 10), (50, 40, 10)).synced((20, 12), (100, 1_000)).at(60, 50)

    assert said(flow.place(20, end=50)) == ("bounded", "missing_runs", 10, 40, 30)
    assert flow.place(55, end=50).downstream == 45


def test_a_remote_log_that_lost_everything_stays_doubtful_when_it_loses_more() -> None:
    flow = Flow((0, 0, 100)).at(100, 100, truncated_at=0).at(100, 100, truncated_at=60).at(30, None)

    assert said(flow.place(80, end=120)) == ("bounded", "missing_runs", 0, 120, 120)


def test_an_offset_sync_at_the_end_of_the_remote_log_is_of_a_longer_one() -> None:
    """Its record is not there."""
    flow = Flow().synced((0, 50)).at(0, 50)

    assert flow.place(0, end=50).downstream == 50
    assert flow.place(1, end=50).downstream == 50


def test_behind_the_last_offset_sync_all_records_of_the_remote_log_may_come_again() -> None:
    assert said(Flow().synced((0, 0), (100, 90)).place(102, end=140)) == ("bounded", "copy_behind", 91, 140, 50)


def test_no_offset_sync_behind_the_position_is_an_upper_bound() -> None:
    """These records are copied again, or they were of a topic that was re-created."""
    flow = Flow().synced((0, 0), (50, 50)).at(20, None)

    assert said(flow.place(30, end=100)) == ("bounded", "copy_behind", 1, 100, 128)


def test_lost_runs_before_copies_that_are_made_again_leave_bounds() -> None:
    """The copies of 33 to 39 are somewhere from 17 on, and they are the only ones while copying is at 33."""
    flow = Flow((0, 0, 15), (16, 15, 2), (40, 38, 13), (13, 51, 2), (16, 53, 2), (19, 55, 13), (32, 68, 1)).at(33, 69)

    assert [flow.place(offset, end=69).downstream for offset in (13, 20, 33)] == [17, 17, 17]
    assert flow.place(38, end=69).latest == 69
