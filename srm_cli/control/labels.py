"""The options for labels, owner, criticality and runbook, which flows and clusters share, and filters by them."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from srm_cli.control.values import read_pairs

_Command = Callable[..., Any]
_CRITICALITY = click.Choice(["low", "normal", "high", "critical"])


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
        click.option("--criticality", type=_CRITICALITY, help="How important it is."),
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


def filter_options(things: str) -> Callable[[_Command], _Command]:
    """Return `--label`, `--owner` and `--criticality` as filters of a list."""

    def add(command: _Command) -> _Command:
        options = (
            click.option(
                "--label", multiple=True, metavar="KEY=VALUE", help=f"Only {things} with this label; may be repeated."
            ),
            click.option("--owner", help=f"Only {things} of this owner."),
            click.option("--criticality", type=_CRITICALITY, help=f"Only {things} of this criticality."),
        )
        for option in reversed(options):
            command = option(command)
        return command

    return add


def filter_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filters that were given, as REST takes them: a label is `key:value` there."""
    labels = [label if ":" in label.partition("=")[0] else label.replace("=", ":", 1) for label in given["label"]]
    return {name: value for name, value in {**given, "label": labels}.items() if value not in (None, "", [])}
