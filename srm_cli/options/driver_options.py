"""The options that size and label drivers."""

import re

import click

from srm_cli.errors import UsageError

_LABEL = re.compile(r"([A-Za-z0-9][A-Za-z0-9._/-]*)=([A-Za-z0-9._/-]*)")
PROCESSES = click.option(
    "--processes", type=click.IntRange(1, 64), default=1, show_default=True, metavar="N", help="Data processes."
)
CAPACITY = click.option(
    "--capacity",
    type=click.IntRange(1),
    envvar="SRM_DRIVER_CAPACITY",
    metavar="N",
    help="Most tasks of each data process.  [default: no limit]",
)
LABELS = click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="KEY=VALUE",
    help="A label that flows ask for with srm.driver.labels; may be repeated.  [default: SRM_DRIVER_LABELS]",
)


def labels_from(texts: tuple[str, ...], environment: str = "") -> dict[str, str]:
    """Return the labels of the options, or else those of SRM_DRIVER_LABELS. Raises UsageError."""
    given = texts or tuple(part.strip() for part in environment.split(",") if part.strip())
    found = [_LABEL.fullmatch(text) for text in given]
    wrong = [text for text, match in zip(given, found, strict=True) if match is None]
    if wrong:
        raise UsageError(f"{wrong[0]!r} is not a label: write key=value, such as region=eu")
    return {match[1]: match[2] for match in found if match is not None}
