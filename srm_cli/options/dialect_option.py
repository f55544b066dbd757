"""The option `--dialect` of commands that read a configuration file; imports only words, so `--help` is fast."""

from collections.abc import Callable
from typing import Any

import click

from replication.domain.settings.choices import DIALECT_NAMES, FILE_DIALECT, DialectName


def dialect_option(default: DialectName = FILE_DIALECT) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option with this default."""
    return click.option(
        "--dialect", type=click.Choice(DIALECT_NAMES), default=default, show_default=True, help="Format of the file."
    )


DIALECT = dialect_option()
