"""`srm-control`: the command-line client of the service's REST API."""

import sys
from pathlib import Path
from typing import Any

import click

from srm_cli.control.flows import flows
from srm_cli.control.topics import topics
from srm_cli.errors import OperatorError
from srm_cli.machine.release import version
from srm_cli.service.access import ServiceAccess, service_options


class _OperatorErrorGroup(click.Group):
    def invoke(self, ctx: click.Context) -> Any:  # click's own return type
        try:
            return super().invoke(ctx)
        except OperatorError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(error.exit_code)


@click.group(cls=_OperatorErrorGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="srm-control")
@service_options
@click.pass_context
def srm_control(ctx: click.Context, url: str, user: str, password_file: Path | None) -> None:
    """Query and control a replication service over REST.

    \b
    Examples:
      srm-control flows list
      srm-control flows throttle 'us-east->eu-central' 10MB
      srm-control topics hold 'us-east->eu-central' --topic orders --reason 'consumer repair'
      srm-control --url http://srm.example:6670 --user viewer --password-file ~/.srm-password flows list -o json
    """
    ctx.obj = ServiceAccess(url, user, password_file)


srm_control.add_command(flows)
srm_control.add_command(topics)
