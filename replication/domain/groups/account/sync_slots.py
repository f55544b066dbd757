"""The 64 offset syncs that MirrorMaker 2 remembers of a partition (`OffsetSyncStore`), and what it translates by them.

Slot 0 holds the newest sync, slot 63 the oldest one. The gaps between neighbours grow with powers of two:

- at most: `u(i) <= u(j) + 2^j - 2^i` for neighbours i, j of different syncs;
- at least: `u(i) >= u(j) + 2^max(i - 2, 0)`.
"""

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replication.domain.offsets.run_chain import RunCut

SLOTS = 64
BEHIND = -1  # MirrorMaker's answer for offsets before the oldest sync
_MOST = 2**63 - 1


class _Slot(NamedTuple):
    """Slots of one sync; equal numbers may be different syncs, and `serial` tells them apart."""

    upstream: int
    downstream: int
    serial: int


class SyncSlots:
    """Keeps the distinct syncs only: sixteen numbers or so instead of 64 objects."""

    __slots__ = ("_firsts", "_offsets")

    def __init__(self, upstream: int, downstream: int) -> None:
        self._offsets = array("q", (upstream, downstream))  # upstream, downstream of each distinct sync; newest first
        self._firsts = b"\0"  # the first slot of each

    def receive(self, upstream: int, downstream: int, *, keeps_history: bool = True) -> None:
        """Take the next sync; without history it replaces all others, as while MirrorMaker starts afresh."""
        if upstream < self._offsets[0] or not keeps_history:
            self._offsets, self._firsts = array("q", (upstream, downstream)), b"\0"
            return
        self._pack(_updated(self._unpacked(), _Slot(upstream, downstream, -1)))

    def translate(self, upstream: int) -> int:
        """Return MirrorMaker's place of an upstream offset: that of a sync, or one behind it."""
        for known in self:
            if known.upstream <= upstream:
                return known.downstream + (known.upstream < upstream)
        return BEHIND

    def __iter__(self) -> Iterator[RunCut]:
        """Yield the distinct syncs, the newest first."""
        return map(RunCut, self._offsets[::2], self._offsets[1::2])

    @property
    def ranges(self) -> list[tuple[int, int, int, int]]:
        """First slot, last slot, upstream and downstream of each distinct sync."""
        lasts = [*(first - 1 for first in self._firsts[1:]), SLOTS - 1]
        return [(*at, *cut) for at, cut in zip(zip(self._firsts, lasts, strict=True), self, strict=True)]

    def _unpacked(self) -> list[_Slot]:
        slots: list[_Slot] = []
        for serial, (first, last, upstream, downstream) in enumerate(self.ranges):
            slots += [_Slot(upstream, downstream, serial)] * (last - first + 1)
        return slots

    def _pack(self, slots: Sequence[_Slot]) -> None:
        firsts = [0, *(at for at in range(1, SLOTS) if slots[at].serial != slots[at - 1].serial)]
        self._firsts = bytes(firsts)
        self._offsets = array("q", [number for at in firsts for number in slots[at][:2]])


def _updated(old: Sequence[_Slot], newest: _Slot) -> list[_Slot]:
    """Return the slots after a sync (MirrorMaker's `updateSyncArray`)."""
    new = list(old)
    new[0] = candidate = newest
    read = 0
    for at in range(1, SLOTS):
        before = new[at - 1]
        while True:
            offered = old[read]
            is_far = _is_far(before, offered, at - 1)
            is_repeated = read + 1 < SLOTS and offered.serial == old[read + 1].serial
            fits_behind = at + 1 >= SLOTS or _is_far(offered, new[at + 1], at)
            takes = _is_near(before, offered, at - 1, at) and is_far and fits_behind
            if takes:
                candidate = offered
            skips = is_repeated or not is_far
            if takes or skips:
                read += 1
            if not (read < at and skips):
                break
        if _is_near(before, new[at], at - 1, at):
            break  # the rest is as it must be
        new[at] = candidate
    return new


def _is_near(one: _Slot, other: _Slot, at: int, behind: int) -> bool:
    """Return True when two syncs are not too far apart for their slots."""
    if one.serial == other.serial:
        return True
    bound = other.upstream + (1 << behind) - (1 << at)
    return bound > _MOST or one.upstream <= bound


def _is_far(one: _Slot, other: _Slot, at: int) -> bool:
    """Return True when two syncs are far enough apart for their slots."""
    if one.serial == other.serial:
        return True
    bound = other.upstream + (1 << max(at - 2, 0))
    return bound <= _MOST and one.upstream >= bound
