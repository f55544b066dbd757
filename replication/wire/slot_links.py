"""The links of one slot to its clusters; a changed login reaches all of them."""

from weakref import WeakSet

from replication.domain.plan.slot import ClusterClient, SlotSpec
from replication.domain.settings.choices import IsolationLevel
from replication.wire.network.buffers import FrameMemory
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop


class SlotLinks:
    """Made with the slot; from then on used on the loop's thread."""

    def __init__(self, loop: EngineLoop, pool: FrameMemory, spec: SlotSpec, client_id: str) -> None:
        self._loop = loop
        self.pool = pool
        self._client_id = client_id
        self._source, self._target = spec.source, spec.target
        self._to_source, self._to_target = WeakSet[ClusterLink](), WeakSet[ClusterLink]()

    def to_source(self, purpose: str, isolation: IsolationLevel = "read_uncommitted") -> ClusterLink:
        """Return a new link, which is not open yet."""
        link = self._link(self._source, purpose, isolation)
        self._to_source.add(link)
        return link

    def to_target(self, purpose: str) -> ClusterLink:
        """Return a new link, which is not open yet."""
        link = self._link(self._target, purpose, "read_uncommitted")
        self._to_target.add(link)
        return link

    def _link(self, cluster: ClusterClient, purpose: str, isolation: IsolationLevel) -> ClusterLink:
        return ClusterLink(self._loop, self.pool, cluster, f"{self._client_id}-{purpose}", isolation)

    def follow(self, spec: SlotSpec) -> None:
        """Log in with the clusters' settings of now where they have changed."""
        if spec.source != self._source:
            self._source = spec.source
            for link in tuple(self._to_source):
                link.log_in_as(spec.source)
        if spec.target != self._target:
            self._target = spec.target
            for link in tuple(self._to_target):
                link.log_in_as(spec.target)
