"""A person at the page: the system's Chromium, logged in, with everything that the console complains about."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

_CANDIDATES = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_WAIT_MS = 60_000  # a busy machine is slow, and nothing is measured here


def chromium_path() -> str:
    """`CHROME_PATH` or the system's Chromium. CI must have one; others may go without."""
    found = next((path for path in (os.environ.get("CHROME_PATH", ""), *_CANDIDATES) if Path(path).is_file()), None)
    if found is None:
        reason = "no Chromium found: install the package `chromium` or set CHROME_PATH"
        if os.environ.get("CI") == "true":
            raise FileNotFoundError(reason)
        pytest.skip(reason)
    return found


@contextmanager
def started_browser() -> Iterator[Browser]:
    expect.set_options(timeout=_WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), headless=True, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass(slots=True)
class Visitor:
    """Somebody who is logged in."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page


@contextmanager
def visitor(
    browser: Browser, url: str, name: str, password: str, *, width: int = 1440, height: int = 1000
) -> Iterator[Visitor]:
    """Log in through the form, as people do. Nothing may complain about the content security policy."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale="en-US", reduced_motion="reduce", color_scheme="light"
    )
    context.set_default_timeout(_WAIT_MS)
    page = context.new_page()
    somebody = Visitor(page, url)
    page.on("console", lambda message: somebody.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: somebody.complaints.append(str(error)))
    try:
        somebody.open("/replications")
        page.get_by_label("User name").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=_WAIT_MS)
        yield somebody
        assert [text for text in somebody.complaints if "Content Security Policy" in text] == []
    finally:
        context.close()
