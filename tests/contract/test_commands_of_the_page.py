"""Every command of `srm-control` that the page prints to copy exists."""

import re
from pathlib import Path

import click
import pytest

from srm_cli.control.main import srm_control

_PAGE = Path(__file__).parents[2] / "frontend" / "src"
_WORDS = re.compile(r'(?:commandOf\(|words: |words = )\[((?:"[a-z-]+",? ?)+)')


def _printed() -> set[tuple[str, ...]]:
    """The literal words after `srm-control`, wherever the page builds a command."""
    sources = [path for path in _PAGE.rglob("*.ts*") if ".test." not in path.name]
    return {tuple(re.findall(r'"([a-z-]+)"', found)) for path in sources for found in _WORDS.findall(path.read_text())}


def _leads_to(words: tuple[str, ...]) -> click.Command | None:
    """The command that the words name; words after a command without subcommands are its arguments."""
    command: click.Command | None = srm_control
    for word in words:
        if not isinstance(command, click.Group):
            return command
        command = command.commands.get(word)
    return command


def test_commands_are_found() -> None:
    assert {("topics", "holds"), ("drivers", "undrain"), ("clusters", "delete"), ("gaps",)} <= _printed()


@pytest.mark.parametrize("words", sorted(_printed()), ids=" ".join)
def test_a_command_that_the_page_prints_exists(words: tuple[str, ...]) -> None:
    assert _leads_to(words) is not None
