"""From an empty system to the first copied record, by clicks; and a session that ends in the middle of a wizard."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.pictures import keep_picture
from tests.support.browser import Visitor, visitor
from tests.support.kafka.kafka_records import end_offsets
from tests.support.kafka.writer import say
from tests.support.system import RunningSystem

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.system,
    pytest.mark.e2e,
    pytest.mark.large,
    pytest.mark.timeout(500),
]

_READY = "--add 'orders.*'"
_PARTITIONS = 6
_FIRST_RECORD_S = 180


@pytest.fixture(scope="module")
def empty(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    """`srm demo --empty`: three clusters with traffic, and a service that knows none of them."""
    running = RunningSystem(tmp_path_factory.mktemp("empty") / "srm", kafka_jars, options=("--empty",))
    try:
        running.start(_READY)
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []


@pytest.fixture(scope="module")
def bootstraps(empty: RunningSystem) -> dict[str, str]:
    """The bootstrap servers of two of the clusters, as the demo prints them."""
    return dict(re.findall(r"clusters add (\S+) --bootstrap-servers (\S+)", empty.log()))


@pytest.fixture
def admin(browser: Browser, empty: RunningSystem) -> Iterator[Visitor]:
    password = (empty.home / "admin-password").read_text().strip()
    with visitor(browser, empty.url, "admin", password) as somebody:
        yield somebody


def test_the_first_record_is_copied_within_three_minutes_of_clicks(
    admin: Visitor, bootstraps: dict[str, str], empty: RunningSystem
) -> None:
    page = admin.open("/replications")
    begun = time.monotonic()

    expect(page.get_by_role("heading", name="Copy the first record")).to_be_visible()
    keep_picture(page, "first-run-1-empty")
    for alias in ("us-east", "eu-central"):
        _add_cluster(page, alias, bootstraps[alias])
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Replications", exact=True).click()
    expect(page.get_by_text("Every cluster answers.")).to_be_visible()
    keep_picture(page, "first-run-2-tested")
    page.get_by_role("link", name="New replication").click()
    _choose(page, "us-east", "eu-central")
    _topics(page).fill("orders.*")
    expect(page.get_by_role("region", name="Selected topics")).to_contain_text("us-east.orders")
    keep_picture(page, "first-run-3-preview")
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Topics that are created")).to_be_visible(timeout=30_000)
    keep_picture(page, "first-run-4-plan")
    page.get_by_role("button", name="Create and start").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("us-east")

    def is_copied() -> bool:
        return sum(end_offsets(bootstraps["eu-central"], "us-east.orders", _PARTITIONS)) > 0

    left_s = _FIRST_RECORD_S - (time.monotonic() - begun)
    empty.wait_until("the first record is copied", is_copied, left_s)
    say(f"the first record was copied {time.monotonic() - begun:.0f} s after the first look at the page")
    expect(page.locator(".badge", has_text="Healthy").first).to_be_visible(timeout=60_000)
    keep_picture(page, "first-run-5-healthy")


def test_nothing_typed_is_lost_when_the_session_ends_in_the_middle_of_a_wizard(
    admin: Visitor, bootstraps: dict[str, str], empty: RunningSystem
) -> None:
    known = {cluster["alias"] for cluster in empty.get("clusters")["items"]}
    for alias in bootstraps.keys() - known:
        empty.send("POST", "clusters", {"alias": alias, "bootstrap": [bootstraps[alias]]})
    page = admin.open("/replications/new")
    _choose(page, "eu-central", "us-east")
    page.get_by_label("Denied topics").fill("secret")
    page.context.clear_cookies(name="sessionid")
    _topics(page).fill("orders\npayments.*")

    expect(page.get_by_text("Your session has ended")).to_be_visible()
    keep_picture(page, "session-ended")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill((empty.home / "admin-password").read_text().strip())
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("heading", name="Step 2 of 5: Topics")).to_be_visible()
    expect(_topics(page)).to_have_value("orders\npayments.*")
    expect(page.get_by_label("Denied topics")).to_have_value("secret")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_label("Source")).to_have_value("eu-central")
    expect(page.get_by_label("Target")).to_have_value("us-east")


def _add_cluster(page: Page, alias: str, bootstrap: str) -> None:
    page.get_by_role("link", name="Add a cluster").click()
    page.get_by_label("Alias").fill(alias)
    page.get_by_label("Bootstrap servers").fill(bootstrap)
    page.get_by_role("button", name="Add the cluster").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(alias)


def _choose(page: Page, source: str, target: str) -> None:
    page.get_by_label("Source").select_option(source)
    page.get_by_label("Target").select_option(target)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Step 2 of 5: Topics")).to_be_visible()


def _topics(page: Page) -> Locator:
    """The field of the topics to copy, not that of the denied ones."""
    return page.get_by_role("textbox", name=re.compile("^Topics"))
