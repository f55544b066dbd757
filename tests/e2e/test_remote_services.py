"""A gateway's page while another service dies and returns: it is named with its reason and the age of its numbers."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.flow_table import flow_row
from tests.e2e.pictures import keep_picture
from tests.support.browser import visitor
from tests.support.kafka.clusters import TwoClusters
from tests.support.servers.member import Member, reporting, starting_members
from tests.support.servers.redis import RunningRedis

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.e2e,
    pytest.mark.large,
    pytest.mark.timeout(300),
]

_OVERVIEW = "/replications?columns=status,records,service"


@pytest.fixture
def members(tmp_path: Path, redis_server: RunningRedis, two_clusters: TwoClusters) -> Iterator[tuple[Member, Member]]:
    """A gateway with the flow us-east->eu-central, and the service of us-east->ap-south, which it trusts."""
    bootstraps = {"us-east": "127.0.0.1:1", "eu-central": "127.0.0.1:2", "ap-south": two_clusters.source.bootstrap}
    with starting_members(tmp_path, redis_server.url, bootstraps) as start:
        other = start("ap-south", 20.0)
        address = other.service.url
        allowed = {"SRM_ADVERTISED_ADDRESS": "none", "SRM_REMOTE_ADDRESSES": address}
        gateway = start("eu-central", 10.0, remote="ap-south", **allowed)
        other.follow()
        gateway.trust(address, other.peer_token())
        gateway.follow()
        with reporting((gateway, other)):
            yield gateway, other


def test_a_service_that_dies_is_named_while_the_rest_stays_right_until_it_returns(
    browser: Browser, members: tuple[Member, Member]
) -> None:
    gateway, other = members
    named = re.compile(f"{re.escape(other.service.url)}: cannot be reached: ")
    with visitor(browser, gateway.service.url, "admin", gateway.service.admin_password) as somebody:
        page = somebody.open(_OVERVIEW)
        _expect_flow(page, "eu-central", "10", "this one")
        _expect_flow(page, "ap-south", "20", other.service.url)
        expect(page.get_by_text("Not everything is shown")).to_have_count(0)
        keep_picture(page, "remote-service-1-healthy")

        os.kill(other.service.pid, signal.SIGKILL)
        note = page.locator(".page > .card-warning", has_text=named)
        expect(note).to_contain_text(re.compile(r"numbers are \d+\ss old"))
        keep_picture(page, "remote-service-2-dead")
        _expect_flow(page, "eu-central", "10", "this one")
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Services").click()
        row = page.get_by_role("region", name="Table of services").get_by_role("row", name=re.compile("^ap-south"))
        expect(row).to_contain_text("No answer")
        expect(row).to_contain_text("cannot be reached")
        keep_picture(page, "remote-service-3-services")

        other.restart()
        expect(row).to_contain_text("Answers")
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Replications", exact=True).click()
        expect(note).to_have_count(0)
        _expect_flow(page, "ap-south", "20", None)
        keep_picture(page, "remote-service-4-back")


def _expect_flow(page: Page, target: str, rate: str, service: str | None) -> None:
    """The row of us-east->`target` is healthy, with its rate and its service; None: the column is not shown."""
    row = flow_row(page, "us-east", target)
    expect(row).to_contain_text("Healthy")
    expect(row.get_by_role("cell").filter(has_text=re.compile(rf"^{rate}(\.0+)?\s*(/s|rec)"))).to_be_visible()
    if service is not None:
        expect(row).to_contain_text(service)
