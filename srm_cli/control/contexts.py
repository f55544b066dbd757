"""`srm-control contexts`: named services with their credentials, in a file that only its owner reads."""

import json
import os
from pathlib import Path
from typing import Any

import click

from srm_cli.control.output import OUTPUT, columns, show_rows
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.machine.home import write_private

_OTHERS = 0o077
_COLUMNS = columns("CURRENT=current", "NAME=name", "URL=url", "USER=user", "LOGIN=login")


def contexts_file() -> Path:
    """Return `SRM_CONTEXTS`, by default `~/.config/srm-control/contexts.json`."""
    chosen = os.environ.get("SRM_CONTEXTS")
    return Path(chosen) if chosen else Path.home() / ".config" / "srm-control" / "contexts.json"


def read_context(name: str | None) -> dict[str, str]:
    """Return the named context, or the current one; empty without any. Raises OperatorError."""
    document = _read()
    chosen = name or document["current"]
    if not chosen:
        return {}
    found = document["contexts"].get(chosen)
    if found is None:
        known = ", ".join(sorted(document["contexts"])) or "none"
        raise OperatorError(f"there is no context {chosen}; known are: {known}", exit_code=ExitCode.NOT_FOUND)
    return dict(found)


@click.group("contexts", cls=CommandGroup)
def contexts() -> None:
    """Store services and credentials under names.

    The file SRM_CONTEXTS (by default ~/.config/srm-control/contexts.json) has the mode 0600.

    \b
    Examples:
      srm-control contexts set production --url https://srm.example --token-file token
      srm-control contexts use production
    """


@contexts.command("list")
@OUTPUT
def list_contexts(output: str) -> None:
    """List contexts; credentials are not shown.

    \b
    Example:
      srm-control contexts list -o json
    """
    document = _read()
    rows = [
        {
            "current": name == document["current"],
            "name": name,
            "url": context.get("url"),
            "user": context.get("user"),
            "login": "token" if "token" in context else "password file",
        }
        for name, context in sorted(document["contexts"].items())
    ]
    show_rows(rows, _COLUMNS, output)


@contexts.command("set")
@click.argument("name")
@click.option("--url", required=True, help="URL of the service.")
@click.option("--user", default="admin", show_default=True, help="User name.")
@click.option("--password-file", type=click.Path(path_type=Path, dir_okay=False), help="File with the password.")
@click.option("--token-file", type=click.File("r"), help="File with a token, - for standard input; it is stored.")
def set_context(name: str, url: str, user: str, password_file: Path | None, token_file: Any) -> None:
    """Create or replace a context. The first one becomes the current one.

    \b
    Examples:
      srm-control contexts set prod --url https://srm.example:6671 --user ann --password-file ~/.srm-password
      srm-control contexts set ci --url https://srm.example:6671 --token-file - < token
    """
    context = {"url": url, "user": user}
    if password_file is not None:
        context["password_file"] = str(password_file.expanduser().resolve())
    if token_file is not None:
        context["token"] = token_file.read().strip()
        if not context["token"]:
            raise UsageError(f"{token_file.name} is empty: write the token into it")
    document = _read()
    document["contexts"][name] = context
    document["current"] = document["current"] or name
    _write(document)
    click.echo(f"context {name} is stored")


@contexts.command("use")
@click.argument("name")
def use_context(name: str) -> None:
    """Make a context the current one.

    \b
    Example:
      srm-control contexts use prod
    """
    read_context(name)
    document = _read()
    document["current"] = name
    _write(document)
    click.echo(f"context {name} is the current one")


@contexts.command("delete")
@click.argument("name")
def delete_context(name: str) -> None:
    """Delete a context with its credentials.

    \b
    Example:
      srm-control contexts delete prod
    """
    read_context(name)
    document = _read()
    del document["contexts"][name]
    if document["current"] == name:
        document["current"] = ""
    _write(document)
    click.echo(f"context {name} is deleted")


def _read() -> dict[str, Any]:
    path = contexts_file()
    try:
        if path.stat().st_mode & _OTHERS:
            raise OperatorError(f"{path} can be read by others: run chmod 600 {path}")
        found = json.loads(path.read_text())
        return {"current": str(found["current"]), "contexts": dict(found["contexts"])}
    except FileNotFoundError:
        return {"current": "", "contexts": {}}
    except OSError as error:
        raise OperatorError(f"cannot read {path} ({error.strerror}): check its permissions") from error
    except (ValueError, KeyError, TypeError) as error:
        raise OperatorError(f"{path} is damaged ({error}): correct it or delete it") from error


def _write(document: dict[str, Any]) -> None:
    path = contexts_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(path, json.dumps(document, indent=1) + "\n")
    except OSError as error:
        raise OperatorError(f"cannot write {path} ({error.strerror}): set SRM_CONTEXTS") from error
