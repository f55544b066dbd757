"""The ids of the source's topics, queried in batches, so that a run costs the same with 10,000 topics."""

from collections.abc import Mapping

from replication.connectors.plan.round_robin import RoundRobin
from replication.ports.admin import ClusterAdmin

_PER_RUN = 2_000


class SourceCatalog:
    """Describes new and widened topics immediately and the others round robin, to detect re-created topics.

    The engine detects a re-created topic too, and waits for the new id that this catalog finds.
    """

    def __init__(self, source: ClusterAdmin) -> None:
        self._source = source
        self._ids: dict[str, tuple[bytes, int]] = {}  # id and partitions
        self._schedule = RoundRobin(valid_ms=0, per_run=_PER_RUN)

    def topic_ids(self, partitions: Mapping[str, int], now_ms: int) -> Mapping[str, bytes]:
        """Topic ids by name, without deleted topics. Raises the errors of ClusterAdmin."""
        self._ids = {name: known for name, known in self._ids.items() if name in partitions}
        changed = {name for name, count in partitions.items() if self._ids.get(name, (b"", -1))[1] != count}
        due = self._schedule.due(partitions, now_ms) | changed
        found = self._source.describe_topics(due)
        for name in due:
            described = found.get(name)
            if described is None:
                self._ids.pop(name, None)
            else:
                self._ids[name] = (described.topic_id, partitions[name])
        self._schedule.mark_checked(due, now_ms)
        return {name: topic_id for name, (topic_id, _) in self._ids.items()}
