"""The copies that a remote log has lost, and the source offset from which on they are missing."""

import pytest

from replication.domain.offsets.copied_log import DISTRUSTED, CopiedLog, kept_end
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import NO_TOPIC_ID

ID, OTHER = bytes([1] * 16), bytes([2] * 16)


@pytest.mark.parametrize(
    ("acknowledged_end", "known_id", "end", "kept"),
    [
        (100, ID, 100, None),
        (100, ID, 130, None),
        (100, ID, 60, 60),
        (100, OTHER, 130, 0),
        (100, NO_TOPIC_ID, 60, 60),
        (100, NO_TOPIC_ID, 130, None),
        (0, OTHER, 0, None),
        (DISTRUSTED, ID, 500, 500),
    ],
    ids=["whole", "others wrote", "cut", "re-created", "unknown id, cut", "unknown id", "nothing copied", "distrusted"],
)
def test_copies_are_kept_up_to_the_end_of_the_log_they_were_written_to(
    acknowledged_end: int, known_id: bytes, end: int, kept: int | None
) -> None:
    assert kept_end(acknowledged_end, known_id, ID, end) == kept


def copied(*runs: tuple[int, int, int], topic_id: bytes = ID) -> CopiedLog:
    log = CopiedLog()
    for run in runs:
        log.add(RunSegment("t", 0, topic_id, (OffsetRun(*run),)))
    return log


@pytest.mark.parametrize(("kept", "missing_from"), [(0, 10), (25, 35), (30, 50), (45, 65), (60, 80), (70, 80)])
def test_runs_tell_which_source_offsets_are_missing(kept: int, missing_from: int) -> None:
    assert copied((10, 0, 30), (50, 30, 30)).missing_from(kept, ID) == missing_from


def test_a_rewind_of_before_makes_the_lowest_source_offset_count() -> None:
    assert copied((0, 0, 100), (40, 100, 60)).missing_from(90, ID) == 40


def test_runs_of_a_log_that_was_cut_before_do_not_count_behind_the_cut() -> None:
    """Upstream 500 to 1,000 was lost with the first cut and recorded; the log continued with upstream 1,000."""
    log = copied((0, 0, 1_000), (1_000, 500, 300))

    assert log.missing_from(700, ID) == 1_200
    assert log.missing_from(400, ID) == 400


def test_runs_of_a_former_topic_of_the_source_tell_nothing() -> None:
    log = copied((0, 0, 50), topic_id=OTHER)
    log.add(RunSegment("t", 0, ID, (OffsetRun(0, 50, 20),)))

    assert log.missing_from(60, ID) == 10
    assert log.missing_from(10, ID) == 0
    assert copied((0, 0, 50), topic_id=OTHER).missing_from(10, ID) is None
