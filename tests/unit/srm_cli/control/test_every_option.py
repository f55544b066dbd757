"""Every command has examples, and every option of every command is run by a test that reads its output."""

import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from srm_cli.control.main import srm_control
from tests.unit.srm_cli.control.cluster_cases import CALLS
from tests.unit.srm_cli.control.resource_cases import CASES
from tests.unit.srm_cli.control.test_contexts import CALLS as CONTEXT_CALLS
from tests.unit.srm_cli.control.test_document import CALLS as DOCUMENT_CALLS

_HELP = {"--help", "-h"}
_ALL_CALLS = [*(case.arguments for case in CASES), *CALLS, *CONTEXT_CALLS, *DOCUMENT_CALLS]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield (*path, name), command


COMMANDS = dict(commands(srm_control))


def options_of(command: click.Command) -> set[frozenset[str]]:
    return {
        frozenset((*parameter.opts, *parameter.secondary_opts))
        for parameter in command.params
        if isinstance(parameter, click.Option) and not _HELP.intersection(parameter.opts)
    }


def calls_of(path: tuple[str, ...]) -> list[set[str]]:
    """The words of each call of this command; longer paths are other commands."""
    found = []
    for call in _ALL_CALLS:
        words = shlex.split(call)
        longest = max((known for known in COMMANDS if tuple(words[: len(known)]) == known), key=len, default=())
        if longest == path:
            found.append(set(words))
    return found


GROUPS = [(name,) for name, command in srm_control.commands.items() if isinstance(command, click.Group)]


@pytest.mark.parametrize("path", dict.fromkeys([*COMMANDS, *GROUPS]), ids=" ".join)
def test_every_command_has_examples_in_its_help(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(srm_control, [*path, "--help"])

    assert result.exit_code == 0
    assert f"  srm-control {' '.join(path)}" in result.output


@pytest.mark.parametrize("path", [(), *GROUPS], ids=" ".join)
def test_groups_show_the_whole_first_sentence_of_each_command(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(srm_control, [*path, "--help"], terminal_width=80)

    assert "..." not in result.output.split("Commands:")[1]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_of_a_command_is_run(path: tuple[str, ...]) -> None:
    calls = calls_of(path)
    missing = [sorted(names) for names in options_of(COMMANDS[path]) if not any(names & call for call in calls)]

    assert calls, f"no test runs srm-control {' '.join(path)}"
    assert missing == []


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_format_of_a_command_is_run(path: tuple[str, ...]) -> None:
    for parameter in COMMANDS[path].params:
        if "--output" in parameter.opts and isinstance(parameter.type, click.Choice):
            formats = {str(choice) for choice in parameter.type.choices} - {parameter.default}
            assert formats <= set().union(*calls_of(path))


def test_the_options_of_the_program_are_those_that_the_tests_of_contexts_use() -> None:
    names = {name for option in options_of(srm_control) for name in option}

    assert names == {"--version", "--context", "--url", "--user", "--password-file", "--token-file"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_commands(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SRM_CONTROL_COMPLETE", f"{shell}_source")

    result = CliRunner().invoke(srm_control, [], prog_name="srm-control")

    assert f"_SRM_CONTROL_COMPLETE={shell}_complete" in result.output


@pytest.mark.parametrize(("shell", "word"), [("bash", "1"), ("zsh", "1"), ("fish", "clu")])
def test_the_shell_receives_the_commands_that_begin_with_a_word(
    shell: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SRM_CONTROL_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "srm-control clu")
    monkeypatch.setenv("COMP_CWORD", word)  # the number of the word; fish sends the word

    result = CliRunner().invoke(srm_control, [], prog_name="srm-control")

    assert "clusters" in result.output
    assert "flows" not in result.output
