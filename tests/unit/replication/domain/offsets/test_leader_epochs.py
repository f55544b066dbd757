"""The last offset that a reader and a leader have in common, from the epochs that both know."""

import pytest

from replication.domain.offsets.leader_epochs import (
    MOST_EPOCHS,
    CommonEnd,
    EpochEnd,
    Epochs,
    EpochStart,
    common_end,
    cut_epochs,
    older_epoch,
    read_epoch,
)

OURS = (EpochStart(0, 0), EpochStart(3, 50), EpochStart(5, 80))


def test_epochs_are_kept_with_the_offset_of_their_first_batch() -> None:
    epochs: Epochs = ()
    for epoch, offset in ((-1, 0), (0, 0), (0, 10), (3, 50), (3, 60), (5, 80)):
        epochs = read_epoch(epochs, epoch, offset)

    assert epochs == OURS


def test_only_the_newest_epochs_are_kept() -> None:
    epochs: Epochs = ()
    for epoch in range(MOST_EPOCHS + 5):
        epochs = read_epoch(epochs, epoch, epoch * 10)

    assert epochs == tuple(EpochStart(epoch, epoch * 10) for epoch in range(5, MOST_EPOCHS + 5))


def test_what_is_read_again_from_an_earlier_offset_replaces_what_was_read_there() -> None:
    assert read_epoch(OURS, 7, 60) == (EpochStart(0, 0), EpochStart(3, 50), EpochStart(7, 60))
    assert read_epoch(OURS, 5, 80) == OURS
    assert read_epoch(OURS, 1, 90) == (EpochStart(0, 0), EpochStart(1, 90))  # the epochs of that log began again
    assert cut_epochs(OURS, 80) == OURS[:2]
    assert cut_epochs(OURS, 0) == ()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (EpochEnd(5, 90), CommonEnd(90, None)),  # the log was cut within the epoch
        (EpochEnd(5, 160), CommonEnd(100, None)),  # never beyond the position
        (EpochEnd(3, 160), CommonEnd(80, None)),  # it continued the epoch that we left at 80
        (EpochEnd(3, 70), CommonEnd(70, None)),
        (EpochEnd(4, 160), CommonEnd(80, 3)),  # an epoch that we never read: epoch 3 may have ended earlier
        (EpochEnd(1, 40), CommonEnd(40, 0)),
    ],
)
def test_the_common_end_is_that_of_the_newest_epoch_that_both_have(answer: EpochEnd, expected: CommonEnd) -> None:
    assert common_end(OURS, 100, answer) == expected


def test_an_earlier_common_end_is_never_exceeded() -> None:
    assert common_end(OURS, 60, EpochEnd(4, 160)) == CommonEnd(60, 3)


def test_without_known_epochs_nothing_beyond_the_position_is_common() -> None:
    assert common_end((), 40, EpochEnd(0, 100)) == CommonEnd(40, None)


def test_older_epochs_are_asked_for_one_after_another() -> None:
    assert [older_epoch(OURS, epoch) for epoch in (9, 5, 3, 0)] == [5, 3, 0, None]
