"""`srm-control flows`: list, pause, resume and throttle flows."""

import json
from typing import Any

import click

from srm_cli.control.values import read_rate, read_time_ms
from srm_cli.service.access import ServiceAccess

_REASON = "ordered with srm-control"
_FLOW = click.argument("flow", metavar="SOURCE->TARGET")
_reason = click.option("--reason", default=_REASON, show_default=True, help="Shown with the flow.")


@click.group("flows")
def flows() -> None:
    """List, pause, resume and throttle replication flows."""


@flows.command("list")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.pass_obj
def list_flows(access: ServiceAccess, output: str) -> None:
    """List all flows with status, rate and lag.

    \b
    Example:
      srm-control flows list -o json
    """
    items = access.client().replications()
    if output == "json":
        click.echo(json.dumps(items, indent=1))
        return
    click.echo(f"{'FLOW':<36} {'STATUS':<12} {'RECORDS/S':>10} {'LAG':>10}  REASON")
    for flow in items:
        click.echo(_row(flow))


@flows.command("pause")
@_FLOW
@_reason
@click.option(
    "--until", metavar="TIME", help="Resume automatically at this ISO time (UTC) or epoch ms.  [default: never]"
)
@click.pass_obj
def pause(access: ServiceAccess, flow: str, reason: str, until: str | None) -> None:
    """Stop copying and keep the position; heartbeats continue.

    \b
    Examples:
      srm-control flows pause 'us-east->eu-central' --reason 'broker upgrade'
      srm-control flows pause 'us-east->eu-central' --until 2026-01-31T18:00:00Z
    """
    click.echo(access.client().act(flow, "pause", reason=reason, until_ms=read_time_ms(until)))


@flows.command("resume")
@_FLOW
@_reason
@click.pass_obj
def resume(access: ServiceAccess, flow: str, reason: str) -> None:
    """Continue copying where a paused flow stopped.

    \b
    Example:
      srm-control flows resume 'us-east->eu-central'
    """
    click.echo(access.client().act(flow, "resume", reason=reason))


@flows.command("throttle")
@_FLOW
@click.argument("rate", metavar="RATE|off")
@click.pass_obj
def throttle(access: ServiceAccess, flow: str, rate: str) -> None:
    """Limit the bytes per second that a flow reads; `off` removes the limit.

    kB, MB and GB are powers of 1000, KiB, MiB and GiB of 1024. After `off`, only the limits in the flow's
    settings (srm.throttle.rate, srm.throttle.schedule) apply.

    \b
    Examples:
      srm-control flows throttle 'us-east->eu-central' 10MB
      srm-control flows throttle 'us-east->eu-central' off
    """
    bytes_per_second = read_rate(rate)
    access.client().throttle(flow, bytes_per_second)
    limit = "has no throttle" if bytes_per_second is None else f"reads at most {bytes_per_second:,} bytes per second"
    click.echo(f"{flow} {limit}")


def _row(flow: dict[str, Any]) -> str:
    from srm_cli.service.rest import latest

    name = f"{flow['source']}->{flow['target']}"
    rate, lag = latest(flow, "records_per_second"), latest(flow, "lag_offsets")
    shown = ["-" if value is None else f"{value:,.0f}" for value in (rate, lag)]
    return f"{name:<36} {flow['status']:<12} {shown[0]:>10} {shown[1]:>10}  {flow.get('reason') or ''}"
