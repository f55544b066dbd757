"""`srm metrics`: the Spark process in the foreground, and what can be asked of it."""

from pathlib import Path

import click

from srm_cli.home import state_folder
from srm_cli.jars import ensure_jars
from srm_cli.system import commands
from srm_cli.system.foreground import become

_TARGETS_FILE = click.option(
    "--targets-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="JSON list of clusters.  [default: SRM_HOME/metrics/targets.json]",
)


@click.group("metrics", invoke_without_command=True)
@_TARGETS_FILE
@click.pass_context
def command(context: click.Context, targets_file: Path | None) -> None:
    """Run the metrics process: raw metrics of the target clusters into the store.

    \b
    Examples:
      srm metrics --targets-file /etc/srm/targets.json
      srm metrics run --target eu-central
      srm metrics backfill --target eu-central --from 2026-11-21T05:00Z --to 2026-11-21T07:00Z
      srm metrics jobs
    """
    if context.invoked_subcommand is None:
        _become_metrics(targets_file, ())


@command.command("run")
@_TARGETS_FILE
@click.option("--target", "targets", multiple=True, metavar="ALIAS", help="Only this target; may be repeated.")
def run(targets_file: Path | None, targets: tuple[str, ...]) -> None:
    """Count the raw metrics of all targets, or of those named, until SIGTERM."""
    _become_metrics(targets_file, targets)


@command.command("backfill")
@click.option("--target", required=True, metavar="ALIAS", help="The target cluster whose tiles are counted again.")
@click.option("--from", "from_time", required=True, metavar="TIME", help="2026-11-21T05:00Z or epoch ms.")
@click.option("--to", "to_time", required=True, metavar="TIME", help="The same; whole hours are replaced.")
def backfill(target: str, from_time: str, to_time: str) -> None:
    """Count a time range of raw metrics again; the running metrics process replaces its tiles.

    Whole hours that have passed, the present one not, at most 48 of them and 100,000 tiles at once. Raw metrics must
    still hold the range: they are kept for 24 hours. It waits for the end and says what for; Ctrl-C leaves the job to
    itself, `srm metrics jobs` lists and cancels it.
    """
    _become("backfill", "--target", target, "--from", from_time, "--to", to_time)


@command.command("jobs")
@click.option("--cancel", type=click.IntRange(1), metavar="ID", help="End this one; a running one at its next step.")
def jobs(cancel: int | None) -> None:
    """List the jobs that wait or run, audits as well, or cancel one."""
    _become("jobs", *(() if cancel is None else ("--cancel", str(cancel))))


def _become(*words: str) -> None:
    become((*commands.metrics_module(), *words), {"SRM_HOME": str(state_folder().create().path)})


def _become_metrics(targets_file: Path | None, targets: tuple[str, ...]) -> None:
    folder = state_folder().create()
    ensure_jars(folder.path, "spark", click.echo)
    path = (targets_file or folder.metrics_targets).resolve()
    named = tuple(word for target in targets for word in ("--target", target))
    become((*commands.metrics(path), *named), {"SRM_HOME": str(folder.path)})
