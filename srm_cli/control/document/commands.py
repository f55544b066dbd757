"""`srm-control export`, `diff` and `apply`: the whole system as one YAML document."""

import sys
from typing import Any

import click

from srm_cli.control.document.differences import SECTIONS, VERSION, SystemDifference, differences
from srm_cli.errors import ExitCode, UsageError
from srm_cli.service.access import ServiceAccess

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
    found = _compared(access, file)
    for difference in found:
        for line in difference.lines():
            click.echo(line)
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
    from srm_cli.control.document.system import apply_difference

    client = access.client()
    wanted = [each for each in _compared(access, file) if prune or each.kind != "delete"]
    for difference in wanted:
        for line in difference.lines():
            click.echo(line)
        if not dry_run:
            apply_difference(client, difference)
    click.echo(f"{len(wanted)} change(s){' (dry run)' if dry_run else ''}")


def _compared(access: ServiceAccess, file: Any) -> list[SystemDifference]:
    from srm_cli.control.document.system import read_system

    wanted = _read(file)
    return differences(read_system(access.client()), wanted)


def _read(file: Any) -> dict[str, Any]:
    import yaml

    try:
        document = yaml.safe_load(file)
    except yaml.YAMLError as error:
        raise UsageError(f"{file.name} is not YAML: {error}") from error
    if not isinstance(document, dict):
        raise UsageError(f"{file.name} is no document of a system: srm-control export writes one")
    unknown = sorted(str(name) for name in set(document) - {"v", *SECTIONS})
    if unknown:
        raise UsageError(f"{file.name} has unknown sections: {', '.join(unknown)}; known are {', '.join(SECTIONS)}")
    if document.get("v", VERSION) != VERSION:
        raise UsageError(f"{file.name} has version {document['v']!r}, this program reads {VERSION}: upgrade it")
    for section in SECTIONS:
        if not isinstance(document.get(section) or {}, dict):
            raise UsageError(f"{section} of {file.name} is no object: srm-control export shows the shape")
    return document
