"""`srm-control config`: the property tree, its effective values, plans and versions."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from srm_cli.control.output import OUTPUT, Row, columns, show_document, show_rows
from srm_cli.control.values import time_column
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path

# spelled here, so that --help is fast; a test compares them with `replication.config.tree`
FORMATS = ("mm2", "srm", "replication-configs", "replication-configs-semicolon", "operator")
LEVELS = ("global", "workers", "connectors", "cluster", "flow")
_FORMATS = click.Choice(FORMATS)
_COMMENT = click.option("--comment", default="", help="Comment of the new version.")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print what would change; change nothing.")
_TREE = columns("KEY=key", "VALUE=value", "ORIGIN=origin", "EFFECT=effect", "COMMENT=comment")
_EFFECTIVE = columns("CLIENT=client", "NAME=name", "VALUE=value", "LEVEL=level", "ORIGIN=origin")
_KEYS = columns("KEY=key", "TYPE=kind", "DEFAULT=default", "EFFECT=effect", "DESCRIPTION=description")
_VERSIONS = (
    *columns("VERSION=number"),
    time_column("TIME", "at_ms"),
    *columns("AUTHOR=author", "EDITS=edits", "COMMENT=comment"),
)
_PLAN = columns("FLOW=flow", "CHANGE=change", "NAME=name", "TEXT=text")
_DIFF = columns("KEY=key", "BEFORE=before", "AFTER=after")


@click.group("config", cls=CommandGroup)
def config() -> None:
    """Read and change properties, compare and revert versions.

    \b
    Examples:
      srm-control config keys lag
      srm-control config effective 'us-east->eu-central'
      srm-control config versions
    """


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
    show_rows(access.client().pages("/settings", {"q": text} if text else None), _KEYS, output)


@config.command("tree")
@click.option("--level", type=click.Choice(LEVELS), help="One level.")
@OUTPUT
@click.pass_obj
def tree(access: ServiceAccess, level: str | None, output: str) -> None:
    """List all properties as they are stored.

    \b
    Examples:
      srm-control config tree
      srm-control config tree --level flow -o json
    """
    show_rows(access.client().pages("/properties", {"level": level} if level else None), _TREE, output)


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
    rows = [row for row in access.client().pages("/properties", {"key": key}) if row["key"] == key]
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
    rows = access.client().pages(f"{flow_path(flow)}/effective", {"key": text} if text else None)
    show_rows(rows, _EFFECTIVE, output)


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
    show_rows(found["differences"], _DIFF, output)


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
    _show_applied(access.client().send("POST", f"/config/versions/{version}/revert", {"comment": comment}), output)


@config.command("plan")
@click.argument("pairs", metavar="[KEY=VALUE]...", nargs=-1)
@click.option("--unset", "removed", multiple=True, metavar="KEY", help="Plan without this property.")
@OUTPUT
@click.pass_obj
def plan(access: ServiceAccess, pairs: tuple[str, ...], removed: tuple[str, ...], output: str) -> None:
    """Print what a change would do to each flow; `KEY=` with nothing behind it sets an empty value.

    \b
    Examples:
      srm-control config plan 'us-east->eu-central.topics=.*' -o yaml
      srm-control config plan --unset 'us-east->eu-central.tasks.max'
    """
    changes = _changes([*(_pair(pair) for pair in pairs), *((key, None) for key in removed)])
    if not changes:
        raise UsageError("nothing to plan: name KEY=VALUE or --unset KEY")
    found = access.client().send("POST", "/config/plan", {"changes": changes})
    if output in ("json", "yaml"):
        show_document(found, output)
    else:
        show_rows(list(_plan_rows(found)), _PLAN, output)


@config.command("import")
@click.option("-f", "--file", "path", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=True)
@click.option("--format", "kind", type=_FORMATS, default="mm2", show_default=True, help="Format of the file.")
@click.option("--replace", is_flag=True, help="Remove all properties that the file does not have.")
@_COMMENT
@click.option("--dry-run", is_flag=True, help="Only check the file.")
@OUTPUT
@click.pass_obj
def import_file(
    access: ServiceAccess, path: Path, kind: str, replace: bool, comment: str, dry_run: bool, output: str
) -> None:
    """Import a configuration file; all its errors are printed at once.

    \b
    Examples:
      srm-control config import -f mm2.properties --dry-run
      srm-control config import -f replication.yaml --format operator
    """
    file = {"format": kind, "name": path.name, "text": _text_of(path), "replace": replace}
    body = {**file, "comment": comment, "dry_run": dry_run}
    _show_applied(access.client().send("POST", "/properties/import", body), output)


@config.command("export")
@click.option("--format", "kind", type=_FORMATS, help="Format of the output.  [default: the one of the properties]")
@click.pass_obj
def export(access: ServiceAccess, kind: str | None) -> None:
    """Print all properties as a configuration file; secrets are left as references.

    \b
    Example:
      srm-control config export --format srm > srm.properties
    """
    found = access.client().get("/properties/export", {"format": kind} if kind else None)
    click.echo(found["text"], nl=False)
    for finding in found["findings"] or ():
        click.echo(f"{finding['severity']}: {finding['key']}: {finding['message']}", err=True)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise UsageError(f"{text!r} is not KEY=VALUE")
    return key.strip(), value


def _change(
    access: ServiceAccess, pairs: Iterable[tuple[str, str | None]], comment: str, *, dry_run: bool, output: str
) -> None:
    body = {"changes": _changes(pairs), "comment": comment, "dry_run": dry_run}
    _show_applied(access.client().change("/properties", body), output)


def _show_applied(found: Row, output: str) -> None:
    """Print the properties that changed, and the version and the findings for people."""
    if output in ("json", "yaml"):
        show_document(found, output)
        return
    show_rows(found["differences"], _DIFF, output)
    if output == "csv":
        return
    done = "would be" if found["dry_run"] else "is" if found["changed"] else "is still"
    click.echo(f"version {found['version']} {done} in force")
    for finding in found["findings"]:
        click.echo(f"{finding['severity']}: {finding['key']}: {finding['message']}", err=True)


def _text_of(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path} as text ({error}): give a configuration file in UTF-8") from error


def _changes(pairs: Iterable[tuple[str, str | None]]) -> list[dict[str, str | None]]:
    return [{"key": key, "value": value} for key, value in pairs]


def _plan_rows(plan: Row) -> Iterator[Row]:
    """One row per thing that a plan creates, changes or warns about."""
    for finding in plan["findings"]:
        yield {"flow": "", "change": finding["severity"], "name": finding["key"], "text": finding["message"]}
    for flow in plan["flows"]:
        name = f"{flow['source']}->{flow['target']}"
        for change, subject, text in (("flow", flow["outcome"], ""), *_flow_rows(flow)):
            yield {"flow": name, "change": change, "name": subject, "text": text}


def _flow_rows(flow: Row) -> Iterator[tuple[str, Any, str]]:
    found = flow["changes"]
    for each in flow["values"] if flow["outcome"] == "changed" else ():
        yield "setting", each["key"], f"{each['before']} -> {each['after']}"
    for each in found["topics_created"] or ():
        yield "new topic", each["name"], f"{each['partitions']} partition(s)"
    for each in found["topics_widened"] or ():
        yield "partitions", each["name"], f"{each['before']} -> {each['after']}"
    for topic in found["topics_added"] or ():
        yield "copied", topic, ""
    for topic in found["topics_removed"] or ():
        yield "not copied", topic, ""
    for each in found["topics_renamed"] or ():
        yield "renamed", each["upstream"], f"{each['before']} -> {each['after']}"
    for each in found["configs"] or ():
        yield "config", each["topic"], f"{each['key']}: {each['before']} -> {each['after']}"
    for each in found["findings"] or ():
        yield each["severity"], each["topic"] or each["code"], f"{each['text']}: {each['remedy']}"
    yield from _work_rows(found)


def _work_rows(found: Row) -> Iterator[tuple[str, Any, str]]:
    for each in (found["tasks"] or {}).get("restarts") or ():
        yield "restart", f"slot {each['slot']}", ", ".join(each["because"])
    if found["acls"]:
        yield "rights", f"{len(found['acls'])} ACL(s)", "-o yaml lists them"
    estimate = found["estimate"] or {}
    if estimate.get("partitions"):
        size = "size unknown" if estimate["bytes"] is None else f"{estimate['bytes']:,} bytes"
        yield "estimate", f"{estimate['records']:,} records", size
    for each in found["unlooked"]:
        yield "not checked", each["part"], each["reason"]
