from hypothesis import given
from hypothesis import strategies as st

from replication.domain.offsets.offset_sync import OffsetSyncRule


class PerRecordRule:
    """MirrorMaker 2's rule as its source states it, one record at a time: the yardstick."""

    def __init__(self, offset_lag_max: int) -> None:
        self.max = offset_lag_max
        self.previous_up = self.previous_down = self.last_sync_down = -1

    def update(self, up: int, down: int) -> bool:
        need = (
            self.last_sync_down == -1
            or down - (self.last_sync_down + 1) >= self.max
            or up - self.previous_up != 1
            or down < self.previous_down
        )
        if need:
            self.last_sync_down = down
        self.previous_up, self.previous_down = up, down
        return need


def test_a_contiguous_stream_is_synced_at_0_101_202() -> None:
    rule = OffsetSyncRule(100)

    assert [rule.on_batch(offset, offset, 1) for offset in range(203)].count([]) == 200
    rule = OffsetSyncRule(100)
    found = [pair for offset in range(303) for pair in rule.on_batch(offset, offset, 1)]
    assert found == [(0, 0), (101, 101), (202, 202)]


def test_an_upstream_gap_is_synced_at_once() -> None:
    rule = OffsetSyncRule(100)
    rule.on_batch(0, 0, 10)

    assert rule.on_batch(11, 10, 5) == [(11, 10)]


def test_the_tail_of_a_quiet_partition_is_answered_once() -> None:
    rule = OffsetSyncRule(100)
    rule.on_batch(0, 0, 10)

    assert rule.tail() == (9, 9)
    assert rule.tail() is None


@given(
    st.integers(0, 20),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 2), st.integers(-3, 5)), min_size=1, max_size=30),
)
def test_batches_emit_a_subset_of_the_per_record_rule_with_every_jump_and_the_newest(
    offset_lag_max: int, steps: list[tuple[int, int, int]]
) -> None:
    rule, yardstick = OffsetSyncRule(offset_lag_max), PerRecordRule(offset_lag_max)
    up = down = 0
    for length, gap, shift in steps:
        up, down = up + gap, max(0, down + shift)
        expected = [(up + i, down + i) for i in range(length) if yardstick.update(up + i, down + i)]
        found = rule.on_batch(up, down, length)
        assert set(found) <= set(expected)
        assert found[-1:] == expected[-1:]
        assert found[:1] == expected[:1] or len(expected) > len(found)
        up, down = up + length, down + length
