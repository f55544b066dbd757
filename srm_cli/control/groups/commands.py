"""`srm-control groups`: allow and deny groups of a flow, their readiness, and group offset sync at once."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from srm_cli.control.name_lists import list_options, run_list_command
from srm_cli.control.output import OUTPUT, columns, show_rows
from srm_cli.control.values import read_patterns, time_column
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.options.waiting import TIMEOUT
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import flow_path, split_flow

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_READINESS = ("ready", "approximate", "blocked")
_POLL_EVERY_S = 2.0
_OLD_ROUNDS, _LEAST_OLD_MS = 3, 60_000  # a readiness of an older round does not count
_SYNC_MS = 25_000  # most time of one sync
_FLOW = click.argument("flow", metavar="SOURCE->TARGET")
_GROUPS = click.option(
    "--group", "groups", multiple=True, metavar="GROUPS", help="Groups, separated by commas.  [default: all]"
)
_STATUS = (
    *columns("GROUP=group", "STATE=state", "READINESS=readiness", "LAG=lag", "REREADS=rereads"),
    time_column("CHECKPOINT", "checkpoint_ms"),
    *columns("TARGET=target_state"),
    ("CAUSE", lambda group: _cause(group)),
)
_PLACES = (
    *columns(
        "TOPIC=topic",
        "PARTITION=partition",
        "COMMITTED=committed",
        "KIND=kind",
        "CONTINUES=downstream",
        "REREADS=rereads",
        "CHECKPOINT=checkpoint",
    ),
    time_column("WRITTEN", "checkpoint_ms"),
    *columns("TARGET=target_committed"),
    ("REASON", lambda place: place.get("reason") or place.get("evidence") or None),
)
_RECEIPTS = columns(
    "GROUP=group",
    "TOPIC=topic",
    "PARTITION=partition",
    "STATE=state",
    "BEFORE=before",
    "AFTER=after",
    "REREADS=rereads",
    "SKIPS=skips",
    "TEXT=text",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Status:
    """The options of `groups status`."""

    flow: str
    groups: list[str]
    readiness: str | None
    partitions: bool
    check: bool
    wait: bool
    timeout: int
    watch: bool
    every: float
    times: int | None
    output: str


@click.group("groups", cls=CommandGroup, invoke_without_command=True)
@list_options
@click.pass_context
def groups(ctx: click.Context, /, **given: Any) -> None:
    """Allow and deny consumer groups of a flow; show whether they are ready to move, and sync their offsets.

    \b
    Examples:
      srm-control groups --source us-east --target eu-central --add '.*'
      srm-control groups --source us-east --target eu-central --list -o json
      srm-control groups status 'us-east->eu-central'
    """
    if ctx.invoked_subcommand is None:
        run_list_command(ctx.obj, "groups", given)


@groups.command("status")
@_FLOW
@_GROUPS
@click.option("--readiness", type=click.Choice(_READINESS), help="Only groups of this readiness.")
@click.option("--partitions", is_flag=True, help="Show the partitions of one group, as the clusters have them now.")
@click.option("--check", is_flag=True, help="Exit with 1 unless all shown groups were ready a moment ago.")
@click.option("--wait", is_flag=True, help="Wait until all shown groups are ready.")
@TIMEOUT
@click.option("-w", "--watch", is_flag=True, help="Print again whenever something changes, until Ctrl-C.")
@click.option("--every", type=click.FloatRange(0.1), default=2.0, show_default=True, metavar="SECONDS", help="With -w.")
@click.option("--times", type=click.IntRange(1), metavar="N", help="With -w: end after N requests.")
@OUTPUT
@click.pass_obj
def status(access: ServiceAccess, /, **given: Any) -> None:
    """Show whether consumer groups are ready to continue on the target, why not, and what they would read again.

    \b
    Examples:
      srm-control groups status 'us-east->eu-central'
      srm-control groups status 'us-east->eu-central' --readiness blocked -w
      srm-control groups status 'us-east->eu-central' --group billing --partitions
      srm-control groups status 'us-east->eu-central' --group billing --wait && ./move-billing
    """
    order = _Status(**{**given, "groups": read_patterns(given["groups"])})
    client = access.client()
    if order.partitions:
        _show_places(client, order.flow, order.groups, order.output)
        return
    if order.wait:
        _wait_ready(client, order)
    _show_status(client, order)


@groups.command("sync")
@_FLOW
@_GROUPS
@click.option("--all", "is_all", is_flag=True, help="All groups of the flow.")
@click.option("--reason", default="", help="Shown in the audit trail.")
@click.option("--dry-run", is_flag=True, help="Print what would be written; write nothing.")
@click.option("--wait", is_flag=True, help="Repeat until no partition is refused, for example until members have left.")
@TIMEOUT
@OUTPUT
@click.pass_obj
def sync(
    access: ServiceAccess,
    flow: str,
    groups: tuple[str, ...],
    is_all: bool,
    reason: str,
    dry_run: bool,
    wait: bool,
    timeout: int,
    output: str,
) -> None:
    """Write the offsets of groups to the target now, forward only, and never while a group has members there.

    Prints a receipt per partition. Exits with 1 if one is refused or has no place, or a named group is not synced.

    \b
    Examples:
      srm-control groups sync 'us-east->eu-central' --group billing --dry-run
      srm-control groups sync 'us-east->eu-central' --group billing --wait --reason 'move to eu-central'
      srm-control groups sync 'us-east->eu-central' --all -o csv
    """
    wanted = read_patterns(groups)
    if bool(wanted) == is_all:
        raise UsageError("name the groups with --group, or take all of them with --all")
    body = {"dry_run": dry_run, "reason": reason, "limit": 10_000, "wait_ms": _SYNC_MS}
    client, deadline = access.client(), time.monotonic() + timeout
    while True:
        answer = client.send("POST", f"{flow_path(flow)}/groups/sync", {**body, "groups": wanted})
        refused = answer["counts"]["refused"]
        if not (wait and refused) or dry_run:
            break
        if time.monotonic() >= deadline:
            show_rows(answer["items"], _RECEIPTS, output)
            raise OperatorError(
                f"{refused} partition(s) are still refused after {timeout} s: {_first(answer, 'refused')}",
                exit_code=ExitCode.TIMEOUT,
            )
        time.sleep(min(_POLL_EVERY_S, max(0.0, deadline - time.monotonic())))
    show_rows(answer["items"], _RECEIPTS, output)
    _say_counts(answer, wanted)


def _show_status(client: "ServiceClient", order: _Status) -> None:
    shown: list[dict[str, Any]] | None = None
    asked = 0
    while shown is None or (order.watch and (order.times is None or asked < order.times)):
        if asked:
            time.sleep(order.every)
        asked += 1
        found = _found(client, order)
        if shown is None or _content(found) != _content(shown):
            show_rows(found, _STATUS, order.output)
        shown = found
    if not shown and not (order.groups or order.readiness):
        _say_empty(order.flow)
    if order.check:
        _check(shown, order.flow)


def _found(client: "ServiceClient", order: _Status) -> list[dict[str, Any]]:
    """Return the wanted groups. Raises OperatorError for a name that the flow does not have."""
    path, readiness = f"{flow_path(order.flow)}/groups", order.readiness
    if order.groups:
        rows = [client.get(f"{path}/{quote(name, safe='')}") for name in order.groups]
        return [row for row in rows if readiness in (None, row["readiness"])]
    query = {"limit": "1000", **({"readiness": readiness} if readiness else {})}
    page = client.get(path, query)
    for part in page["partial"]:
        click.echo(f"warning: {part['error']}", err=True)
    rows = list(page["items"])
    while page["next_cursor"]:
        page = client.get(path, {**query, "cursor": page["next_cursor"]})
        rows += page["items"]
    return rows


def _show_places(client: "ServiceClient", flow: str, wanted: Sequence[str], output: str) -> None:
    if len(wanted) != 1:
        raise UsageError("--partitions needs one group: name it with --group")
    found = client.get(f"{flow_path(flow)}/groups/{quote(wanted[0], safe='')}/partitions")
    show_rows(found["partitions"], _PLACES, output)
    for part in found["unlooked"]:
        click.echo(f"warning: {part['part']}: {part['reason']}", err=True)


def _content(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the groups without the time of their round."""
    return [{name: value for name, value in row.items() if name != "checked_ms"} for row in rows]


def _cause(group: Mapping[str, Any]) -> str:
    causes = [cause for cause in group["causes"] if cause["readiness"] != "ready"]
    if not causes:
        return "-"
    more = f" (+{len(causes) - 1})" if len(causes) > 1 else ""
    return f"{causes[0]['text']}{more}; {causes[0]['remedy']}"


def _wait_ready(client: "ServiceClient", order: _Status) -> None:
    """Wait until all groups are ready. Raises OperatorError after the time-out."""
    deadline = time.monotonic() + order.timeout
    while not (found := _found(client, order)) or any(_delay(row) for row in found):
        if time.monotonic() >= deadline:
            _check(found, order.flow, code=ExitCode.TIMEOUT)
        time.sleep(min(_POLL_EVERY_S, max(0.0, deadline - time.monotonic())))


def _delay(group: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the state of a group that does not count as ready, and the reason; None if it does."""
    if group["readiness"] != "ready":
        return group["readiness"], _cause(group)
    age_ms = int(time.time() * 1_000) - group["checked_ms"]
    if age_ms <= max(_OLD_ROUNDS * group["interval_ms"], _LEAST_OLD_MS):
        return None
    text = "no round has checked it since; check that the flow's driver runs, and that the clocks agree"
    return f"ready {age_ms // 1_000} s ago", text


def _check(found: Sequence[Mapping[str, Any]], flow: str, *, code: ExitCode = ExitCode.REFUSED) -> None:
    """Raises OperatorError unless all groups are ready by a round of now."""
    if not found:
        raise OperatorError(f"{flow} has no such groups", exit_code=ExitCode.NOT_FOUND)
    delays = [(row["group"], delay) for row in found if (delay := _delay(row)) is not None]
    if delays:
        group, (state, text) = delays[0]
        raise OperatorError(
            f"{len(delays)} of {len(found)} group(s) are not ready, for example {group} ({state}): {text}",
            exit_code=code,
        )


def _say_counts(answer: Mapping[str, Any], wanted: Sequence[str]) -> None:
    """Say on stderr how many partitions have which state. Raises OperatorError if some could not be written.

    `wanted` are the groups that were named.
    """
    counts = answer["counts"]
    total, shown = sum(counts.values()), len(answer["items"])
    if shown < total:
        click.echo(f"{shown} of {total} receipts are shown", err=True)
    words = ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "nothing to write"
    click.echo(f"{words} (dry run)" if answer["dry_run"] else words, err=True)
    for group in answer["skipped"]:
        click.echo(f"warning: {group['group']} is not synced: {group['reason']}", err=True)
    for part in answer["unlooked"]:
        click.echo(f"warning: {part['part']}: {part['reason']}", err=True)
    for state in ("refused", "impossible"):
        if counts[state]:
            raise OperatorError(f"{counts[state]} partition(s) are {state}: {_first(answer, state)}")
    _check_named(answer["skipped"], wanted)


def _check_named(skipped: Sequence[Mapping[str, Any]], wanted: Sequence[str]) -> None:
    """Raises OperatorError if groups that were asked for by name are not synced."""
    left = [each for each in skipped if each["group"] in wanted]
    if left:
        raise OperatorError(
            f"{len(left)} of {len(wanted)} group(s) are not synced, for example {left[0]['group']}: {left[0]['reason']}"
        )


def _say_empty(flow: str) -> None:
    """Say on stderr how groups get into an empty list."""
    source, target = split_flow(flow)
    command = f"srm-control groups --source {source} --target {target}"
    click.echo(
        f"no group is listed: `{command} --list` prints which groups the flow allows, and `{command} --add '.*'` "
        "allows all of them",
        err=True,
    )


def _first(answer: Mapping[str, Any], state: str) -> str:
    first = next((each for each in answer["items"] if each["state"] == state), None)
    return "" if first is None else f"{first['group']} {first['topic']}-{first['partition']}: {first['text']}"
