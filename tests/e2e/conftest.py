"""A whole system with traffic and a person of each role at its page; all files share it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from replication.domain.plan.slot import ClusterClient
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.audits.planted_copy import Planted, damaged, record
from tests.support.audits.planted_flow import PlantedFlow
from tests.support.browser import Visitor, started_browser, visitor
from tests.support.kafka.brokers import Brokers
from tests.support.kafka.kafka_records import create_topic
from tests.support.kafka.writer import Traffic
from tests.support.servers.listeners import TwoDoors, start_with_second_listener
from tests.support.servers.pki import Authority
from tests.support.system import RunningSystem

TOPIC, QUIET_TOPIC, PARTITIONS = "journey-orders", "journey-bills", 3
DAMAGED_TOPIC = "journey-audited"
PASSWORD = "a long password of a journey"
SERVICE_RUNS = "Ctrl-C stops everything"  # Spark still starts, and what needs it waits
As = Callable[[str], Visitor]


def start_with_people(running: RunningSystem) -> None:
    """Start the system and add a user of each role but admin, who is there."""
    running.start(SERVICE_RUNS)
    for role in ("viewer", "operator"):
        running.send("POST", "users", {"name": role, "role": role, "password": PASSWORD})


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="session")
def east(dev_clusters: DevClusters, authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> TwoDoors:
    """The source cluster; it also has a TLS listener, whose certificate has expired."""
    file = tmp_path_factory.mktemp("tls") / "broker.pem"
    authority.issue("broker", life=timedelta(days=-2)).write_pem(file)
    extra = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(file)}
    return start_with_second_listener(dev_clusters, "journey-east", protocol="SSL", extra=extra)


@pytest.fixture(scope="session")
def source(east: TwoDoors, dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    """The broker of the source cluster, which a journey stops and starts."""
    brokers = Brokers(dev_clusters, kafka_jars, east.cluster.alias, brokers=1)
    for topic in (TOPIC, QUIET_TOPIC):
        create_topic(brokers.bootstrap, topic, PARTITIONS)
    yield brokers
    brokers.close()


@pytest.fixture(scope="session")
def target(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    brokers = Brokers(dev_clusters, kafka_jars, "journey-west", brokers=1)
    yield brokers
    brokers.close()


@pytest.fixture(scope="session")
def planted(source: Brokers, target: Brokers) -> list[Planted]:
    """A topic that was copied before the system started: one record was lost, and the value of one was changed."""
    flow = PlantedFlow(
        ClusterClient(alias="east", bootstrap=(source.bootstrap,)),
        ClusterClient(alias="west", bootstrap=(target.bootstrap,)),
    )
    originals = [record(0, number) for number in range(2_000)]
    copy = damaged(0, originals, {300: "changed", 700: "missing"})
    flow.create(DAMAGED_TOPIC, 1)
    flow.write_source(DAMAGED_TOPIC, 0, originals)
    flow.write_copy(DAMAGED_TOPIC, 0, copy)
    flow.write_history(DAMAGED_TOPIC, {0: copy.runs})
    return copy.planted


@pytest.fixture(scope="session")
def system(
    east: TwoDoors,
    source: Brokers,
    target: Brokers,
    planted: list[Planted],
    authority: Authority,
    kafka_jars: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningSystem]:
    """`srm up` with east->west, with lisbon->west whose source has an expired certificate, and a user of each role."""
    root = authority.write_pem(tmp_path_factory.mktemp("trust") / "root.pem")
    properties = f"""
clusters = east, west, lisbon
east.bootstrap.servers = {source.bootstrap}
west.bootstrap.servers = {target.bootstrap}
lisbon.bootstrap.servers = {east.second}
lisbon.security.protocol = SSL
lisbon.ssl.truststore.type = PEM
lisbon.ssl.truststore.location = {root}
east->west.enabled = true
east->west.topics = journey-.*
east->west.emit.heartbeats.enabled = true
lisbon->west.enabled = true
emit.heartbeats.enabled = false
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
    """Two hundred records a second, until the last journey of the file ends."""
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
            return visits.enter_context(visitor(browser, system.url, role, password))

        yield enter
