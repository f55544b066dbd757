"""The rule for offset syncs against what a real MirrorMaker 2 wrote for streams whose every offset is known."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.domain.offsets.offset_sync import OffsetSyncRule

CAPTURED = json.loads((Path(__file__).parents[4] / "fixtures/mm2/syncs.json").read_text())
# by source partition: first upstream offset, upstream offsets of transaction markers, log end
STREAMS = {
    **{f"orders-{number}": (250, (), 500) for number in range(4)},
    "payments-0": (0, (), 20),
    "txn-0": (0, (10, 18, 24), 25),
    "orders-steps-0": (0, (4985, 5006), 5007),
}


def records(partition: str) -> Iterator[tuple[int, int]]:
    """Upstream and downstream offset of each record; MirrorMaker started with an empty remote topic."""
    first, markers, end = STREAMS[partition]
    upstream = (offset for offset in range(first, end) if offset not in markers)
    return ((up, down) for down, up in enumerate(upstream))


@pytest.mark.parametrize("partition", STREAMS)
def test_every_sync_the_rule_makes_due_was_written_and_all_others_are_tails(partition: str) -> None:
    rule = OffsetSyncRule(100)
    due = [pair for up, down in records(partition) for pair in rule.on_batch(up, down, 1)]
    written = [tuple(pair) for pair in CAPTURED[partition]]

    assert set(due) <= set(written)
    tails = [pair for pair in written if pair not in set(due)]
    assert set(tails) <= set(records(partition))
    assert len(tails) <= 7  # periodic commits while the stream paused
    assert rule.tail() in (None, written[-1])


def test_all_captured_partitions_are_known() -> None:
    assert set(CAPTURED) - {"note"} == set(STREAMS)
