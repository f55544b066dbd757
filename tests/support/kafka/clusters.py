"""Real brokers for tests, started by the code behind `srm dev-clusters`. They end with the test process."""

import itertools
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.errors import OperatorError
from srm_cli.machine.jars import JarSet, ensure_jars, missing_jars
from tests.support.eventually import eventually

REPOSITORY = Path(__file__).resolve().parents[3]

EXPIRY_LOOKS = "transaction.abort.timed.out.transaction.cleanup.interval.ms"  # ten seconds, if nothing is said
GROUPS_S = 60.0

StartCluster = Callable[..., LocalCluster]


class SettledClusters(DevClusters):
    """Clusters that answer for groups, too, once they are up: a new broker's first such request makes a topic, which is
    loaded for a moment, and a test may be the first on its brokers."""

    def up(
        self, aliases: Sequence[str], *, brokers: int = 1, extra: Mapping[str, str] | None = None
    ) -> dict[str, LocalCluster]:
        started = super().up(aliases, brokers=brokers, extra=extra)
        for cluster in started.values():
            settings: dict[str, str | int | float | bool] = {"bootstrap.servers": cluster.bootstrap, "log_level": 0}
            client, consumer = AdminClient(settings), Consumer(settings | {"group.id": "nobody"})
            eventually(partial(_answers_for_groups, client, consumer), GROUPS_S, f"{cluster.alias} answers for groups")
            consumer.close()
        return started


def _answers_for_groups(client: AdminClient, consumer: Consumer) -> bool:
    """By the calls that wait: librdkafka may abort the process in its asynchronous ones while brokers still start."""
    try:
        consumer.committed([TopicPartition("nothing", 0)], timeout=5)
        client.list_groups(timeout=5)
    except KafkaException:  # not yet
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoClusters:
    source: LocalCluster
    target: LocalCluster


@pytest.fixture(scope="session")
def kafka_jars() -> Path:
    """`SRM_JARS` or the repository's own state folder, fetched once. CI must have brokers; others may go without."""
    if folder := os.environ.get("SRM_JARS"):
        return Path(folder) / "kafka"
    return _fetched("kafka")


@pytest.fixture(scope="session")
def old_kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """One broker of Kafka 3.9 for the whole session."""
    jars = os.environ.get("SRM_JARS")
    found = Path(jars) / "kafka-3.9" if jars else None
    if found is None or missing_jars(found, "kafka-3.9"):
        found = _fetched("kafka-3.9")
    home = tmp_path_factory.mktemp("old-brokers")
    clusters = SettledClusters(home, found, tie_to_parent=True)
    yield clusters.up(["old"])["old"]
    clusters.stop()
    shutil.rmtree(home, ignore_errors=True)


def _fetched(jar_set: JarSet) -> Path:
    try:
        return ensure_jars(REPOSITORY / ".srm", jar_set)
    except OperatorError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def dev_clusters(tmp_path_factory: pytest.TempPathFactory, kafka_jars: Path) -> Iterator[DevClusters]:
    home = tmp_path_factory.mktemp("brokers")
    clusters = SettledClusters(home, kafka_jars, tie_to_parent=True)
    yield clusters
    clusters.stop()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def kafka_cluster(dev_clusters: DevClusters) -> LocalCluster:
    """One broker for the whole session: use separate topic names."""
    return dev_clusters.up(["shared"], extra={EXPIRY_LOOKS: "1000"})["shared"]


@pytest.fixture(scope="session")
def two_clusters(dev_clusters: DevClusters) -> TwoClusters:
    started = dev_clusters.up(["source", "target"])
    return TwoClusters(source=started["source"], target=started["target"])


@pytest.fixture
def start_cluster(dev_clusters: DevClusters) -> Iterator[StartCluster]:
    """`start_cluster(brokers=3, extra={...})`: a cluster for one test, which may freeze and kill its brokers."""
    started: list[str] = []

    def start(*, brokers: int = 1, extra: dict[str, str] | None = None) -> LocalCluster:
        alias = f"own-{next(_NUMBERS)}"
        started.append(alias)
        return dev_clusters.up([alias], brokers=brokers, extra=extra)[alias]

    yield start
    for alias in started:
        dev_clusters.stop([alias])


_NUMBERS = itertools.count(1)
