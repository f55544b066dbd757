"""MirrorMaker 2's 64 slots: the states that its code reaches, and every translation seen on a real one."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from replication.domain.groups.account.sync_slots import BEHIND, SyncSlots

FIXTURE = Path(__file__).resolve().parents[5] / "fixtures/mm2/offset_translation.json"


def after(syncs: Iterable[tuple[int, int]], *, slots: SyncSlots | None = None, keeps_history: bool = True) -> SyncSlots:
    for upstream, downstream in syncs:
        if slots is None:
            slots = SyncSlots(upstream, downstream)
        else:
            slots.receive(upstream, downstream, keeps_history=keeps_history)
    assert slots is not None
    return slots


def equal(*offsets: int) -> list[tuple[int, int]]:
    return [(offset, offset) for offset in offsets]


def state(slots: SyncSlots) -> str:
    return " ".join(
        f"{upstream}@{first}" if first == last else f"{upstream}@{first}-{last}"
        for first, last, upstream, _downstream in slots.ranges
    )


@pytest.mark.parametrize(
    ("syncs", "expected"),
    [
        (equal(*range(17)), "16@0 15@1 14@2 12@3 8@4 0@5-63"),
        (equal(*range(0, 2_000, 101)), "1919@0-7 1818@8 1616@9 1212@10 808@11 0@12-63"),
        (equal(*range(0, 1_001, 10)), "1000@0-4 990@5 960@6 900@7 840@8 720@9 480@10 0@11-63"),
        (
            equal(*range(0, 1_001, 10), *range(1_000, 10_001, 10)),
            "10000@0-4 9990@5 9960@6 9900@7 9840@8 9600@9 9120@10 8640@11 7680@12 3840@13 0@14-63",
        ),
    ],
    ids=["each record", "each 101st", "each tenth", "one repeated"],
)
def test_slots_hold_what_mirrormaker_holds(syncs: list[tuple[int, int]], expected: str) -> None:
    assert state(after(syncs)) == expected


def test_a_mirrormaker_that_starts_afresh_keeps_the_newest_sync_only() -> None:
    slots = after(equal(*range(0, 1_001, 10)), keeps_history=False)
    assert state(slots) == "1000@0-63"

    after(equal(*range(1_010, 10_001, 10)), slots=slots)
    assert state(slots) == ("10000@0-4 9990@5 9970@6 9940@7 9880@8 9640@9 9160@10 8680@11 6760@12 4840@13 1000@14-63")


def test_newer_syncs_may_move_an_older_offset_back() -> None:
    slots = after([(11, 4), (12, 5)])
    assert slots.translate(13) == 6

    after([(13, 6), (14, 7), (15, 8), (16, 9), (17, 10)], slots=slots)
    assert state(slots) == "17@0 16@1 15@2 11@3-63"
    assert slots.translate(13) == 5


def test_syncs_read_in_two_parts_translate_as_mirrormaker_does() -> None:
    slots = after([(100, 100), (200, 200), (300, 300)])
    assert slots.translate(250) == 201

    again = after([(175, 175), (275, 275), (375, 375), (475, 475)])
    assert state(again) == "475@0-7 375@8 175@9-63"
    assert [again.translate(offset) for offset in (250, 370, 400)] == [176, 176, 376]
    assert again.translate(174) == BEHIND


def test_a_sync_of_a_lower_source_offset_clears_the_slots() -> None:
    slots = after([(100, 0), (200, 100), (50, 150)])

    assert slots.ranges == [(0, 63, 50, 150)]
    assert slots.translate(49) == BEHIND


def test_every_slot_and_translation_of_a_real_mirrormaker_is_reached() -> None:
    """Captured from 4.1.1; of the translations, MirrorMaker's checkpoints show those that it emitted."""
    compared = emitted = 0
    for snapshot in json.loads(FIXTURE.read_text()):
        stores = {partition: after(syncs) for partition, syncs in snapshot["syncs"].items()}
        for partition, slots in snapshot["slots"].items():
            found = [[f"{first}-{last}", up, down] for first, last, up, down in stores[partition].ranges]
            assert found == slots, (snapshot["label"], partition)
        for group, partition, committed, model, checkpoint in snapshot["translations"]:
            compared += 1
            emitted += checkpoint is not None
            place = stores[partition].translate(committed)
            assert place == model, (snapshot["label"], group, partition)
            assert checkpoint in (None, place), (snapshot["label"], group, partition)
    assert (compared, emitted) == (69, 63)
