"""docs/settings.md equals what the registry declares."""

from replication.config.settings.documentation import PAGE, with_tables
from replication.domain.settings.registry.all_settings import SETTINGS


def test_the_page_is_the_one_that_the_registry_makes() -> None:
    page = PAGE.read_text()

    assert page == with_tables(page), "docs/settings.md differs from the registry: run `make settings-page`"


def test_every_setting_is_on_the_page_once() -> None:
    lines = PAGE.read_text().splitlines()

    for setting in SETTINGS:
        assert sum(line.startswith(f"| `{setting}` |") for line in lines) == 1, setting


def test_lines_of_text_fit_the_page() -> None:
    assert [line for line in PAGE.read_text().splitlines() if len(line) > 120 and not line.startswith("|")] == []
