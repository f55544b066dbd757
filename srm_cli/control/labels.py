"""The options for labels, owner, criticality and runbook, which flows and clusters share."""

from collections.abc import Callable
from typing import Any

import click

from srm_cli.control.values import read_pairs

_Command = Callable[..., Any]


def label_options(command: _Command) -> _Command:
    """`--label`, `--owner`, `--criticality` and `--runbook`."""
    options = (
        click.option(
            "--label",
            "labels",
            multiple=True,
            metavar="KEY=VALUE",
            help="A label, for filters; the given labels replace all.",
        ),
        click.option("--owner", help="Who is responsible."),
        click.option(
            "--criticality", type=click.Choice(["low", "normal", "high", "critical"]), help="How important it is."
        ),
        click.option("--runbook", metavar="URL", help="Where operators find help."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def labels_of(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a request body that were given."""
    fields = {
        "labels": read_pairs(given["labels"]) or None,
        "owner": given["owner"],
        "criticality": given["criticality"],
        "runbook": given["runbook"],
    }
    return {name: value for name, value in fields.items() if value is not None}
