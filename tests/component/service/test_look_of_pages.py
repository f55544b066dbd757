"""The sign-in page and the API reference in Chromium break no rule of accessibility, and fit at a zoom of 200 %.

`make screenshots` sets `SRM_SCREENS`, the folder for pictures of them in both themes at four widths.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from pytest_django.live_server_helper import LiveServer
from rest_framework.test import APIClient

from tests.support.browser import started_browser

pytestmark = [pytest.mark.django_db(databases=["default", "metrics"], transaction=True), pytest.mark.large]
_AXE = Path(__file__).parents[3] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_WIDTHS = (1440, 2560, 390, 320)
_WIDTHS_OF_RULES = (1440, 390)
_THEME_MS = 500  # colours change within a transition


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Playwright runs a loop in this thread, in which Django refuses to use the database.
    with pytest.MonkeyPatch.context() as patch, started_browser() as started:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield started


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(locale="en-US", reduced_motion="reduce")
    yield made
    made.close()


def _broken(page: Page) -> list[str]:
    """The broken rules, with the elements that break each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.read_text())
    options = {"runOnly": {"type": "tag", "values": _RULES}, "resultTypes": ["violations"]}
    found: dict[str, Any] = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{each['id']}: {node['html'][:200]} {node['failureSummary'][:200]}"
        for each in found["violations"]
        for node in each["nodes"][:5]
    ]


def _wider(page: Page) -> int:
    """Pixels by which the page is wider than the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def _keep_picture(page: Page, name: str, scheme: str, width: int) -> None:
    if folder := os.environ.get("SRM_SCREENS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}_{scheme}_{width}.png", full_page=True)


def _check(page: Page, name: str) -> None:
    problems: dict[str, object] = {}
    for width in _WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(_THEME_MS)
            _keep_picture(page, name, scheme, width)
            if (wider := _wider(page)) > 0:
                problems[f"{scheme}, {width} px, width"] = f"{wider} px wider than the screen"
            if width in _WIDTHS_OF_RULES and (broken := _broken(page)):
                problems[f"{scheme}, {width} px"] = broken
    # Twice the zoom halves the width of the page in its own pixels.
    page.set_viewport_size({"width": 640, "height": 450})
    if (wider := _wider(page)) > 0:
        problems["zoom of 200 %"] = f"{wider} px wider than the screen"
    assert problems == {}


def test_the_sign_in_page_breaks_no_rule(live_server: LiveServer, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(f"{live_server.url}/login")
    page.get_by_label("User name").fill("nobody")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    _check(page, "sign-in")


@pytest.mark.parametrize("place", ["", "#/replications/replications_create"], ids=["closed", "open"])
def test_the_api_reference_breaks_no_rule(
    live_server: LiveServer, context: BrowserContext, viewer: APIClient, place: str
) -> None:
    """With all operations closed, and with one that is tried out."""
    session = {"name": "sessionid", "value": viewer.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([session])  # type: ignore[list-item]
    page = context.new_page()
    page.goto(f"{live_server.url}/swagger/{place}")
    page.locator(".opblock").first.wait_for()
    if place:
        operation = page.locator(".opblock.is-open")
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").wait_for()
    _check(page, "api-reference-open" if place else "api-reference")
