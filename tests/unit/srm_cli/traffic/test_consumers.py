"""The demonstration's groups read, rest and survive what interrupts them."""

import threading
from collections.abc import Sequence

import pytest

from replication.domain.errors import RetriableError
from replication.domain.plan.slot import ClusterClient
from srm_cli.traffic import consumers
from srm_cli.traffic.consumers import GroupTraffic
from srm_cli.traffic.topics import DemoGroup

_CLUSTER = ClusterClient(alias="us-east", bootstrap=("u:1",))


class _Member:
    """Stops the traffic at its third read of all members; the second read fails."""

    reads = 0
    left = 0
    stop = threading.Event()

    def __init__(self, cluster: ClusterClient, group: str, topics: Sequence[str]) -> None:
        assert (cluster, group, topics) == (_CLUSTER, "reports", ("orders",))

    def read(self, timeout_s: float) -> int:
        type(self).reads += 1
        if self.reads == 2:
            raise RetriableError("the broker is restarting", cluster="us-east")
        if self.reads == 3:
            self.stop.set()
        return 1

    def close(self) -> None:
        type(self).left += 1


def test_a_group_joins_again_after_an_interruption_and_after_its_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "GroupMember", _Member)
    monkeypatch.setattr(consumers, "_RETRY_SECONDS", 0.01)
    group = DemoGroup(name="reports", cluster="us-east", topics=("orders",), reads_seconds=1.5, rests_seconds=0.01)

    GroupTraffic(_CLUSTER, group, _Member.stop, monotonic_s=iter(range(100)).__next__).run()

    assert _Member.reads == 3
    assert _Member.left == 3
