"""`srm-control`: talks REST to a service, from anywhere."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from srm_cli.errors import OperatorError
from srm_cli.release import version
from srm_cli.service_access import read_password, service_options


class _ShowsOperatorErrors(click.Group):
    def invoke(self, ctx: click.Context) -> Any:  # click's own return type
        try:
            return super().invoke(ctx)
        except OperatorError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(1)


@click.group(cls=_ShowsOperatorErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="srm-control")
@service_options
@click.pass_context
def srm_control(ctx: click.Context, url: str, user: str, password_file: Path | None) -> None:
    """Ask and steer a replication service over REST.

    \b
    Examples:
      srm-control flows list
      srm-control --url http://srm.example:6670 --user viewer --password-file ~/.srm-password flows list -o json
    """
    ctx.obj = (url, user, password_file)


@srm_control.group("flows")
def flows() -> None:
    """Replication flows."""


@flows.command("list")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.pass_obj
def list_flows(access: tuple[str, str, Path | None], output: str) -> None:
    """All flows with status, rate and lag.

    \b
    Example:
      srm-control flows list -o json
    """
    from srm_cli.rest import ServiceClient  # httpx takes a while to load; --help does without

    url, user, password_file = access
    items = ServiceClient(url, user, read_password(password_file)).replications()
    if output == "json":
        click.echo(json.dumps(items, indent=1))
        return
    click.echo(f"{'FLOW':<36} {'STATUS':<12} {'RECORDS/S':>10} {'LAG':>10}  REASON")
    for flow in items:
        click.echo(_row(flow))


def _row(flow: dict[str, Any]) -> str:
    from srm_cli.rest import latest

    name = f"{flow['source']}->{flow['target']}"
    rate, lag = latest(flow, "records_per_second"), latest(flow, "lag_offsets")
    shown = ["-" if value is None else f"{value:,.0f}" for value in (rate, lag)]
    return f"{name:<36} {flow['status']:<12} {shown[0]:>10} {shown[1]:>10}  {flow.get('reason') or ''}"
