"""Every option of every `srm` command is run by a test; `test_every_option.py` sees to those of `srm-control`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from srm_cli.main import srm

ROOT = Path(__file__).parents[2]
_UNIT = "tests/unit/srm_cli"
RUN_IN = {  # the tests that run a command and read its output
    "adopt": (f"{_UNIT}/test_system_options.py",),
    "audit": (f"{_UNIT}/test_audit_command.py",),
    "demo": (f"{_UNIT}/test_system_options.py",),
    "dev-clusters": ("tests/integration/srm_cli/test_dev_clusters.py",),
    "doctor": (f"{_UNIT}/test_system_options.py",),
    "driver": (f"{_UNIT}/test_system_options.py",),
    "metrics": (f"{_UNIT}/test_system_options.py", f"{_UNIT}/test_metrics_command.py"),
    "preflight": (f"{_UNIT}/test_preflight.py",),
    "service": (f"{_UNIT}/test_system_options.py",),
    "status": (f"{_UNIT}/test_commands.py",),
    "stop": (f"{_UNIT}/test_commands.py",),
    "up": (f"{_UNIT}/test_system_options.py",),
    "version": (f"{_UNIT}/test_commands.py",),
}


def options(command: click.Command) -> Iterator[click.Option]:
    """Yield the options of a command and of the commands below it."""
    yield from (each for each in command.params if isinstance(each, click.Option) and not each.is_eager)
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from options(below)


def words(path: str) -> set[str]:
    """Return the words of all texts in a module."""
    tree = ast.parse((ROOT / path).read_text())
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {word for text in texts for word in text.split()}


def test_every_command_is_listed() -> None:
    assert set(RUN_IN) == set(srm.list_commands(click.Context(srm)))


@pytest.mark.parametrize("name", RUN_IN)
def test_every_option_of_a_command_is_run(name: str) -> None:
    command = srm.get_command(click.Context(srm), name)
    assert command is not None
    known = set().union(*(words(path) for path in RUN_IN[name]))

    missing = [option.opts for option in options(command) if not known & {*option.opts, *option.secondary_opts}]

    assert name in known
    assert missing == [], f"no test in {', '.join(RUN_IN[name])} runs these options of srm {name}"
