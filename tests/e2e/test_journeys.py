"""Journeys at the page of a running system: every step is seen on the page, and at the brokers or drivers."""

import re
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.clicks import clicks_from_overview
from tests.e2e.conftest import DAMAGED_TOPIC, PARTITIONS, QUIET_TOPIC, TOPIC, As
from tests.e2e.flow_table import flow_row, open_flow
from tests.e2e.pictures import keep_picture
from tests.support.kafka.brokers import Brokers
from tests.support.kafka.kafka_records import end_offsets, produce, read_all
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
_FOUND_MS = 90_000  # from the start of the system to the first complaint


def badge(page: Page, word: str) -> Locator:
    """The status of the flow on its own page."""
    return page.locator(".badge", has_text=word).first


def test_the_overview_shows_a_healthy_flow_with_its_rate(as_: As, system: RunningSystem) -> None:
    page = as_("viewer").open("/replications")

    row = flow_row(page, "east", "west")
    expect(row).to_contain_text("Healthy", timeout=_HEALTHY_MS)
    expect(row).to_contain_text(re.compile(r"[1-9]\d*(\.\d+)?k? ?(/s|rec)"), timeout=_HEALTHY_MS)
    keep_picture(page, "overview-healthy")


def test_an_operator_pauses_a_flow_and_the_drivers_obey(as_: As, system: RunningSystem) -> None:
    page = as_("operator").open(FLOW)

    page.get_by_role("button", name="Pause", exact=True).click()
    form = page.get_by_role("form", name="Pause the flow")
    form.get_by_label("Reason").fill("a journey")
    form.get_by_role("button", name="Pause the flow").click()
    expect(badge(page, "Paused")).to_be_visible(timeout=15_000)
    system.wait_until("the flow is paused", lambda: system.flow("east", "west")["status"] == "paused", 15)
    keep_picture(page, "flow-paused")
    page.get_by_role("button", name="Resume", exact=True).click()
    form = page.get_by_role("form", name="Resume the flow")
    form.get_by_label("Reason").fill("the journey ends")
    form.get_by_role("button", name="Resume the flow").click()
    system.wait_until("the flow copies", lambda: system.flow("east", "west")["status"] == "healthy", 30)
    expect(badge(page, "Healthy")).to_be_visible(timeout=15_000)


def test_an_operator_pauses_a_partition_and_resumes_it(
    as_: As, system: RunningSystem, source: Brokers, target: Brokers
) -> None:
    page = as_("operator").open(FLOW)
    system.wait_until("there is a copy", lambda: len(_copies(target)) == PARTITIONS, 60)
    before = _copies(target)

    page.get_by_role("button", name="Pause", exact=True).click()
    form = page.get_by_role("form", name=re.compile("Pause (the flow|a topic|a partition)"))
    form.get_by_label("Topic").fill(QUIET_TOPIC)
    form.get_by_label("Partition").fill("0")
    form.get_by_label("Reason").fill("a journey")
    form.get_by_role("button", name="Pause the partition").click()
    expect(page.get_by_role("status").filter(has_text="Done").first).to_be_visible()
    keep_picture(page, "pause-1-in-force")
    produce(source.bootstrap, QUIET_TOPIC, [{"value": b"a bill", "partition": number % 2} for number in range(20)])
    system.wait_until("the other partition is copied", lambda: _copies(target)[1] == before[1] + 10, 30)
    paused = _copies(target)
    page.get_by_role("button", name=f"Resume {QUIET_TOPIC}, partition 0", exact=True).click()
    form = page.get_by_role("form", name="Resume a partition")
    form.get_by_label("Reason").fill("the journey ends")
    form.get_by_role("button", name="Resume the partition").click()
    page.get_by_role("button", name="Close", exact=True).click()
    system.wait_until("the partition is copied", lambda: _copies(target)[0] == before[0] + 10, 30)

    assert paused == [before[0], before[1] + 10, before[2]]
    expect(page.get_by_text("No topic is paused.")).to_be_visible()
    assert system.get("replications/east/west/holds")["items"] == []


def test_an_operator_resets_a_topic_and_its_records_are_copied_again(
    as_: As, system: RunningSystem, source: Brokers, target: Brokers
) -> None:
    system.wait_until("there is a copy", lambda: len(_copies(target)) == PARTITIONS, 60)
    first, copied = end_offsets(source.bootstrap, QUIET_TOPIC, PARTITIONS)[2], _copies(target)[2]
    values = [b"bill %d" % number for number in range(30)]
    produce(source.bootstrap, QUIET_TOPIC, [{"value": value, "partition": 2} for value in values])
    system.wait_until("the bills are copied", lambda: _copies(target)[2] == copied + 30, 30)
    page = as_("operator").open(FLOW)

    page.get_by_role("button", name="Reset a topic", exact=True).click()
    form = page.get_by_role("form", name=re.compile("Reset a (topic|partition)"))
    form.get_by_label("Topic").fill(QUIET_TOPIC)
    form.get_by_label("Partition").fill("2")
    form.get_by_label("New position").select_option("offset")
    form.get_by_label("Offset on the source").fill(str(first + 10))
    form.get_by_label("Reason").fill("a journey")
    form.get_by_label("Confirm").fill("east->west")
    form.get_by_role("button", name="Dry run").click()
    expect(form.get_by_role("status")).to_contain_text("Nothing has changed yet")
    keep_picture(page, "reset-1-dry-run")
    form.get_by_role("button", name="Reset the partition").click()
    row = page.get_by_role("region", name="Table of resets").get_by_role("row", name=re.compile(QUIET_TOPIC))
    expect(row).to_contain_text("Done")
    system.wait_until("20 bills are copied again", lambda: _copies(target)[2] == copied + 50, 30)
    keep_picture(page, "reset-2-done")

    copies = [record.value for record in read_all(target.bootstrap, f"east.{QUIET_TOPIC}", PARTITIONS)[2]]
    assert copies[copied:] == [*values, *values[10:]]


def _copies(target: Brokers) -> list[int]:
    """The ends of the partitions of the copy of the quiet topic."""
    return end_offsets(target.bootstrap, f"east.{QUIET_TOPIC}", PARTITIONS)


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

    _expect_copied(system, TOPIC, QUIET_TOPIC, DAMAGED_TOPIC)
    page.get_by_role("button", name=topics, exact=True).click()
    page.get_by_role("button", name="Edit the value").click()
    form = page.get_by_role("form", name=f"Value of {topics}")
    form.get_by_label("Value").fill(TOPIC)
    form.get_by_role("button", name="Start a draft").click()
    page.get_by_role("link", name="Review 1 change").click()
    values = page.get_by_role("region", name="Values of east to west")
    expect(values).to_contain_text(TOPIC, timeout=30_000)
    expect(page.get_by_text("Topics that are no longer copied")).to_be_visible()
    page.get_by_label("Comment").fill("bills are not needed")
    keep_picture(page, "property-1-review")
    page.get_by_role("button", name="Apply 1 change").click()
    expect(page.get_by_role("row", name=re.compile("bills are not needed"))).to_contain_text("In force")
    _expect_applied(page, system, TOPIC)
    keep_picture(page, "property-2-applied")
    applied = system.get("config/versions")["items"][0]["number"]
    page.get_by_role("button", name=f"Revert to {applied - 1}", exact=True).click()
    form = page.get_by_role("form", name=f"Revert to version {applied - 1}")
    expect(form).to_contain_text("journey-.*")
    form.get_by_role("button", name=f"Revert to version {applied - 1}").click()
    expect(page.get_by_role("heading", name=f"Version {applied} to {applied + 1}")).to_be_visible()
    _expect_applied(page, system, TOPIC, QUIET_TOPIC, DAMAGED_TOPIC)
    keep_picture(page, "property-3-reverted")


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


def test_an_expired_certificate_is_named_with_its_cluster_and_its_end(as_: As) -> None:
    with clicks_from_overview(as_("viewer"), "cause-expired-certificate") as page:
        row = flow_row(page, "lisbon", "west")
        expect(row).to_contain_text(re.compile("cluster lisbon .*certificate .*expired", re.I), timeout=_FOUND_MS)
        open_flow(page, "lisbon", "west")
        page.get_by_role("link", name="Connection of lisbon").click()
        expect(page.get_by_text("Expired 3 days ago")).to_be_visible()


def test_a_stopped_source_is_named_within_seconds_and_recovers(as_: As, source: Brokers) -> None:
    page = as_("viewer").open("/replications")
    row = flow_row(page, "east", "west")
    expect(row).to_contain_text("Healthy", timeout=_HEALTHY_MS)

    source.kill(1)
    killed = time.monotonic()
    try:
        expect(row).to_contain_text("Interrupted", timeout=_INTERRUPTED_MS)
        cause = re.compile(r"cluster east\b.*(closed the connection|does not answer|refused)", re.I)
        expect(row).to_contain_text(cause, timeout=_INTERRUPTED_MS)
        assert time.monotonic() - killed < _INTERRUPTED_MS / 1000
        keep_picture(page, "source-1-stopped")
    finally:
        source.start(1)
    expect(row).to_contain_text("Healthy", timeout=_HEALTHY_MS)
    keep_picture(page, "source-2-recovered")
