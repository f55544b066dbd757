"""The command line spells closed sets itself, so that --help is fast: they are those of the driver and the service."""

from collections.abc import Iterator
from typing import get_args

import click
import pytest

from replication.config.files.dialects import DIALECTS
from replication.domain.health.state_events import EventScope
from srm_cli.control.main import srm_control
from srm_cli.main import srm
from srm_service.clusters.models import ClusterLocation
from srm_service.core.auth.role_words import UserRole
from srm_service.core.description import Criticality
from srm_service.people.contracts import TokenScope

WORDS = {
    "--criticality": get_args(Criticality),
    "--dialect": tuple(DIALECTS),
    "--location": get_args(ClusterLocation),
    "--role": get_args(UserRole),
    "--scope": get_args(TokenScope),
}
MORE_WORDS = {"--scope": get_args(EventScope)}  # of another command, which asks for another thing by this name


def choices(command: click.Command, option: str) -> Iterator[frozenset[str]]:
    """Yield the words of an option in a command and all commands below it."""
    for parameter in command.params:
        if option in parameter.opts and isinstance(parameter.type, click.Choice):
            yield frozenset(parameter.type.choices)
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from choices(below, option)


@pytest.mark.parametrize("option", WORDS)
def test_an_option_takes_the_words_of_the_service(option: str) -> None:
    roots = (srm, srm_control) if option == "--dialect" else (srm_control,)  # drivers have roles too, which are others
    found = [words for root in roots for words in choices(root, option)]

    assert found
    assert set(found) == {frozenset(words[option]) for words in (WORDS, MORE_WORDS) if option in words}
