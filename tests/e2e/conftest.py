"""A whole system with traffic and a person of each role at its page."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.browser import Visitor, started_browser, visitor
from tests.support.kafka.brokers import Brokers
from tests.support.kafka.kafka_records import create_topic
from tests.support.kafka.writer import Traffic
from tests.support.system import RunningSystem

TOPIC, QUIET_TOPIC, PARTITIONS = "journey-orders", "journey-bills", 3
PASSWORD = "a long password of a journey"
As = Callable[[str], Visitor]


def start_with_people(running: RunningSystem) -> None:
    """Start the system and add a user of each role but admin, who is there."""
    running.start()
    for role in ("viewer", "operator"):
        running.send("POST", "users", {"name": role, "role": role, "password": PASSWORD})


@pytest.fixture(scope="module")
def source(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    """The source cluster, whose broker a journey stops and starts."""
    brokers = Brokers(dev_clusters, kafka_jars, "journey-east", brokers=1)
    for topic in (TOPIC, QUIET_TOPIC):
        create_topic(brokers.bootstrap, topic, PARTITIONS)
    yield brokers
    brokers.close()


@pytest.fixture(scope="module")
def target(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    brokers = Brokers(dev_clusters, kafka_jars, "journey-west", brokers=1)
    yield brokers
    brokers.close()


@pytest.fixture(scope="module")
def system(
    source: Brokers, target: Brokers, kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningSystem]:
    """`srm up` with one flow east->west and a user of each role."""
    properties = f"""
clusters = east, west
east.bootstrap.servers = {source.bootstrap}
west.bootstrap.servers = {target.bootstrap}
east->west.enabled = true
east->west.topics = journey-.*
west->east.enabled = false
replication.factor = 1
"""
    running = RunningSystem(tmp_path_factory.mktemp("journeys") / "srm", kafka_jars, properties)
    try:
        start_with_people(running)
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []


@pytest.fixture(scope="module")
def traffic(source: Brokers) -> Iterator[Traffic]:
    """Two hundred records a second, until the last journey ends."""
    with Traffic(source.bootstrap, TOPIC, PARTITIONS, 200).flowing() as flowing:
        yield flowing


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with started_browser() as started:
        yield started


@pytest.fixture
def as_(browser: Browser, system: RunningSystem) -> Iterator[As]:
    """`as_("operator")`: somebody of this role at the page."""
    with ExitStack() as visits:

        def enter(role: str) -> Visitor:
            password = (system.service_home / "admin-password").read_text().strip() if role == "admin" else PASSWORD
            return visits.enter_context(visitor(browser, system, role, password))

        yield enter
