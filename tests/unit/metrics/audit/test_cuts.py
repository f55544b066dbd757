"""The offsets at which both logs can be cut."""

from metrics.audit.cuts import RANGE_OFFSETS, Cut, begun_at, merged, run_cuts, still_valid
from replication.domain.offsets.offset_run import OffsetRun


def test_a_long_run_can_be_cut_inside() -> None:
    cuts = list(run_cuts([OffsetRun(100, 130, RANGE_OFFSETS + 5)]))

    assert cuts == [
        Cut(100, 130),
        Cut(100 + RANGE_OFFSETS, 130 + RANGE_OFFSETS),
        Cut(105 + RANGE_OFFSETS, 135 + RANGE_OFFSETS),
    ]


def test_after_a_restart_the_newest_run_wins() -> None:
    first, again = OffsetRun(0, 0, 150), OffsetRun(130, 150, 100)

    assert still_valid(list(run_cuts([first, again]))) == [Cut(0, 0), Cut(130, 150), Cut(230, 250)]


def test_a_rewind_to_the_beginning_makes_older_copies_irrelevant() -> None:
    assert still_valid(list(run_cuts([OffsetRun(0, 0, 50), OffsetRun(0, 50, 50)]))) == [Cut(0, 50), Cut(50, 100)]


def test_a_target_that_lost_its_end_drops_the_cuts_beyond_it() -> None:
    valid = still_valid(list(run_cuts([OffsetRun(0, 0, 990), OffsetRun(1_000, 980, 50)])))

    assert valid == [Cut(0, 0), Cut(1_000, 980), Cut(1_050, 1_030)]


def test_a_target_that_is_new_shows_what_was_copied_before() -> None:
    written = list(run_cuts([OffsetRun(0, 0, 1_000), OffsetRun(1_000, 0, 50)]))
    valid = still_valid(written)

    assert valid[0] == Cut(0, 0)
    assert begun_at(written, [Cut(1_000, 0), Cut(1_050, 50)])[0] == Cut(0, 0)


def test_positions_fill_in_where_no_runs_are_known_yet() -> None:
    runs = [Cut(0, 0), Cut(100, 100)]
    positions = [Cut(90, 90), Cut(140, 145), Cut(200, 210)]

    assert merged(runs, positions, Cut(200, 210)) == [
        Cut(0, 0),
        Cut(90, 90),
        Cut(100, 100),
        Cut(140, 145),
        Cut(200, 210),
    ]


def test_cuts_beyond_the_frozen_end_are_skipped() -> None:
    assert merged([Cut(0, 0), Cut(300, 300)], [Cut(100, 100)], Cut(200, 200)) == [Cut(0, 0), Cut(100, 100)]
