"""Every command of `srm-control` that the page prints to copy exists."""

import re
from pathlib import Path

import click
import pytest

from replication.config.flows.policies import java_class
from replication.config.settings.prefixes import find_key
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


def test_the_properties_of_a_new_flow_are_settings() -> None:
    text = (_PAGE / "features" / "new-flow" / "commands.ts").read_text()
    values = text.split("const values:", 1)[1].split("};", 1)[0]
    keys = re.findall(r'^ +"?([a-z.]+)"?:', values, re.MULTILINE)
    assert {"topics", "tasks.max", "replication.policy.class"} <= set(keys)
    assert [key for key in keys if find_key(key) is None] == []
    assert f'"{java_class("identity")}"' in text
