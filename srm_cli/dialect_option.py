"""`--dialect`, alike in all commands that read a configuration file. Loads nothing, so that `--help` is quick."""

import click

DEFAULT_DIALECT = "mm2"
DIALECT = click.option(
    "--dialect",
    type=click.Choice((DEFAULT_DIALECT, "srm", "operator")),
    default=DEFAULT_DIALECT,
    show_default=True,
    help="Kind of the file.",
)
