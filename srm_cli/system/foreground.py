"""Replaces this process with one of the system's, for service managers and containers."""

import os
from collections.abc import Mapping
from typing import NoReturn

from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder, read_object
from srm_cli.machine.own_secrets import process_environment
from srm_cli.system.commands import PROJECT


def replace_process(command: tuple[str, ...], env: Mapping[str, str]) -> NoReturn:
    """Run the command in place of this process: signals and exit codes then need no forwarding."""
    os.chdir(PROJECT)
    os.execvpe(command[0], list(command), process_environment(env))  # noqa: S606 - an argument list, no shell


def require(folder: HomeFolder, *names: str) -> dict[str, str]:
    """These variables, from the environment or the state folder's secrets file.

    Raises:
        OperatorError: one is in neither.
    """
    known = read_object(folder.secrets_file)
    found = {name: os.environ.get(name) or known.get(name, "") for name in names}
    missing = [name for name, value in found.items() if not value]
    if missing:
        raise OperatorError(f"{missing[0]} is not set and {folder.secrets_file} does not hold it: set it")
    return found
