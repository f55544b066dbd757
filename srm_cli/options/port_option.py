"""The type of every --port option."""

import click

PORT = click.IntRange(1, 65_535)
