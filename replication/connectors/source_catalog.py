"""The ids of the source's topics, looked at a few at a time, so that a look costs the same with 10,000 topics."""

from collections.abc import Mapping

from replication.connectors.turns import Turns
from replication.ports.admin import ClusterAdmin

_PER_RUN = 2_000


class SourceCatalog:
    """A new topic or one of another width is looked at at once; the others in turns, to notice those made anew.

    The engine notices a re-created topic by itself and waits; what it waits for is found here.
    """

    def __init__(self, source: ClusterAdmin) -> None:
        self._source = source
        self._ids: dict[str, tuple[bytes, int]] = {}  # id and partitions
        self._turns = Turns(valid_ms=0, per_run=_PER_RUN)

    def topic_ids(self, partitions: Mapping[str, int], now_ms: int) -> Mapping[str, bytes]:
        """By name; topics that are gone are missing. Raises what ClusterAdmin raises."""
        self._ids = {name: known for name, known in self._ids.items() if name in partitions}
        changed = {name for name, count in partitions.items() if self._ids.get(name, (b"", -1))[1] != count}
        looked_at = self._turns.due(partitions, now_ms) | changed
        found = self._source.describe_topics(looked_at)
        for name in looked_at:
            described = found.get(name)
            if described is None:
                self._ids.pop(name, None)
            else:
                self._ids[name] = (described.topic_id, partitions[name])
        self._turns.looked_at(looked_at, now_ms)
        return {name: topic_id for name, (topic_id, _) in self._ids.items()}
