"""Five shipped mistakes and a lost record: the cause is found from the overview in at most three clicks."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from replication.domain.offsets.offset_run import OffsetRun
from replication.domain.plan.slot import ClusterClient
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.e2e.pictures import keep_picture
from tests.support.browser import Visitor, visitor
from tests.support.kafka.brokers import Brokers
from tests.support.kafka.guarded_cluster import GuardedCluster, jaas, start_guarded_cluster
from tests.support.kafka.kafka_records import create_topic
from tests.support.metrics.audit_lab import AuditLab, Copy, record
from tests.support.servers.pki import Authority
from tests.support.servers.tls_link import tls_in_front_of
from tests.support.servers.token_endpoint import running_token_endpoint
from tests.support.system import RunningSystem

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.system,
    pytest.mark.e2e,
    pytest.mark.large,
    pytest.mark.timeout(600),
]

PLANTED, LOST, RECORDS = "journey-planted", 100, 300
DENIED, LOOPED = "journey-denied", "ring-orders"
_SHOWN_MS, _AUDITED_MS, _MOST_CLICKS = 90_000, 180_000, 3


class Clicks:
    """Counts the clicks since the overview was opened."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def on(self, place: Locator) -> None:
        place.click()
        self.count += 1

    def found(self, name: str) -> None:
        """The cause is on the page now."""
        keep_picture(self.page, f"cause-{name}")
        assert self.count <= _MOST_CLICKS, f"{self.count} clicks"


@pytest.fixture(scope="module")
def source(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    brokers = Brokers(dev_clusters, kafka_jars, "causes-east", brokers=1)
    for topic in (DENIED, LOOPED):
        create_topic(brokers.bootstrap, topic)
    yield brokers
    brokers.close()


@pytest.fixture(scope="module")
def target(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    brokers = Brokers(dev_clusters, kafka_jars, "causes-west", brokers=1)
    yield brokers
    brokers.close()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def guarded(
    dev_clusters: DevClusters, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GuardedCluster]:
    """A cluster with a listener for logins, and a plain one."""
    with running_token_endpoint() as tokens:
        yield start_guarded_cluster(dev_clusters, tmp_path_factory.mktemp("stores"), authority, tokens, None)
        dev_clusters.stop(["guarded-by-all"])


@pytest.fixture(scope="module")
def expired(target: Brokers, authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A port of the target with TLS, whose certificate ended yesterday."""
    folder = tmp_path_factory.mktemp("expired")
    pem = authority.issue("broker", life=-timedelta(days=1)).write_pem(folder / "broker.pem")
    with tls_in_front_of(int(target.bootstrap.rpartition(":")[2]), pem) as port:
        yield port


@pytest.fixture(scope="module")
def system(
    source: Brokers,
    target: Brokers,
    guarded: GuardedCluster,
    expired: int,
    authority: Authority,
    kafka_jars: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningSystem]:
    """Flows with a mistake each, and one that lost a record before its history began."""
    folder = tmp_path_factory.mktemp("causes")
    _plant_a_loss(source.bootstrap, target.bootstrap, folder)
    wrong = jaas("plain.PlainLoginModule", username="srm", password="a wrong password")
    properties = f"""
clusters = east, west, locked, expired, ring
east.bootstrap.servers = {source.bootstrap}
west.bootstrap.servers = {target.bootstrap}
ring.bootstrap.servers = {guarded.cluster.bootstrap}
locked.bootstrap.servers = localhost:{guarded.ports["SASL"]}
locked.security.protocol = SASL_PLAINTEXT
locked.sasl.mechanism = PLAIN
locked.sasl.jaas.config = {wrong}
expired.bootstrap.servers = localhost:{expired}
expired.security.protocol = SSL
expired.ssl.truststore.type = PEM
expired.ssl.truststore.location = {authority.write_pem(folder / "root.pem")}
east->west.enabled = true
east->west.topics = journey-.*
east->west.topics.exclude = {DENIED}
east->locked.enabled = true
east->locked.topics = journey-.*
east->expired.enabled = true
east->expired.topics = journey-.*
east->ring.enabled = true
ring->east.enabled = true
east->ring.topics = {LOOPED}
ring->east.topics = {LOOPED}
east->ring.replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy
ring->east.replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy
east->ring.srm.loop.protection = off
ring->east.srm.loop.protection = off
replication.factor = 1
"""
    running = RunningSystem(folder / "srm", kafka_jars, properties)
    try:
        running.start()
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []


def _plant_a_loss(source: str, target: str, folder: Path) -> None:
    """A copied topic whose record `LOST` is not on the target, with the history of a flow that copied the others."""
    east = ClusterClient(alias="east", bootstrap=(source,))
    west = ClusterClient(alias="west", bootstrap=(target,))
    lab = AuditLab(east, west, cast("Any", None), folder)
    lab.create(PLANTED, 1)
    records = [record(0, number) for number in range(RECORDS)]
    lab.write_source(PLANTED, 0, records)
    lab.write_copy(PLANTED, 0, Copy(records=[each for number, each in enumerate(records) if number != LOST]))
    lab.write_history(PLANTED, {0: [OffsetRun(0, 0, LOST), OffsetRun(LOST + 1, LOST, RECORDS - LOST - 1)]})


@pytest.fixture
def page(browser: Browser, system: RunningSystem) -> Iterator[Page]:
    """The overview, before an admin."""
    with visitor(browser, system, "admin", (system.home / "admin-password").read_text().strip()) as somebody:
        yield _overview(somebody)


def _overview(somebody: Visitor) -> Page:
    page = somebody.open("/replications")
    expect(_row(page, "east", "west")).to_be_visible(timeout=_SHOWN_MS)
    return page


def _row(page: Page, source: str, target: str) -> Locator:
    table = page.get_by_role("region", name="Table of replication flows")
    return table.get_by_role("row", name=re.compile(f"{source} to {target}"))


def _open(clicks: Clicks, source: str, target: str) -> None:
    clicks.on(_row(clicks.page, source, target).get_by_role("link", name=re.compile(f"{source} to {target}")))


def test_a_lost_record_is_audited_found_and_shown_on_both_sides(page: Page) -> None:
    clicks = Clicks(page)
    _open(clicks, "east", "west")
    expect(page.locator(".badge", has_text="Healthy").first).to_be_visible(timeout=_SHOWN_MS)

    page.get_by_role("button", name="Audit everything").click()
    expect(page.get_by_text(re.compile("^Reads 2 topics|^Reads 1 topic"))).to_be_visible()
    page.get_by_role("button", name="Start the audit").click()
    findings = page.get_by_role("region", name="Table of findings")
    row = findings.get_by_role("row", name=re.compile("missing"))
    expect(row).to_be_visible(timeout=_AUDITED_MS)
    keep_picture(page, "loss-1-finding")
    row.get_by_role("link", name=f"Both records of {PLANTED}, partition 0, offset {LOST}").click()

    expect(page.get_by_text("The record was not copied")).to_be_visible(timeout=_SHOWN_MS)
    both = page.get_by_role("region", name="Both records")
    expect(both.get_by_role("row", name=re.compile("^Key"))).to_contain_text(f"key-{LOST}")
    expect(page.get_by_text(f"--to offset:{LOST}")).to_have_count(1)
    keep_picture(page, "loss-2-records")
    page.get_by_role("link", name="Next", exact=True).click()
    expect(page.get_by_text("Both records are the same")).to_be_visible(timeout=_SHOWN_MS)


def test_a_wrong_password_is_named(page: Page) -> None:
    clicks = Clicks(page)

    expect(_row(page, "east", "locked")).to_contain_text(
        re.compile("login|password|authentication", re.IGNORECASE), timeout=_SHOWN_MS
    )
    clicks.found("wrong-password")


def test_a_topic_that_is_denied_by_mistake_is_found_with_the_pattern(page: Page) -> None:
    clicks = Clicks(page)

    _open(clicks, "east", "west")
    clicks.on(page.get_by_role("link", name="Topics", exact=True))
    clicks.on(page.get_by_role("button", name=re.compile("^Denied")))
    expect(page.get_by_role("row", name=re.compile(f"^{DENIED}"))).to_contain_text("deny pattern", timeout=_SHOWN_MS)
    clicks.found("denied-topic")


def test_an_expired_certificate_is_named(page: Page) -> None:
    clicks = Clicks(page)

    expect(_row(page, "east", "expired")).to_contain_text(re.compile("expired", re.IGNORECASE), timeout=_SHOWN_MS)
    row = _row(page, "east", "expired")
    expect(row).to_contain_text(re.compile("certificate", re.IGNORECASE), timeout=_SHOWN_MS)
    clicks.found("expired-certificate")


def test_a_loop_is_named_with_its_remedy(page: Page) -> None:
    clicks = Clicks(page)

    _open(clicks, "east", "ring")
    expect(page.locator("main")).to_contain_text("records would go in cycles", timeout=_SHOWN_MS)
    expect(page.locator("main")).to_contain_text("srm.loop.protection", timeout=_SHOWN_MS)
    clicks.found("loop")


def test_a_denied_topic_is_added_after_the_review_has_listed_it(page: Page, system: RunningSystem) -> None:
    key = "east->west.topics.exclude"
    _open(Clicks(page), "east", "west")
    page.get_by_role("link", name="Topics", exact=True).click()
    page.get_by_role("button", name=re.compile("^Denied")).click()
    page.get_by_role("link", name="the patterns of the flow").click()

    page.get_by_role("button", name=key, exact=True).click()
    page.get_by_role("button", name="Edit the value").click()
    form = page.get_by_role("form", name=f"Value of {key}")
    form.get_by_label("Value").fill("journey-nothing")
    form.get_by_role("button", name="Begin a draft with it").click()
    page.get_by_role("link", name="Review 1 change").click()
    expect(page.get_by_text("Topics that are copied from now on")).to_be_visible(timeout=_SHOWN_MS)
    expect(page.locator("main")).to_contain_text(DENIED)
    keep_picture(page, "denied-topic-review")
    page.get_by_label("Comment").fill("it was denied by mistake")
    page.get_by_role("button", name="Apply 1 change").click()

    def is_copied() -> bool:
        return DENIED in {pair["topic"] for pair in system.get("remote-topics/east/west")["items"]}

    system.wait_until(f"{DENIED} is copied", is_copied, 90)
