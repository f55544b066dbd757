"""`srm version`."""

import click

from replication.config.release import version


@click.command("version")
def command() -> None:
    """Print the version.

    \b
    Example:
      srm version
    """
    click.echo(f"Streams Replication Manager {version()}")
