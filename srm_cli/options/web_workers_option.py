"""The option for the number of web processes."""

import click

WEB_WORKERS = click.option(
    "--web-workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    envvar="SRM_WEB_WORKERS",
    metavar="N",
    help="Web processes that share the port of the service.",
)
