"""Pictures that journeys keep, in a folder that Git ignores."""

from pathlib import Path

from playwright.sync_api import Page

FOLDER = Path(__file__).resolve().parents[2] / ".srm" / "journeys"


def keep_picture(page: Page, name: str) -> None:
    """Keep the whole page, scrolled to its top, under this name."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=FOLDER / f"{name}.png", full_page=True)
