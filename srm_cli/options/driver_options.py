"""The options that size and label drivers."""

import click

from replication.domain.assignment.labels import parse_labels
from replication.domain.settings.registry.drivers import DRIVER_LABELS
from srm_cli.errors import UsageError

PROCESSES = click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    envvar="SRM_DRIVER_PROCESSES",
    metavar="N",
    help="Data processes.",
)
CAPACITY = click.option(
    "--capacity",
    type=click.IntRange(1),
    envvar="SRM_DRIVER_CAPACITY",
    metavar="N",
    help="Most tasks of each data process.  [default: no limit]",
)
HTTP_PORT = click.option(
    "--http-port",
    envvar="SRM_DRIVER_HTTP_PORT",
    default="",
    metavar="[HOST:]PORT",
    help="Probes and metrics of the control process; each data process has the next port. 0: any.  [default: off]",
)
LABELS = click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="KEY=VALUE",
    help=f"A label that flows ask for with {DRIVER_LABELS.key}; may be repeated.  [default: SRM_DRIVER_LABELS]",
)
HTTP_PORT = click.option(
    "--http-port",
    envvar="SRM_DRIVER_HTTP_PORT",
    default="",
    metavar="[HOST:]PORT",
    help="Port of the control process for probes and metrics; data processes have the following ports. 0: any free "
    "ports.  [default: none]",
)


def labels_from(texts: tuple[str, ...], environment: str = "") -> dict[str, str]:
    """Return the labels of the options, or else those of SRM_DRIVER_LABELS. Raises UsageError."""
    try:
        return parse_labels(",".join(texts) or environment)
    except ValueError as error:
        raise UsageError(str(error)) from error
