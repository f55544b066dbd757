"""`srm`: runs the system on this machine. Sub-commands are imported on use, so that `--help` is fast."""

import importlib
import os
import sys
from typing import Any

import click

from srm_cli.errors import OperatorError
from srm_cli.machine.secret_files import read_secret_files

_COMMANDS = {
    "up": "start everything and keep it running",
    "demo": "start everything with three local clusters and some traffic",
    "stop": "stop what `srm up` or `srm demo` started",
    "status": "show processes with their state, age and restarts",
    "preflight": "check the clusters of a configuration file and report what would block its flows",
    "doctor": "check this machine and report what is missing",
    "adopt": "take flows over from MirrorMaker 2, or hand them back",
    "dev-clusters": "local Kafka clusters: up, status, stop",
    "driver": "run a driver: one control process and its data processes",
    "service": "run the service process",
    "metrics": "run the metrics process",
    "audit": "prove that a flow's copy holds every record, or report differences",
    "version": "print the version",
}


class CommandTable(click.Group):
    """A static table of sub-commands; imports `srm_cli.commands.<name>` only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"srm_cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:  # click's own return type
        try:
            return super().invoke(ctx)
        except OperatorError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(error.exit_code)


@click.command(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"]})
def srm() -> None:
    """Streams Replication Manager on this machine.

    State lives in one folder: SRM_HOME, by default .srm in the current folder.

    \b
    Examples:
      srm doctor                        what this machine lacks
      srm demo                          three clusters with flows and traffic
      srm up --config mm2.properties    your own clusters
    """
    read_secret_files(os.environ)
