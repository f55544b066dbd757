"""The table of flows on the overview."""

import re

from playwright.sync_api import Locator, Page, expect


def flow_row(page: Page, source: str, target: str) -> Locator:
    """The row of a flow; operators have a box to choose it in front of its name."""
    table = page.get_by_role("region", name="Table of replication flows")
    return table.get_by_role("row", name=re.compile(f"^(Choose {source} to {target} )?{source} to {target} "))


def open_flow(page: Page, source: str, target: str) -> None:
    """Follow the link of the row."""
    flow_row(page, source, target).get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(target)
