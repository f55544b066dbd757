"""`srm-control export`, `diff` and `apply`: the whole system as one YAML document."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from srm_cli.control.document.differences import HIDDEN, PRUNED, SECTIONS, SystemDifference, differences
from srm_cli.control.document.shape import checked_document
from srm_cli.errors import ExitCode, UsageError
from srm_cli.service.access import ServiceAccess

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_FILE = click.option(
    "-f", "--file", "file", type=click.File("r"), required=True, help="The document, - for standard input."
)


@click.command("export")
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True, help="Format.")
@click.pass_obj
def export(access: ServiceAccess, output: str) -> None:
    """Print clusters, flows, properties and lists as one document. Secrets are not part of it, references are.

    \b
    Example:
      srm-control export > system.yaml
    """
    from srm_cli.control.document.system import read_system
    from srm_cli.control.output import show_document

    show_document(read_system(access.client()), output)


@click.command("diff")
@_FILE
@click.pass_obj
def diff(access: ServiceAccess, file: Any) -> None:
    """Print the differences between the system and a document. Exits with 1 if there are any.

    \b
    Example:
      srm-control diff -f system.yaml
    """
    wanted = _read(file)
    found = _compared(access.client(), wanted)
    _print(found)
    sys.exit(ExitCode.REFUSED if found else ExitCode.OK)


@click.command("apply")
@_FILE
@click.option("--prune", is_flag=True, help="Also delete what the document does not contain.")
@click.option("--dry-run", is_flag=True, help="Print the changes; change nothing.")
@click.pass_obj
def apply(access: ServiceAccess, file: Any, prune: bool, dry_run: bool) -> None:
    """Make the system equal to a document. Applying it a second time changes nothing.

    \b
    Examples:
      srm-control apply -f system.yaml --dry-run
      srm-control apply -f system.yaml --prune
    """
    wanted = _read(file)
    client = access.client()
    if dry_run:
        found = [each for each in _compared(client, wanted) if prune or each.kind != "delete"]
        _print(found)
        click.echo(f"{len(found)} change(s) (dry run)")
        return
    applied = sum(_apply(client, wanted, section, deletes=False) for section in SECTIONS)
    if prune:
        applied += sum(_apply(client, wanted, section, deletes=True) for section in PRUNED)
    click.echo(f"{applied} change(s)")


def _apply(client: "ServiceClient", wanted: dict[str, Any], section: str, *, deletes: bool) -> int:
    """Compare one section again, because the sections before it have effects on it, and apply its differences."""
    from srm_cli.control.document.system import apply_differences

    if section not in wanted:
        return 0
    found = [
        each
        for each in _compared(client, {section: wanted[section]})
        if (each.kind == "delete") == deletes and not _is_hidden(each)
    ]
    _print(found)
    if found:
        apply_differences(client, section, found)
    return len(found)


def _is_hidden(difference: SystemDifference) -> bool:
    """A secret cannot be taken from a document; tell people to set it."""
    if difference.section != "properties" or difference.after != HIDDEN:
        return False
    click.echo(f"warning: {difference.name} is a secret that the document does not contain: set it", err=True)
    return True


def _compared(client: "ServiceClient", wanted: dict[str, Any]) -> list[SystemDifference]:
    from srm_cli.control.document.system import read_system

    return differences(read_system(client, wanted.keys()), wanted)


def _print(found: Iterable[SystemDifference]) -> None:
    for difference in found:
        for line in difference.lines():
            click.echo(line)


def _read(file: Any) -> dict[str, Any]:
    import yaml

    try:
        document = yaml.safe_load(file)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{file.name} is not YAML: {error}") from error
    return checked_document(document, file.name)
