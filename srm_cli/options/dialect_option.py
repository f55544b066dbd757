"""The option `--dialect` of commands that read a configuration file; imports nothing, so `--help` is fast."""

import click

DEFAULT_DIALECT = "mm2"
DIALECT = click.option(
    "--dialect",
    type=click.Choice((DEFAULT_DIALECT, "srm", "operator")),
    default=DEFAULT_DIALECT,
    show_default=True,
    help="Format of the file.",
)
