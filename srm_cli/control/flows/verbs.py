"""`srm-control flows`: one set of verbs for a flow, a topic, a partition and a task, and the list of orders."""

import shlex
from collections.abc import Callable
from typing import Any, TypeVar

import click

from srm_cli.control.dry_runs import DRY_RUN, show_touches
from srm_cli.control.flows.commands import DEFAULT_REASON, FLOW, flows
from srm_cli.control.flows.order_rows import show_outcome
from srm_cli.control.values import read_end_ms, read_rate
from srm_cli.errors import UsageError
from srm_cli.options.waiting import TIMEOUT, WAIT
from srm_cli.service.access import ServiceAccess

REASON = click.option("--reason", default=DEFAULT_REASON, show_default=True, help="Shown with the flow.")
UNTIL = click.option("--until", metavar="TIME", help="End then: ISO time (UTC) or epoch ms.  [default: never]")
FOR = click.option("--for", "lasts", metavar="DURATION", help="End after this time, such as 30m or 2h.")
_TOPIC = click.option("--topic", metavar="NAME", help="Only this topic, by its name on the source.")
_PARTITION = click.option("--partition", type=click.IntRange(0), metavar="N", help="Only this partition of the topic.")
_TASK = click.option("--task", type=click.IntRange(0), metavar="N", help="Only this source task.")
_Command = TypeVar("_Command", bound=Callable[..., Any])


def _verb(name: str, *, ends: bool = False, task: bool = False) -> Callable[[_Command], Any]:
    """Return a decorator that registers a verb with the options that it has."""
    chosen = [DRY_RUN, TIMEOUT, WAIT, *((FOR, UNTIL) if ends else ()), REASON]
    chosen += [*((_TASK,) if task else ()), _PARTITION, _TOPIC]

    def register(function: _Command) -> Any:
        command: Any = click.pass_obj(function)
        for option in chosen:
            command = option(command)
        return flows.command(name)(FLOW(command))

    return register


@_verb("pause", ends=True)
def pause(access: ServiceAccess, /, flow: str, **given: Any) -> None:
    """Stop reading, and keep positions: a flow, a topic, or one partition.

    The source tasks of a paused flow end; its heartbeat task continues, but heartbeats are not copied.

    \b
    Examples:
      srm-control flows pause 'us-east->eu-central' --reason 'broker upgrade' --for 2h --wait
      srm-control flows pause 'us-east->eu-central' --until 2026-01-31T18:00:00Z
      srm-control flows pause 'us-east->eu-central' --topic orders --partition 3 --reason 'consumer repair'
    """
    _give(access, flow, "pause", given)


@_verb("resume")
def resume(access: ServiceAccess, /, flow: str, **given: Any) -> None:
    """Continue what was paused, at its position. With --topic, all pauses of the topic and its partitions end.

    \b
    Examples:
      srm-control flows resume 'us-east->eu-central'
      srm-control flows resume 'us-east->eu-central' --topic orders --wait
    """
    _give(access, flow, "resume", given)


@_verb("stop", ends=True)
def stop(access: ServiceAccess, /, flow: str, **given: Any) -> None:
    """End all tasks of a flow, including its heartbeat task, or take a topic or partition out of its task.

    Positions stay.

    \b
    Examples:
      srm-control flows stop 'us-east->eu-central' --reason 'cluster moves' --wait
      srm-control flows stop 'us-east->eu-central' --topic orders --for 1d --dry-run
    """
    _give(access, flow, "stop", given)


@_verb("start")
def start(access: ServiceAccess, /, flow: str, **given: Any) -> None:
    """Start what was stopped, at its positions.

    \b
    Examples:
      srm-control flows start 'us-east->eu-central' --wait
      srm-control flows start 'us-east->eu-central' --topic orders --partition 3
    """
    _give(access, flow, "start", given)


@_verb("restart", ends=True, task=True)
def restart(access: ServiceAccess, /, flow: str, **given: Any) -> None:
    """Begin again at the committed positions: all tasks, one task, a topic, or one partition.

    The restart of a topic or partition drops what is on its way, and pauses no other partition. With --for or --until,
    a restart that is not carried out by then is given up.

    \b
    Examples:
      srm-control flows restart 'us-east->eu-central' --topic orders --partition 3 --wait
      srm-control flows restart 'us-east->eu-central' --task 0 --reason 'stuck' --for 10m
      srm-control flows restart 'us-east->eu-central' --dry-run
    """
    _give(access, flow, "restart", given)


@_verb("throttle", ends=True)
@click.argument("rate", metavar="RATE|off")
def throttle(access: ServiceAccess, /, flow: str, rate: str, **given: Any) -> None:
    """Limit the bytes per second that a flow, a topic or one partition is read at; `off` removes the limit.

    kB, MB and GB are powers of 1000, KiB, MiB and GiB of 1024. After `off`, only the limits in the flow's
    settings (srm.throttle.rate, srm.throttle.schedule) apply. With --topic, `off` removes the limits of the topic and
    of its partitions. The throttle of the flow still limits all of its topics.

    \b
    Examples:
      srm-control flows throttle 'us-east->eu-central' 10MB --for 8h --wait
      srm-control flows throttle 'us-east->eu-central' 1MB --topic orders --reason 'busy disks'
      srm-control flows throttle 'us-east->eu-central' off
    """
    _give(access, flow, "throttle", given, bytes_per_second=read_rate(rate))


def _give(access: ServiceAccess, flow: str, verb: str, given: dict[str, Any], **fields: Any) -> None:
    """Give an order and print its effect; with `--wait`, its outcome too."""
    scope = {name: given[name] for name in ("topic", "partition", "task") if given.get(name) is not None}
    if "partition" in scope and "topic" not in scope:
        raise UsageError("--partition needs --topic")
    body: dict[str, Any] = {"action": verb, "reason": given["reason"], **fields}
    if scope:
        body["scope"] = scope
    until_ms = read_end_ms(given.get("until"), given.get("lasts"))
    if until_ms is not None:
        body["until_ms"] = until_ms
    if given["dry_run"]:
        body["dry_run"] = True
    client = access.client()
    answer = client.act(flow, body)
    click.echo(answer["text"])
    show_touches(answer)
    for name, words in (answer.get("names") or {}).items():
        if words:
            click.echo(f"{name}: {shlex.join(words)}")
    if given["wait"] and not given["dry_run"]:
        show_outcome(client, flow, answer, given["timeout"], what=f"the {verb} of {flow}")
