"""`srm-control topics`: allow and deny topics of a flow; pause, resume and reset topics of a running flow."""

import time
from typing import TYPE_CHECKING, Any

import click

from srm_cli.control.dry_runs import DRY_RUN, show_dry_run
from srm_cli.control.name_lists import list_options, run_list_command
from srm_cli.control.output import OUTPUT, columns, show_rows, shown_time
from srm_cli.control.values import format_position, read_end_ms, read_position
from srm_cli.errors import ExitCode, OperatorError
from srm_cli.help_text import CommandGroup
from srm_cli.options.waiting import wait_until
from srm_cli.service.access import ServiceAccess

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_POLL_EVERY_S = 1.0
_HOLD_COLUMNS = (
    *columns("TOPIC=topic"),
    ("PARTITION", lambda hold: "all" if hold["partition"] is None else hold["partition"]),
    ("UNTIL", lambda hold: shown_time(hold["until_ms"])),
    *columns("BY=held_by", "REASON=reason"),
)
_THROTTLE_COLUMNS = (
    *_HOLD_COLUMNS[:2],
    ("BYTES/S", lambda throttle: f"{throttle['bytes_per_second']:,}"),
    ("UNTIL", lambda throttle: shown_time(throttle["until_ms"])),
    *columns("BY=throttled_by", "REASON=reason"),
)
_RESET_COLUMNS = (
    *columns("TOPIC=topic", "PARTITION=partition", "STATE=state"),
    ("REQUESTED", lambda order: shown_time(order["requested_ms"]).replace(" ", "T")),
    *columns("BY=requested_by"),
    ("TO", lambda order: format_position(order["to"])),
    ("REJECTED", lambda order: order.get("rejected") or ""),
)
_FLOW = click.argument("flow", metavar="SOURCE->TARGET")
_TOPIC = click.option("--topic", required=True, help="Name of the topic on the source.")
_PARTITION = click.option(
    "--partition", type=click.IntRange(0), metavar="N", help="Only this partition.  [default: all]"
)

_WAIT = click.option(
    "--wait", type=click.IntRange(1), metavar="SECONDS", help="Wait for completion, at most this long."
)
_FOR = click.option("--for", "lasts", metavar="DURATION", help="Resume after this time, such as 30m or 2h.")
_REASON = click.option("--reason", default="", help="Shown with the flow.")


@click.group("topics", cls=CommandGroup, invoke_without_command=True)
@list_options
@click.pass_context
def topics(ctx: click.Context, /, **given: Any) -> None:
    """Allow and deny topics of a flow, and pause (hold), resume (release) and reset topics of a running flow.

    A topic is copied if the allow list or the flow's properties allow it, and neither denies it. With
    --bootstrap-servers or --config, the lists are changed on the target cluster itself, without a service.

    \b
    Examples:
      srm-control topics --source us-east --target eu-central --add 'orders.*,payments'
      srm-control topics --source us-east --target eu-central --add-denied 'orders-tmp'
      srm-control topics --source us-east --target eu-central --list
      srm-control topics --source us-east --target eu-central --list --bootstrap-servers eu:9092
    """
    if ctx.invoked_subcommand is None:
        run_list_command(ctx.obj, "topics", given)


@click.command("reverse-checkpointed-topics")
@list_options
@click.pass_obj
def reverse_checkpointed_topics(access: ServiceAccess, /, **given: Any) -> None:
    """Allow and deny topics on whose copies the progress of groups is translated back to the original topics.

    The flow is the one that leads back: its target holds the originals. Names are those of originals or of copies.
    cloudera.reverse.checkpointing.enabled switches it on.

    \b
    Example:
      srm-control reverse-checkpointed-topics --source eu-central --target us-east --add 'orders.*'
    """
    run_list_command(access, "reverse-checkpointed-topics", given)


@topics.command("hold")
@_FLOW
@_TOPIC
@_PARTITION
@click.option(
    "--until", metavar="TIME", help="Resume automatically at this ISO time (UTC) or epoch ms.  [default: never]"
)
@_FOR
@_REASON
@_WAIT
@DRY_RUN
@click.pass_obj
def hold(
    access: ServiceAccess,
    flow: str,
    topic: str,
    partition: int | None,
    until: str | None,
    lasts: str | None,
    reason: str,
    wait: int | None,
    dry_run: bool,
) -> None:
    """Pause a topic or one of its partitions, as `flows pause --topic` does; the rest of the flow continues.

    \b
    Examples:
      srm-control topics hold 'us-east->eu-central' --topic orders --reason 'consumer repair'
      srm-control topics hold 'us-east->eu-central' --topic orders --partition 3 --until 2026-01-31T18:00:00Z --wait 30
      srm-control topics hold 'us-east->eu-central' --topic orders --dry-run
    """
    until_ms = read_end_ms(until, lasts)
    order = {"topic": topic, "partition": partition, "until_ms": until_ms, "reason": reason}
    client = access.client()
    answer = client.hold(flow, order, dry_run=dry_run)
    if dry_run:
        show_dry_run(answer)
        return
    end = "until it is resumed" if until_ms is None else f"until {shown_time(until_ms)}"
    place = f"{_target(topic, partition)} of {flow}"
    click.echo(f"{place} is paused {end}")
    if wait is not None:
        wait_until(lambda: client.is_applied(flow, answer["order"]), wait, what=f"the pause of {place}")
        click.echo("done")


@topics.command("release")
@_FLOW
@_TOPIC
@_PARTITION
@DRY_RUN
@click.pass_obj
def release(access: ServiceAccess, flow: str, topic: str, partition: int | None, dry_run: bool) -> None:
    """Resume a topic, or one partition, as `flows resume --topic` does.

    \b
    Examples:
      srm-control topics release 'us-east->eu-central' --topic orders
      srm-control topics release 'us-east->eu-central' --topic orders --partition 3
    """
    client = access.client()
    of_topic = [hold for hold in client.holds(flow) if hold["topic"] == topic]
    chosen = [hold for hold in of_topic if partition is None or hold["partition"] == partition]
    if not chosen:
        whole = "; the whole topic is paused: resume it without --partition" if of_topic else ""
        raise OperatorError(f"{_target(topic, partition)} of {flow} is not paused{whole}", exit_code=ExitCode.NOT_FOUND)
    for hold in chosen:
        answer = client.release(flow, hold["id"], dry_run=dry_run)
        if dry_run:
            show_dry_run(answer)
        else:
            click.echo(f"{_target(topic, hold['partition'])} of {flow} is resumed")


@topics.command("holds")
@_FLOW
@OUTPUT
@click.pass_obj
def list_holds(access: ServiceAccess, flow: str, output: str) -> None:
    """List the paused topics and partitions of a flow with the end and the reason of each.

    \b
    Example:
      srm-control topics holds 'us-east->eu-central'
    """
    show_rows(access.client().holds(flow), _HOLD_COLUMNS, output)


@topics.command("throttles")
@_FLOW
@OUTPUT
@click.pass_obj
def list_throttles(access: ServiceAccess, flow: str, output: str) -> None:
    """List the throttled topics and partitions of a flow. `flows throttle --topic` changes them.

    \b
    Example:
      srm-control topics throttles 'us-east->eu-central'
    """
    show_rows(access.client().topic_throttles(flow), _THROTTLE_COLUMNS, output)


@topics.command("reset")
@_FLOW
@_TOPIC
@_PARTITION
@click.option(
    "--to", "to", required=True, metavar="POSITION", help="earliest, latest, ISO time, epoch ms, or offset:N."
)
@_REASON
@_WAIT
@DRY_RUN
@click.pass_obj
def reset(
    access: ServiceAccess,
    flow: str,
    topic: str,
    partition: int | None,
    to: str,
    reason: str,
    wait: int | None,
    dry_run: bool,
) -> None:
    """Reset the position: backward repeats records on the target, forward skips records, which are never copied.

    \b
    Examples:
      srm-control topics reset 'us-east->eu-central' --topic orders --to earliest
      srm-control topics reset 'us-east->eu-central' --topic orders --to 2026-01-31T18:00:00Z --wait 30
      srm-control topics reset 'us-east->eu-central' --topic orders --partition 3 --to offset:1200
      srm-control topics reset 'us-east->eu-central' --topic orders --to latest --dry-run
    """
    position = read_position(to)
    client = access.client()
    order = {"topic": topic, "partition": partition, "to": position, **({"reason": reason} if reason else {})}
    if dry_run:
        show_dry_run(client.reset_dry_run(flow, order))
        return
    orders = client.reset(flow, order)
    click.echo(
        f"{len(orders)} partition(s) of {topic} in {flow} will continue at {format_position(position)}: requested"
    )
    if wait is not None:
        _wait_done(client, flow, {order["id"] for order in orders}, wait)
        click.echo("done")


@topics.command("resets")
@_FLOW
@OUTPUT
@click.pass_obj
def list_resets(access: ServiceAccess, flow: str, output: str) -> None:
    """List pending resets, and those that ended within a day.

    \b
    Example:
      srm-control topics resets 'us-east->eu-central'
    """
    show_rows(access.client().resets(flow), _RESET_COLUMNS, output)


def _wait_done(client: "ServiceClient", flow: str, orders: set[str], wait_s: int) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        waiting = [order for order in client.resets(flow) if order["id"] in orders and order["state"] == "requested"]
        if not waiting:
            return
        for order in waiting:
            if order.get("rejected"):
                raise OperatorError(f"{order['rejected']}; the reset is applied once the flow copies the topic")
        if time.monotonic() >= deadline:
            raise OperatorError(_not_done(flow, waiting, wait_s), exit_code=ExitCode.TIMEOUT)
        time.sleep(_POLL_EVERY_S)


def _not_done(flow: str, waiting: list[dict[str, Any]], wait_s: int) -> str:
    first = f"{waiting[0]['topic']}-{waiting[0]['partition']}"
    return (
        f"{len(waiting)} partition(s) still pending after {wait_s} s, for example {first}: check that {flow} runs; "
        "the reset stays ordered and is applied when it does"
    )


def _target(topic: str, partition: int | None) -> str:
    return topic if partition is None else f"partition {partition} of {topic}"
