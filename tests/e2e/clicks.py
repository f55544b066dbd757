"""The clicks from the overview to a cause, counted by the browser."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

from tests.e2e.pictures import keep_picture
from tests.support.browser import Visitor
from tests.support.kafka.writer import say

MOST_CLICKS = 3
_COUNT = "addEventListener('click', () => { sessionStorage.clicks = Number(sessionStorage.clicks) + 1 }, true)"


@contextmanager
def clicks_from_overview(somebody: Visitor, name: str) -> Iterator[Page]:
    """The page at the overview; its state at the end, three clicks later at most, is kept as a picture."""
    page = somebody.page
    page.add_init_script(_COUNT)
    somebody.open("/replications")
    page.evaluate("sessionStorage.clicks = 0")
    yield page
    clicks = int(page.evaluate("sessionStorage.clicks"))
    keep_picture(page, name)
    say(f"{name}: {clicks} clicks from the overview")
    assert clicks <= MOST_CLICKS
