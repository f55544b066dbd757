"""The option `--dry-run` of orders, and what it prints."""

from collections.abc import Mapping
from typing import Any

import click

DRY_RUN = click.option("--dry-run", is_flag=True, help="Only print what would change.")
_COUNTED = ("flows", "topics", "partitions", "slots")


def show_dry_run(answer: Mapping[str, Any]) -> None:
    """Print the answer to a dry run: its texts, one per line, and what the order would touch."""
    for line in answer.get("text") or ():
        click.echo(line)
    show_touches(answer)


def show_touches(answer: Mapping[str, Any]) -> None:
    """Print what an order would touch; nothing if the answer does not tell."""
    touches = answer.get("touches")
    if touches:
        click.echo(f"touches: {', '.join(f'{name} {_shown(touches.get(name))}' for name in _COUNTED)}")


def _shown(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"
