"""The allow and deny lists of a flow as commands see them: through the service, or straight on the target cluster."""

import getpass
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from replication.domain.desired.name_lists import ListEntry, ListKind, ListSide, list_changes
from replication.domain.errors import InvalidPatternError
from srm_cli.control.output import columns, output_option, show_document, show_rows
from srm_cli.control.values import read_patterns
from srm_cli.control.wiring import DEFAULT_FACTOR, DirectAccess, cluster_options, control_topics
from srm_cli.errors import OperatorError, UsageError
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path

_Command = Callable[..., Any]
_COLUMNS = columns("LIST=side", "PATTERN=pattern", "OFFSET=offset", "BY=by", "PROBLEM=problem")
# The words of the original tool, for scripts that read its output
_ALLOW_HEADING, _DENY_HEADING, _END = "Current whitelist:", "Current blacklist:", "Done."
_FIELDS = {  # the fields of a change: what they ask for, and what was done
    "add": ("add to the allow list", "added to the allow list"),
    "remove": ("remove from the allow list", "removed from the allow list"),
    "add_denied": ("add to the deny list", "added to the deny list"),
    "remove_denied": ("remove from the deny list", "removed from the deny list"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCommand:
    """The options of a list command."""

    kind: ListKind
    source: str
    target: str
    changes: dict[str, list[str]]
    is_listing: bool
    is_dry_run: bool
    output: str

    @property
    def flow(self) -> str:
        return f"{self.source}->{self.target}"


def _pattern_option(*names: str, field: str) -> _Command:
    help_text = f"Names or regular expressions, separated by commas: {_FIELDS[field][0]}."
    return click.option(*names, field, multiple=True, metavar="PATTERNS", help=help_text)


_OPTIONS: tuple[_Command, ...] = (
    click.option("--source", help="Alias of the source cluster."),
    click.option("--target", help="Alias of the target cluster."),
    _pattern_option("--add", field="add"),
    _pattern_option("--remove", field="remove"),
    _pattern_option("--add-blacklist", "--add-denied", field="add_denied"),
    _pattern_option("--remove-blacklist", "--remove-denied", field="remove_denied"),
    click.option("--list", "is_listing", is_flag=True, help="Print both lists."),
    click.option("--dry-run", is_flag=True, help="Check the patterns and print the changes; change nothing."),
    cluster_options,
    click.option("--producer-props", multiple=True, metavar="KEY=VALUE,...", help="Properties of the producer."),
    click.option("--consumer-props", multiple=True, metavar="KEY=VALUE,...", help="Properties of the consumer."),
    output_option("text", help_text="Format of --list; text is that of the original tool."),
)


def list_options(command: _Command) -> _Command:
    """The options of the original's `topics`, `groups` and `reverse-checkpointed-topics`, and ours."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def run_list_command(access: ServiceAccess, kind: ListKind, given: dict[str, Any]) -> None:
    """Change the lists, or print them. Raises OperatorError."""
    order = _order(kind, given)
    direct = DirectAccess.of(given)
    if direct.is_wanted:
        _on_cluster(order, direct)
    else:
        _through_service(order, access)


def _order(kind: ListKind, given: dict[str, Any]) -> ListCommand:
    if not (given["source"] and given["target"]):
        raise UsageError(f"srm-control {kind} needs --source and --target")
    order = ListCommand(
        kind=kind,
        source=given["source"],
        target=given["target"],
        changes={name: found for name in _FIELDS if (found := read_patterns(given[name]))},
        is_listing=given["is_listing"],
        is_dry_run=given["dry_run"],
        output=given["output"],
    )
    if not order.changes and not order.is_listing:
        raise UsageError("nothing to do: use --list, --add, --remove, --add-denied or --remove-denied")
    return order


def _through_service(order: ListCommand, access: ServiceAccess) -> None:
    client = access.client()
    path = f"{flow_path(order.flow)}/lists/{order.kind}"
    if order.changes:
        client.send("POST", path, {**order.changes, "dry_run": order.is_dry_run})
        _say_changes(order)
    if order.is_listing:
        found = client.get(path)
        _show(order, found["allow"], found["deny"])
        if found.get("problem"):
            click.echo(f"warning: {found['problem']}", err=True)


def _on_cluster(order: ListCommand, direct: DirectAccess) -> None:
    try:
        changes = list_changes(order.kind, **order.changes)
    except InvalidPatternError as error:
        raise OperatorError(error.text) from error
    with control_topics(direct, order.target) as topics:
        if changes and not order.is_dry_run:
            topics.write(order.source, changes, by=getpass.getuser(), replication_factor=DEFAULT_FACTOR)
        _say_changes(order)
        if order.is_listing:
            lists = topics.read(order.source)
            sides: tuple[ListSide, ...] = ("allow", "deny")
            _show(order, *([_row(entry) for entry in lists.of(order.kind, side)] for side in sides))


def _row(entry: ListEntry) -> dict[str, Any]:
    return {"pattern": entry.place.pattern, "offset": entry.offset, "by": entry.by, "problem": entry.problem}


def _say_changes(order: ListCommand) -> None:
    for name, patterns in order.changes.items():
        text = f"{', '.join(patterns)}: {_FIELDS[name][1]} of {order.kind} of {order.flow}"
        click.echo(f"{text} (dry run)" if order.is_dry_run else text)


def _show(order: ListCommand, allow: Sequence[dict[str, Any]], deny: Sequence[dict[str, Any]]) -> None:
    if order.output == "text":
        _show_as_original(allow, deny)
    elif order.output in ("json", "yaml"):
        show_document({"allow": list(allow), "deny": list(deny)}, order.output)
    else:
        rows = [{"side": "allow", **row} for row in allow] + [{"side": "deny", **row} for row in deny]
        show_rows(rows, _COLUMNS, order.output)
    for row in (*allow, *deny):
        if row.get("problem"):
            click.echo(f"warning: {row['problem']}; remove it from the list", err=True)


def _show_as_original(allow: Sequence[dict[str, Any]], deny: Sequence[dict[str, Any]]) -> None:
    lines = [_ALLOW_HEADING, *(row["pattern"] for row in allow), _DENY_HEADING, *(row["pattern"] for row in deny), _END]
    for line in lines:
        click.echo(line)
