"""`srm-control users`, `tokens` and `trail`."""

from typing import Any
from urllib.parse import quote

import click

from srm_cli.control.output import OUTPUT, columns, show_object, show_rows
from srm_cli.control.values import read_time_ms, time_column
from srm_cli.errors import UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.service.access import ServiceAccess

_NAME = click.argument("name")
_ROLE = click.Choice(["viewer", "operator", "admin"])
_PASSWORD = click.option("--password-file", type=click.File("r"), help="File with the password, - for standard input.")
_USERS = (*columns("NAME=name", "ROLE=role", "ACTIVE=active"), time_column("LAST LOGIN", "last_login_ms"))
_TOKENS = (
    *columns("ID=id", "NAME=name", "OWNER=owner", "SCOPES=scopes", "STATE=state"),
    time_column("EXPIRES", "expires_ms"),
)
_TRAIL = (
    *columns("ID=id"),
    time_column("TIME", "at_ms"),
    *columns("BY=actor", "ACTION=action", "SUBJECT=subject", "OUTCOME=outcome", "REASON=reason"),
)
_FILTERS = ("actor", "action", "subject", "outcome")


@click.group("users", cls=CommandGroup)
def users() -> None:
    """List, create, change and disable users. Needs the admin role.

    \b
    Examples:
      srm-control users list
      srm-control users create ann --role operator
    """


@users.command("list")
@OUTPUT
@click.pass_obj
def list_users(access: ServiceAccess, output: str) -> None:
    """List all users with their roles.

    \b
    Example:
      srm-control users list
    """
    show_rows(access.client().pages("/users"), _USERS, output)


@users.command("show")
@_NAME
@OUTPUT
@click.pass_obj
def show_user(access: ServiceAccess, name: str, output: str) -> None:
    """Show one user.

    \b
    Example:
      srm-control users show ann
    """
    show_object(access.client().get(_user(name)), output)


@users.command("create")
@_NAME
@click.option("--role", type=_ROLE, required=True, help="Role of the user.")
@_PASSWORD
@click.pass_obj
def create_user(access: ServiceAccess, name: str, role: str, password_file: Any) -> None:
    """Create a user; without a password, one is generated and printed once.

    \b
    Examples:
      srm-control users create ann --role operator
      srm-control users create bob --role viewer --password-file -
    """
    body = {"name": name, "role": role, "password": _password(password_file)}
    answer = access.client().send("POST", "/users", body)
    click.echo(f"user {name} is created")
    _say_password(answer)


@users.command("change")
@_NAME
@click.option("--role", type=_ROLE, required=True, help="Role of the user.")
@click.pass_obj
def change_user(access: ServiceAccess, name: str, role: str) -> None:
    """Give a user another role.

    \b
    Example:
      srm-control users change ann --role admin
    """
    access.client().change(_user(name), {"role": role})
    click.echo(f"user {name} has the role {role}")


@users.command("enable")
@_NAME
@click.pass_obj
def enable_user(access: ServiceAccess, name: str) -> None:
    """Let a user log in again.

    \b
    Example:
      srm-control users enable ann
    """
    access.client().change(_user(name), {"active": True})
    click.echo(f"user {name} is enabled")


@users.command("disable")
@_NAME
@click.pass_obj
def disable_user(access: ServiceAccess, name: str) -> None:
    """End a user's sessions and refuse logins and tokens.

    \b
    Example:
      srm-control users disable ann
    """
    access.client().change(_user(name), {"active": False})
    click.echo(f"user {name} is disabled")


@users.command("password")
@_NAME
@_PASSWORD
@click.pass_obj
def set_password(access: ServiceAccess, name: str, password_file: Any) -> None:
    """Set a user's password; without one, it is generated and printed once.

    \b
    Example:
      srm-control users password ann
    """
    answer = access.client().send("POST", f"{_user(name)}/password", {"password": _password(password_file)})
    click.echo(f"user {name} has a new password")
    _say_password(answer)


@click.group("tokens", cls=CommandGroup)
def tokens() -> None:
    """List, create and revoke API tokens.

    \b
    Examples:
      srm-control tokens list
      srm-control tokens create ci --scope read --expires 2027-01-31T00:00:00Z
    """


@tokens.command("list")
@click.option("--user", "owner", help="Tokens of this user; needs the admin role.")
@OUTPUT
@click.pass_obj
def list_tokens(access: ServiceAccess, owner: str | None, output: str) -> None:
    """List tokens without their secrets.

    \b
    Examples:
      srm-control tokens list
      srm-control tokens list --user ann -o json
    """
    show_rows(access.client().pages("/tokens", {"user": owner} if owner else None), _TOKENS, output)


@tokens.command("create")
@_NAME
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["read", "operate", "admin", "metrics", "peer"]),
    multiple=True,
    default=["read"],
    show_default=True,
    help="Most that the token may do.",
)
@click.option("--expires", metavar="TIME", help="ISO time (UTC) or epoch ms.  [default: chosen by the service]")
@OUTPUT
@click.pass_obj
def create_token(access: ServiceAccess, name: str, scopes: tuple[str, ...], expires: str | None, output: str) -> None:
    """Create a token; it is printed once.

    \b
    Example:
      srm-control tokens create ci --scope read --scope metrics --expires 2027-01-31T00:00:00Z
    """
    expires_ms = read_time_ms(expires)
    body = {"name": name, "scopes": list(scopes), **({} if expires_ms is None else {"expires_ms": expires_ms})}
    show_object(access.client().send("POST", "/tokens", body), output)


@tokens.command("revoke")
@click.argument("token_id", metavar="ID")
@click.pass_obj
def revoke_token(access: ServiceAccess, token_id: str) -> None:
    """Revoke a token.

    \b
    Example:
      srm-control tokens revoke 101zhbr8b2ua
    """
    access.client().send("DELETE", f"/tokens/{quote(token_id, safe='')}")
    click.echo(f"token {token_id} is revoked")


@click.group("trail", cls=CommandGroup)
def trail() -> None:
    """Read the audit trail: who changed or ordered what.

    \b
    Examples:
      srm-control trail list
      srm-control trail export --file csv > trail.csv
    """


def _filter_options(command: Any) -> Any:
    for name in reversed(_FILTERS):
        command = click.option(f"--{name}", help=f"Only entries with this {name}.")(command)
    return command


@trail.command("list")
@_filter_options
@OUTPUT
@click.pass_obj
def list_trail(access: ServiceAccess, /, output: str, **filters: str | None) -> None:
    """List changes and orders, the newest first.

    \b
    Examples:
      srm-control trail list --actor ann
      srm-control trail list --action flow.pause -o json
    """
    query = {name: text for name, text in filters.items() if text}
    show_rows(access.client().pages("/trail", query), _TRAIL, output)


@trail.command("show")
@click.argument("number", type=click.IntRange(0))
@OUTPUT
@click.pass_obj
def show_entry(access: ServiceAccess, number: int, output: str) -> None:
    """Show one entry with the values before and after.

    \b
    Example:
      srm-control trail show 17 -o yaml
    """
    show_object(access.client().get(f"/trail/{number}"), output)


@trail.command("export")
@_filter_options
@click.option("--file", "kind", type=click.Choice(["csv", "json"]), default="csv", show_default=True, help="Format.")
@click.pass_obj
def export_trail(access: ServiceAccess, /, kind: str, **filters: str | None) -> None:
    """Print the trail as a file. Needs the admin role.

    \b
    Example:
      srm-control trail export --file json > trail.json
    """
    query = {name: text for name, text in filters.items() if text}
    click.echo(access.client().text("/trail/export", {**query, "file": kind}), nl=False)


def _user(name: str) -> str:
    return f"/users/{quote(name, safe='')}"


def _password(file: Any) -> str | None:
    if file is None:
        return None
    text = str(file.read()).rstrip("\n")
    if not text:
        raise UsageError(f"{file.name} is empty: write the password into it")
    return text


def _say_password(answer: Any) -> None:
    if isinstance(answer, dict) and answer.get("password"):
        click.echo(f"password: {answer['password']}")
