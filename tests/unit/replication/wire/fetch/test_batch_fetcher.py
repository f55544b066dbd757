"""The partitions that a fetch by topic name removes from its session, and the topics whose names are known."""

import uuid
from types import SimpleNamespace
from typing import Any, cast

from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.ports.fetch.batch_fetcher import FetchPosition
from replication.wire.fetch.batch_fetcher import FEW_NAMES, WireBatchFetcher, _others
from replication.wire.network.buffers import BufferPool

OLD, NEW = bytes([1] * 16), bytes([2] * 16)


def test_a_topic_re_created_is_not_forgotten_together_with_the_old_one() -> None:
    """The broker forgets by name, after it has taken what is wanted."""
    old, new = FetchPosition("t", OLD, 0, 20, -1), FetchPosition("t", NEW, 0, 0, -1)
    another = FetchPosition("t", OLD, 1, 20, -1)

    assert _others([old, another], [new]) == [another]


def test_names_of_topics_that_left_are_forgotten() -> None:
    """Each re-created topic has another id."""
    loop = cast("Any", SimpleNamespace(monotonic_s=lambda: 0.0))
    fetcher = WireBatchFetcher(loop, BufferPool(1_000), cast("Any", None), "read_uncommitted", "")
    stays = FetchPosition("stays", uuid.uuid4().bytes, 0, 0, -1)
    by_name = FetchPosition("by name", NO_TOPIC_ID, 0, 0, -1)
    fetcher.want(1, stays)
    fetcher.want(2, by_name)

    for _ in range(5 * FEW_NAMES):
        topic_id = uuid.uuid4().bytes
        fetcher.want(1, FetchPosition("churns", topic_id, 0, 0, -1))
        fetcher.forget(1, "churns", topic_id, 0)

    assert len(fetcher._names) <= FEW_NAMES
    assert fetcher._names[stays.topic_id] == "stays"
    assert NO_TOPIC_ID in fetcher._names


def test_all_names_of_many_topics_are_kept() -> None:
    loop = cast("Any", SimpleNamespace(monotonic_s=lambda: 0.0))
    fetcher = WireBatchFetcher(loop, BufferPool(1_000), cast("Any", None), "read_uncommitted", "")

    for number in range(3 * FEW_NAMES):
        fetcher.want(1, FetchPosition(f"t{number}", number.to_bytes(16, "big"), 0, 0, -1))

    assert len(fetcher._names) == 3 * FEW_NAMES
