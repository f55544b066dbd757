"""Four mistakes at the page of a running system: each cause is at most three clicks away from the overview."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
from playwright.sync_api import expect

from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from tests.e2e.clicks import clicks_from_overview
from tests.e2e.conftest import As, start_with_people
from tests.e2e.flow_table import flow_row, open_flow
from tests.e2e.pictures import keep_picture
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets, produce
from tests.support.kafka.small_disk import NoMountError, keep_alone, small_disk
from tests.support.servers.listeners import TwoDoors, scram_client, start_with_second_listener
from tests.support.system import RunningSystem

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.system,
    pytest.mark.e2e,
    pytest.mark.large,
    pytest.mark.timeout(400),
]

_FOUND_MS = 90_000  # from the start of the system to the first complaint
_DISK_MB = 8
_ORDERS, _BILLS, _RING = "shop-orders", "shop-bills", "ring-orders"


@dataclass(frozen=True, slots=True)
class Disk:
    """A cluster with log directories on a small disk and on a large one, or why there is no small one."""

    bootstrap: str
    small: Path
    large: Path
    problem: str = ""


@pytest.fixture(scope="module")
def paris(dev_clusters: DevClusters) -> Iterator[TwoDoors]:
    """A cluster that also has a listener with passwords."""
    doors = start_with_second_listener(dev_clusters, "causes-paris", protocol="SASL_PLAINTEXT")
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    change = UserScramCredentialUpsertion("srm", info, b"the right password")
    for answer in admin(doors.bootstrap).alter_user_scram_credentials([change]).values():
        answer.result(10)
    for topic in (_ORDERS, _BILLS, _RING):
        create_topic(doors.bootstrap, topic, 1)
    produce(doors.bootstrap, _BILLS, [{"value": b"a bill"}])
    yield doors
    dev_clusters.stop(["causes-paris"])


@pytest.fixture(scope="module")
def oslo(dev_clusters: DevClusters) -> Iterator[LocalCluster]:
    yield dev_clusters.up(["causes-oslo"])["causes-oslo"]
    dev_clusters.stop(["causes-oslo"])


@pytest.fixture(scope="module")
def rome(dev_clusters: DevClusters, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    """A cluster whose second log directory is on a small disk."""
    folder = tmp_path_factory.mktemp("disks")
    large, small = folder / "large", folder / "small" / "data"
    with ExitStack() as stack:
        try:
            stack.enter_context(small_disk(small.parent, _DISK_MB))
        except NoMountError as error:
            yield Disk(dev_clusters.up(["causes-rome"])["causes-rome"].bootstrap, small, large, str(error))
            return
        stack.callback(dev_clusters.stop, ["causes-rome"])
        bootstrap = dev_clusters.up(["causes-rome"], extra={"log.dirs": f"{large},{small}"})["causes-rome"].bootstrap
        yield Disk(bootstrap, small, large)


@pytest.fixture(scope="module")
def system(
    paris: TwoDoors,
    oslo: LocalCluster,
    rome: Disk,
    kafka_jars: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningSystem]:
    """`srm up` with a flow for each mistake, and a cycle of three."""
    login = scram_client("srm", "the wrong password")
    properties = f"""
clusters = paris, oslo, rome, vienna
paris.bootstrap.servers = {paris.bootstrap}
oslo.bootstrap.servers = {oslo.bootstrap}
rome.bootstrap.servers = {rome.bootstrap}
vienna.bootstrap.servers = {paris.second}
{_settings("vienna", login)}
vienna->oslo.enabled = true
paris->rome.enabled = true
paris->rome.topics = shop-.*
paris->rome.topics.exclude = .*-bills
{_keeping("paris", "oslo")}
{_keeping("oslo", "rome")}
{_keeping("rome", "paris")}
replication.factor = 1
emit.heartbeats.enabled = false
"""
    running = RunningSystem(
        tmp_path_factory.mktemp("causes") / "srm", kafka_jars, properties, options=("--no-metrics",)
    )
    try:
        start_with_people(running)
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []


def _settings(alias: str, settings: dict[str, str]) -> str:
    return "\n".join(f"{alias}.{key} = {value}" for key, value in settings.items())


def _keeping(source: str, target: str) -> str:
    """A flow that keeps the names of its topics."""
    flow = f"{source}->{target}"
    return f"""{flow}.enabled = true
{flow}.topics = ring-.*
{flow}.replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy"""


def test_a_wrong_password_is_named_with_its_cluster_and_the_step_that_fails(as_: As) -> None:
    with clicks_from_overview(as_("viewer"), "cause-wrong-password") as page:
        row = flow_row(page, "vienna", "oslo")
        expect(row).to_contain_text(re.compile("cluster vienna .*authentication failed", re.I), timeout=_FOUND_MS)
        open_flow(page, "vienna", "oslo")
        page.get_by_role("link", name="Connection of vienna").click()
        expect(page.get_by_text("step sasl failed")).to_contain_text("Correct the user, the password")


def test_a_topic_that_is_denied_by_mistake_is_listed_with_the_rule(as_: As) -> None:
    with clicks_from_overview(as_("viewer"), "cause-denied-topic") as page:
        open_flow(page, "paris", "rome")
        page.get_by_role("link", name="Topics", exact=True).click()
        page.get_by_role("button", name=re.compile("^Denied")).click()
        row = page.get_by_role("row", name=re.compile(_BILLS))
        expect(row).to_contain_text("the deny pattern .*-bills matches it", timeout=_FOUND_MS)


def test_a_denied_topic_is_copied_after_a_look_at_the_plan(as_: As, system: RunningSystem, rome: Disk) -> None:
    rule = "paris->rome.topics.exclude"
    page = as_("operator").open("/replications/paris/rome?tab=topics&state=denied")
    page.get_by_role("link", name="the patterns of the flow").click()
    page.get_by_role("button", name=rule, exact=True).click()
    page.get_by_role("button", name="Edit the value").click()
    form = page.get_by_role("form", name=f"Value of {rule}")
    form.get_by_label("Value").fill(".*-drafts")
    form.get_by_role("button", name="Start a draft").click()
    page.get_by_role("link", name="Review 1 change").click()
    copied = page.locator("details", has_text="Topics that are copied from now on")
    expect(copied).to_contain_text(_BILLS, timeout=_FOUND_MS)
    keep_picture(page, "denied-topic-1-plan")
    page.get_by_role("button", name="Apply 1 change").click()
    system.wait_until("the bills are copied", lambda: end_offsets(rome.bootstrap, f"paris.{_BILLS}", 1) == [1])
    keep_picture(page, "denied-topic-2-applied")


def test_a_full_disk_of_the_target_is_named_with_its_partition(
    as_: As, system: RunningSystem, paris: TwoDoors, rome: Disk
) -> None:
    if rome.problem:
        pytest.skip(rome.problem)
    with clicks_from_overview(as_("viewer"), "cause-full-disk") as page:
        row = flow_row(page, "paris", "rome")
        system.wait_until("the task runs", lambda: system.flow("paris", "rome")["tasks"]["running"] == 1, 90)
        keep_alone(rome.bootstrap, f"paris.{_ORDERS}", rome.small, rome.large)
        produce(paris.bootstrap, _ORDERS, ({"value": os.urandom(64_000)} for _ in range(_DISK_MB * 32)))
        words = re.compile(f"paris.{_ORDERS}-0 cannot be stored; is a disk of the target full or broken")
        expect(row).to_contain_text(words, timeout=_FOUND_MS)


def test_a_cycle_is_named_with_the_flows_that_form_it(as_: As) -> None:
    with clicks_from_overview(as_("viewer"), "cause-cycle") as page:
        row = flow_row(page, "paris", "oslo")
        expect(row).to_contain_text("held back", timeout=_FOUND_MS)
        for flow in ("paris->oslo", "oslo->rome", "rome->paris"):
            expect(row).to_contain_text(flow)
