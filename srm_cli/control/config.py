"""`srm-control config`: the property tree, its effective values, plans and versions."""

from collections.abc import Iterable
from pathlib import Path

import click

from srm_cli.control.output import OUTPUT, columns, show_answer, show_rows
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path
from srm_cli.service.property_keys import change_of, key_of

_DIALECTS = click.Choice(["mm2", "srm", "operator"])
_COMMENT = click.option("--comment", default="", help="Comment of the new version.")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the plan; change nothing.")
_TREE = (("KEY", key_of), *columns("VALUE=value", "ORIGIN=origin", "COMMENT=comment"))
_EFFECTIVE = columns("KEY=key", "VALUE=value", "LEVEL=level")
_KEYS = columns("KEY=key", "TYPE=type", "DEFAULT=default", "EFFECT=effect", "DESCRIPTION=description")
_VERSIONS = columns("VERSION=number", "TIME=at", "AUTHOR=author", "EDITS=edits", "COMMENT=comment")
_DIFF = (("KEY", key_of), *columns("BEFORE=before", "AFTER=after"))


@click.group("config")
def config() -> None:
    """Read and change properties, compare and revert versions."""


@config.command("keys")
@click.argument("text", default="")
@OUTPUT
@click.pass_obj
def keys(access: ServiceAccess, text: str, output: str) -> None:
    """List the keys that the system knows, with type, default and effect.

    \b
    Examples:
      srm-control config keys
      srm-control config keys tasks.max -o yaml
    """
    rows = [row for row in access.client().pages("/settings") if text in str(row.get("key"))]
    show_rows(rows, _KEYS, output)


@config.command("tree")
@click.option("--level", type=click.Choice(["global", "workers", "connectors", "cluster", "flow"]), help="One level.")
@OUTPUT
@click.pass_obj
def tree(access: ServiceAccess, level: str | None, output: str) -> None:
    """List all properties as they are stored.

    \b
    Examples:
      srm-control config tree
      srm-control config tree --level flow -o json
    """
    rows = access.client().pages("/properties")
    show_rows([row for row in rows if level in (None, row.get("level"))], _TREE, output)


@config.command("get")
@click.argument("key")
@OUTPUT
@click.pass_obj
def get(access: ServiceAccess, key: str, output: str) -> None:
    """Print one stored property.

    \b
    Example:
      srm-control config get 'us-east->eu-central.tasks.max'
    """
    rows = [row for row in access.client().pages("/properties") if key_of(row) == key]
    if not rows:
        raise OperatorError(
            f"{key} is not set; srm-control config effective shows the values in force", exit_code=ExitCode.NOT_FOUND
        )
    show_rows(rows, _TREE, output)


@config.command("set")
@click.argument("pairs", metavar="KEY=VALUE...", nargs=-1, required=True)
@_COMMENT
@_DRY_RUN
@OUTPUT
@click.pass_obj
def set_properties(access: ServiceAccess, pairs: tuple[str, ...], comment: str, dry_run: bool, output: str) -> None:
    """Set properties, all in one version.

    \b
    Examples:
      srm-control config set 'us-east->eu-central.tasks.max=4' --comment 'more load'
      srm-control config set connectors.sync.topic.acls.enabled=false --dry-run
    """
    _change(access, [_pair(pair) for pair in pairs], comment, dry_run=dry_run, output=output)


@config.command("unset")
@click.argument("keys", metavar="KEY...", nargs=-1, required=True)
@_COMMENT
@_DRY_RUN
@OUTPUT
@click.pass_obj
def unset(access: ServiceAccess, keys: tuple[str, ...], comment: str, dry_run: bool, output: str) -> None:
    """Remove properties, all in one version.

    \b
    Example:
      srm-control config unset 'us-east->eu-central.tasks.max'
    """
    _change(access, [(key, None) for key in keys], comment, dry_run=dry_run, output=output)


@config.command("effective")
@click.argument("flow", metavar="SOURCE->TARGET")
@click.argument("text", default="")
@OUTPUT
@click.pass_obj
def effective(access: ServiceAccess, flow: str, text: str, output: str) -> None:
    """List the values in force of a flow with the level that each comes from.

    \b
    Examples:
      srm-control config effective 'us-east->eu-central' tasks.max
      srm-control config effective 'us-east->eu-central' -o json
    """
    rows = access.client().pages(f"{flow_path(flow)}/effective")
    show_rows([row for row in rows if text in str(row.get("key"))], _EFFECTIVE, output)


@config.command("versions")
@OUTPUT
@click.pass_obj
def versions(access: ServiceAccess, output: str) -> None:
    """List the versions of the configuration.

    \b
    Example:
      srm-control config versions
    """
    show_rows(access.client().pages("/config/versions"), _VERSIONS, output)


@config.command("diff")
@click.argument("first", type=click.IntRange(0), metavar="FROM")
@click.argument("second", type=click.IntRange(0), metavar="TO")
@OUTPUT
@click.pass_obj
def diff(access: ServiceAccess, first: int, second: int, output: str) -> None:
    """Compare two versions.

    \b
    Example:
      srm-control config diff 3 5
    """
    found = access.client().get("/config/diff", {"from": str(first), "to": str(second)})
    show_rows(found.get("items", found.get("differences", [])), _DIFF, output)


@config.command("revert")
@click.argument("version", type=click.IntRange(0))
@_COMMENT
@OUTPUT
@click.pass_obj
def revert(access: ServiceAccess, version: int, comment: str, output: str) -> None:
    """Make a new version that equals an older one.

    \b
    Example:
      srm-control config revert 3 --comment 'back to before the change'
    """
    show_answer(access.client().send("POST", f"/config/versions/{version}/revert", {"comment": comment}), output)


@config.command("plan")
@click.argument("pairs", metavar="KEY=VALUE...", nargs=-1, required=True)
@OUTPUT
@click.pass_obj
def plan(access: ServiceAccess, pairs: tuple[str, ...], output: str) -> None:
    """Print what a change would do to each flow; `KEY=` with nothing behind it sets an empty value.

    \b
    Example:
      srm-control config plan 'us-east->eu-central.topics=.*' -o yaml
    """
    _change(access, [_pair(pair) for pair in pairs], "", dry_run=True, output=output)


@config.command("import")
@click.option("-f", "--file", "path", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=True)
@click.option("--dialect", type=_DIALECTS, default="mm2", show_default=True, help="Format of the file.")
@_COMMENT
@click.option("--dry-run", is_flag=True, help="Only check the file.")
@OUTPUT
@click.pass_obj
def import_file(access: ServiceAccess, path: Path, dialect: str, comment: str, dry_run: bool, output: str) -> None:
    """Import a configuration file; all its errors are printed at once.

    \b
    Examples:
      srm-control config import -f mm2.properties --dry-run
      srm-control config import -f replication.yaml --dialect operator
    """
    body = {"dialect": dialect, "text": path.read_text(), "file": path.name, "comment": comment, "dry_run": dry_run}
    show_answer(access.client().send("POST", "/properties/import", body), output)


@config.command("export")
@click.option("--dialect", type=_DIALECTS, default="mm2", show_default=True, help="Format of the output.")
@click.pass_obj
def export(access: ServiceAccess, dialect: str) -> None:
    """Print all properties as a configuration file; secrets are left as references.

    \b
    Example:
      srm-control config export --dialect srm > srm.properties
    """
    click.echo(access.client().text("/properties/export", {"dialect": dialect}), nl=False)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise UsageError(f"{text!r} is not KEY=VALUE")
    return key.strip(), value


def _change(
    access: ServiceAccess, pairs: Iterable[tuple[str, str | None]], comment: str, *, dry_run: bool, output: str
) -> None:
    wanted = tuple(pairs)
    client = access.client()
    aliases = [cluster["alias"] for cluster in client.pages("/clusters")]
    changes = [change_of(key, value, aliases) for key, value in wanted]
    if dry_run:
        show_answer(client.send("POST", "/config/plan", {"changes": changes}), output)
    else:
        show_answer(client.change("/properties", {"changes": changes, "comment": comment}), output)
