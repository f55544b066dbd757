"""`srm-control services`: remote services, and the tokens with which this service asks them."""

from pathlib import Path
from urllib.parse import quote

import click

from srm_cli.control.output import OUTPUT, columns, show_rows
from srm_cli.errors import UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.service.access import ServiceAccess

_PATH = "/remote-services"
_COLUMNS = (
    *columns("CLUSTER=cluster", "ADDRESS=address", "STATE=state", "AGE_MS=age_ms", "VERSION=version", "USE=use"),
    ("FIRST", lambda row: "yes" if row.get("is_first") else ""),
    *columns("CLOCK_MS=clock_difference_ms", "BYTES=received_bytes", "PROBLEM=problem"),
)
_ADDRESS = click.argument("address", metavar="ADDRESS")


@click.group("services", cls=CommandGroup)
def services() -> None:
    """List the services that report remote targets, and store the tokens for asking them.

    \b
    Examples:
      srm-control services list
      srm-control services trust https://srm.eu.example:6670 --token-file eu.token
    """


@services.command("list")
@OUTPUT
@click.pass_obj
def list_services(access: ServiceAccess, output: str) -> None:
    """List services by cluster: whether and why they are asked, their version, and how far their clock is ahead.

    \b
    Example:
      srm-control services list -o json
    """
    show_rows(access.client().pages(_PATH), _COLUMNS, output)


@services.command("trust")
@_ADDRESS
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    required=True,
    help="File with a token of the other service, scope peer; - reads it from standard input.",
)
@click.pass_obj
def trust(access: ServiceAccess, address: str, token_file: Path) -> None:
    """Store the token for an address. It is sent to this address and to no other.

    ADDRESS must be in SRM_REMOTE_ADDRESSES of the service. Create the token at the other service:
    `srm-control tokens create gateway --scope peer`.

    \b
    Example:
      srm-control services trust https://srm.eu.example:6670 --token-file eu.token
    """
    with click.open_file(str(token_file)) as file:
        token = file.read().strip()
    if not token:
        raise UsageError(f"{token_file} is empty: it must hold the token")
    known = access.client().send("PUT", f"{_PATH}/credential", {"address": address, "token": token})
    click.echo(f"{known['address']} has a token now")


@services.command("forget")
@_ADDRESS
@click.pass_obj
def forget(access: ServiceAccess, address: str) -> None:
    """Forget the token for an address, so that it is no longer asked.

    \b
    Example:
      srm-control services forget https://srm.eu.example:6670
    """
    access.client().send("DELETE", f"{_PATH}/credential?address={quote(address, safe='')}")
    click.echo(f"{address} no longer has a token")
