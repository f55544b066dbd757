from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kafka.clusters import TwoClusters
from tests.support.system import RunningSystem


@pytest.fixture(scope="module")
def system(
    two_clusters: TwoClusters, kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningSystem]:
    """The whole system with one flow a->b of the topics `kill-*`."""
    properties = f"""
clusters = a, b
a.bootstrap.servers = {two_clusters.source.bootstrap}
b.bootstrap.servers = {two_clusters.target.bootstrap}
a->b.enabled = true
a->b.topics = kill-.*
a->b.tasks.max = 2
b->a.enabled = false
b->a.emit.heartbeats.enabled = false
replication.factor = 1
"""
    running = RunningSystem(tmp_path_factory.mktemp("system") / "srm", kafka_jars, properties)
    try:
        running.start()
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []
