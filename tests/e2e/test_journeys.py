"""Journeys at the page of a running system: every step is seen on the page, and at the brokers or drivers."""

import re
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import QUIET_TOPIC, TOPIC, As
from tests.support.kafka.brokers import Brokers
from tests.support.system import RunningSystem

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.system,
    pytest.mark.e2e,
    pytest.mark.timeout(400),
    pytest.mark.usefixtures("traffic"),
]

FLOW = "/replications/east/west"
_INTERRUPTED_MS, _HEALTHY_MS = 15_000, 60_000


def flow_row(page: Page) -> Locator:
    table = page.get_by_role("region", name="Table of replication flows")
    return table.get_by_role("row", name=re.compile("^east to west"))


def badge(page: Page, word: str) -> Locator:
    """The status of the flow on its own page."""
    return page.locator(".badge", has_text=word).first


def test_the_overview_shows_a_healthy_flow_with_its_rate(as_: As, system: RunningSystem) -> None:
    page = as_("viewer").open("/replications")

    row = flow_row(page)
    expect(row).to_contain_text("Healthy", timeout=_HEALTHY_MS)
    expect(row).to_contain_text(re.compile(r"[1-9]\d*(\.\d+)?k? ?(/s|rec)"), timeout=_HEALTHY_MS)


def test_an_operator_pauses_a_flow_and_the_drivers_obey(as_: As, system: RunningSystem) -> None:
    page = as_("operator").open(FLOW)

    page.get_by_role("button", name="Pause", exact=True).click()
    form = page.get_by_role("form", name="Pause the flow")
    form.get_by_label("Reason").fill("a journey")
    form.get_by_role("button", name="Pause the flow").click()
    expect(badge(page, "Paused")).to_be_visible(timeout=15_000)
    system.wait_until("the flow is paused", lambda: system.flow("east", "west")["status"] == "paused", 15)
    page.get_by_role("button", name="Resume", exact=True).click()
    form = page.get_by_role("form", name="Resume the flow")
    form.get_by_label("Reason").fill("the journey ends")
    form.get_by_role("button", name="Resume the flow").click()
    system.wait_until("the flow copies", lambda: system.flow("east", "west")["status"] == "healthy", 30)
    expect(badge(page, "Healthy")).to_be_visible(timeout=15_000)


def test_an_operator_pauses_a_topic_and_resumes_it(as_: As, system: RunningSystem) -> None:
    page = as_("operator").open(FLOW)

    page.get_by_role("button", name="Pause", exact=True).click()
    form = page.get_by_role("form", name=re.compile("Pause (the flow|a topic)"))
    form.get_by_label("Topic").fill(TOPIC)
    form.get_by_label("Reason").fill("a journey")
    form.get_by_role("button", name="Pause the topic").click()
    expect(page.get_by_text(TOPIC).first).to_be_visible()
    system.wait_until("the hold is in force", lambda: _held(system) == [TOPIC], 15)
    page.get_by_role("button", name=f"Resume {TOPIC}", exact=True).click()
    system.wait_until("the hold is released", lambda: _held(system) == [], 15)


def _held(system: RunningSystem) -> list[str]:
    return [hold["topic"] for hold in system.get("replications/east/west/holds")["items"]]


def test_a_viewer_sees_no_orders_and_an_operator_does(as_: As) -> None:
    for role, count in (("viewer", 0), ("operator", 1)):
        page = as_(role).open(FLOW)
        expect(page.get_by_role("heading", level=1)).to_contain_text("east")
        expect(badge(page, "Healthy")).to_be_visible(timeout=_HEALTHY_MS)
        expect(page.get_by_role("button", name="Pause", exact=True)).to_have_count(count)


@pytest.mark.large
def test_an_edited_property_is_reviewed_applied_at_the_drivers_and_reverted(as_: As, system: RunningSystem) -> None:
    topics = "east->west.topics"
    page = as_("operator").open("/configuration?at=flow:east->west")

    _expect_copied(system, TOPIC, QUIET_TOPIC)
    page.get_by_role("button", name=topics, exact=True).click()
    page.get_by_role("button", name="Edit the value").click()
    form = page.get_by_role("form", name=f"Value of {topics}")
    form.get_by_label("Value").fill(TOPIC)
    form.get_by_role("button", name="Begin a draft with it").click()
    page.get_by_role("link", name="Review 1 change").click()
    values = page.get_by_role("region", name="Values of east to west")
    expect(values).to_contain_text(TOPIC, timeout=30_000)
    expect(page.get_by_text("Topics that are no longer copied")).to_be_visible()
    page.get_by_label("Comment").fill("bills are not needed")
    page.get_by_role("button", name="Apply 1 change").click()
    expect(page.get_by_role("row", name=re.compile("bills are not needed"))).to_contain_text("In force")
    _expect_applied(page, system, TOPIC)
    applied = system.get("config/versions")["items"][0]["number"]
    page.get_by_role("button", name=f"Revert to {applied - 1}", exact=True).click()
    form = page.get_by_role("form", name=f"Revert to version {applied - 1}")
    expect(form).to_contain_text("journey-.*")
    form.get_by_role("button", name=f"Revert to version {applied - 1}").click()
    expect(page.get_by_role("heading", name=f"Version {applied} to {applied + 1}")).to_be_visible()
    _expect_applied(page, system, TOPIC, QUIET_TOPIC)


def _expect_copied(system: RunningSystem, *topics: str) -> None:
    """The plan that the drivers report has these topics, besides the heartbeats, which no filter stops."""

    def are_copied() -> bool:
        copied = {pair["topic"] for pair in system.get("remote-topics/east/west")["items"]}
        return copied - {"heartbeats"} == set(topics)

    system.wait_until(f"{', '.join(topics)} are copied", are_copied, 60)


def _expect_applied(page: Page, system: RunningSystem, *topics: str) -> None:
    """The page shows the desired revision as applied, and the drivers copy these topics."""
    _expect_copied(system, *topics)
    row = page.get_by_role("region", name="Table of revisions").get_by_role("row", name=re.compile("^west"))
    expect(row.get_by_text("Applied", exact=True)).to_be_visible(timeout=30_000)
    revision = system.flow("east", "west")["revisions"]["desired"]
    expect(row).to_contain_text(f"Applied {revision}")


def test_a_stopped_source_is_named_within_seconds_and_recovers(as_: As, source: Brokers) -> None:
    page = as_("viewer").open("/replications")
    row = flow_row(page)
    expect(row).to_contain_text("Healthy", timeout=_HEALTHY_MS)

    source.kill(1)
    killed = time.monotonic()
    try:
        expect(row).to_contain_text("Interrupted", timeout=_INTERRUPTED_MS)
        print(f"interrupted after {time.monotonic() - killed:.1f} s")  # noqa: T201
        expect(row).to_contain_text("east")
    finally:
        source.start(1)
    expect(row).to_contain_text("Healthy", timeout=_HEALTHY_MS)
