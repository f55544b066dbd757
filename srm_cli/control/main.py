"""`srm-control`: the command-line client of the service's REST API, and of control topics without a service."""

import sys
from pathlib import Path
from typing import Any

import click

from replication.config.release import version
from srm_cli.control.clusters import clusters
from srm_cli.control.config import config
from srm_cli.control.contexts import contexts, read_context
from srm_cli.control.document.commands import apply, diff, export
from srm_cli.control.drivers import drivers
from srm_cli.control.flows import flows, orders
from srm_cli.control.groups.commands import groups
from srm_cli.control.groups.offsets import offsets
from srm_cli.control.people import tokens, trail, users
from srm_cli.control.reads.finding import search, topology
from srm_cli.control.reads.gaps import gaps
from srm_cli.control.reads.record import record
from srm_cli.control.records import events, get
from srm_cli.control.remote.services import services
from srm_cli.control.topics import reverse_checkpointed_topics, topics
from srm_cli.errors import OperatorError, UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.service.access import ServiceAccess, default_url

_COMMANDS = (
    topics,
    groups,
    offsets,
    reverse_checkpointed_topics,
    clusters,
    flows,
    orders,
    drivers,
    services,
    config,
    users,
    tokens,
    trail,
    events,
    record,
    gaps,
    search,
    topology,
    get,
    apply,
    diff,
    export,
    contexts,
)


class _OperatorErrorGroup(CommandGroup):
    def invoke(self, ctx: click.Context) -> Any:  # click's own return type
        try:
            return super().invoke(ctx)
        except OperatorError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(error.exit_code)


@click.group(cls=_OperatorErrorGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="srm-control")
@click.option("--context", envvar="SRM_CONTEXT", metavar="NAME", help="A stored service; see `srm-control contexts`.")
@click.option("--url", envvar="SRM_URL", help="URL of the service.  [default: the context's, or http://localhost:6670]")
@click.option("--user", envvar="SRM_USER", help="User name.  [default: the context's, or admin]")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="SRM_PASSWORD_FILE",
    help="File with the password.  [default: the context's, or SRM_HOME/admin-password]",
)
@click.option(
    "--token-file",
    type=click.File("r"),
    envvar="SRM_TOKEN_FILE",
    help="File with an API token, which replaces user and password.",
)
@click.pass_context
def srm_control(
    ctx: click.Context,
    context: str | None,
    url: str | None,
    user: str | None,
    password_file: Path | None,
    token_file: Any,
) -> None:
    """Query and control a replication service over REST, or allow lists without a service.

    Exit codes: 0 ok, 1 refused, 2 usage, 3 not found, 4 rights, 5 service, 6 time-out.

    \b
    Examples:
      srm-control topics --source us-east --target eu-central --add 'orders.*'
      srm-control flows list
      srm-control flows throttle 'us-east->eu-central' 10MB
      srm-control topics hold 'us-east->eu-central' --topic orders --reason 'consumer repair'
      srm-control --url http://srm.example:6670 --user viewer --password-file ~/.srm-password flows list -o json
    """
    if ctx.invoked_subcommand == contexts.name:
        return
    stored = read_context(context)
    has_login = bool(user or password_file)
    stored_file = stored.get("password_file")
    ctx.obj = ServiceAccess(
        url=url or stored.get("url") or default_url(),
        user=user or stored.get("user") or "admin",
        password_file=password_file or (Path(stored_file) if stored_file and not user else None),
        token=_token(token_file) if token_file else None if has_login else stored.get("token"),
    )


def _token(file: Any) -> str:
    try:
        token = str(file.read()).strip()
    except UnicodeDecodeError:
        token = ""
    if not (token.isascii() and token.isprintable() and token):
        raise UsageError(
            f"{file.name} holds no token: write the token into it, as `srm-control tokens create` shows it"
        )
    return token


for _command in _COMMANDS:
    srm_control.add_command(_command)
