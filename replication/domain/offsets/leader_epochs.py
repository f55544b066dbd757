"""Leader epochs of a source partition: where a reader and a leader that know different epochs part (KIP-320, KIP-279).

A reader keeps the last few epochs that it has read, with the offset of the first batch of each. A leader names the
largest of its epochs up to one that is asked for, and the end of that epoch in its log.
"""

from collections.abc import Sequence
from typing import NamedTuple

MOST_EPOCHS = 8  # an election begins an epoch; after as many the older ones are of little use


class EpochStart(NamedTuple):
    """An epoch, and the offset at which it was read first."""

    epoch: int
    first_offset: int


class EpochEnd(NamedTuple):
    """The answer of a leader; both are -1 where it knows no epoch up to the one it was asked for."""

    epoch: int
    end_offset: int

    @property
    def is_known(self) -> bool:
        return self.epoch >= 0 and self.end_offset >= 0


class CommonEnd(NamedTuple):
    """The reader and the leader agree at most up to `offset`; `ask_epoch` is asked for next, where it may be less."""

    offset: int
    ask_epoch: int | None


Epochs = tuple[EpochStart, ...]


def read_epoch(epochs: Epochs, epoch: int, first_offset: int) -> Epochs:
    """Return the epochs after a batch of this epoch was read at this offset; -1 is no epoch."""
    kept = cut_epochs(epochs, first_offset)
    if epoch < 0 or (kept and kept[-1].epoch == epoch):
        return kept
    older = (each for each in kept if each.epoch < epoch)  # a log whose epochs began again has none of the newer ones
    return (*older, EpochStart(epoch, first_offset))[-MOST_EPOCHS:]


def cut_epochs(epochs: Epochs, offset: int) -> Epochs:
    """Return the epochs that were read before this offset."""
    return tuple(each for each in epochs if each.first_offset < offset)


def common_end(epochs: Epochs, position: int, answer: EpochEnd) -> CommonEnd:
    """Return how far the log before `position` is that of the leader; never more than the position."""
    ours = min((each.first_offset for each in epochs if each.epoch > answer.epoch), default=position)
    shared = max((each.epoch for each in epochs if each.epoch <= answer.epoch), default=None)
    ask = shared if shared is not None and shared != answer.epoch else None
    return CommonEnd(min(position, ours, answer.end_offset), ask)


def older_epoch(epochs: Sequence[EpochStart], epoch: int) -> int | None:
    """Return the newest epoch before this one that was read."""
    return max((each.epoch for each in epochs if each.epoch < epoch), default=None)
