"""The partitions that a fetch by topic name removes from its session."""

from replication.ports.fetch.batch_fetcher import FetchPosition
from replication.wire.fetch.batch_fetcher import _others

OLD, NEW = bytes([1] * 16), bytes([2] * 16)


def test_a_topic_re_created_is_not_forgotten_together_with_the_old_one() -> None:
    """The broker forgets by name, after it has taken what is wanted."""
    old, new = FetchPosition("t", OLD, 0, 20, -1), FetchPosition("t", NEW, 0, 0, -1)
    another = FetchPosition("t", OLD, 1, 20, -1)

    assert _others([old, another], [new]) == [another]
