"""`srm metrics`: the Spark process in the foreground, and the jobs it runs."""

from pathlib import Path

import click

from replication.domain.reporting.history_export import EXPORTED_WIDTHS, history_uri
from srm_cli.help_text import CommandGroup
from srm_cli.machine.home import home_folder
from srm_cli.machine.jars import ensure_jars
from srm_cli.system import commands
from srm_cli.system.foreground import replace_process
from srm_cli.system.properties import ensure_metrics_targets

_TARGETS_FILE = click.option(
    "--targets-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="JSON list of clusters.  [default: SRM_HOME/metrics/targets.json]",
)

_JARS = click.option(
    "--jars",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="SRM_METRICS_JARS",
    help="Folder of the connector's jars, which are then not fetched.  [default: SRM_HOME/jars/spark]",
)


@click.group("metrics", cls=CommandGroup, invoke_without_command=True)
@_TARGETS_FILE
@_JARS
@click.pass_context
def command(context: click.Context, targets_file: Path | None, jars: Path | None) -> None:
    """Run the metrics process, which aggregates raw metrics of the target clusters into the store.

    \b
    Examples:
      srm metrics --targets-file /etc/srm/targets.json
      srm metrics run --target eu-central
      srm metrics backfill --target eu-central --from 2026-11-21T05:00Z --to 2026-11-21T07:00Z
      srm metrics export --from 2026-11-21T00:00Z --to 2026-11-22T00:00Z --uri /data/history
      srm metrics jobs
    """
    if context.invoked_subcommand is None:
        _run_metrics(targets_file, jars, ())


@command.command("run")
@_TARGETS_FILE
@_JARS
@click.option("--target", "targets", multiple=True, metavar="ALIAS", help="Only this target; may be repeated.")
def run(targets_file: Path | None, jars: Path | None, targets: tuple[str, ...]) -> None:
    """Aggregate the raw metrics of all targets, or of the named ones, until SIGTERM.

    \b
    Example:
      srm metrics run --target eu-central --target us-east
    """
    _run_metrics(targets_file, jars, targets)


@command.command("backfill")
@click.option("--target", required=True, metavar="ALIAS", help="The target cluster whose tiles are recomputed.")
@click.option("--from", "from_time", required=True, metavar="TIME", help="2026-11-21T05:00Z or epoch ms.")
@click.option("--to", "to_time", required=True, metavar="TIME", help="End of the range; whole hours are replaced.")
def backfill(target: str, from_time: str, to_time: str) -> None:
    """Recompute the tiles of a time range from raw metrics; the running metrics process replaces them.

    The range consists of whole past hours, at most 31 days of them. Raw metrics must still hold the range: they are
    kept for 24 hours unless their topics say otherwise. The command waits for the job and shows its progress; after
    Ctrl-C the job continues, and `srm metrics jobs` lists and cancels it.

    \b
    Example:
      srm metrics backfill --target eu-central --from 2026-11-21T05:00Z --to 2026-11-21T07:00Z
    """
    _run_module("backfill", "--target", target, "--from", from_time, "--to", to_time)


@command.command("export")
@click.option("--from", "from_time", required=True, metavar="TIME", help="2026-11-21T05:00Z or epoch ms.")
@click.option("--to", "to_time", required=True, metavar="TIME", help="End of the range; whole hours are written.")
@click.option("--uri", required=True, help="Folder of the history: a path, or a URI such as hdfs: or s3a:.")
@click.option("--target", "targets", multiple=True, metavar="ALIAS", help="Only this target; may be repeated.  [all]")
@click.option("--width", "widths", multiple=True, type=click.Choice(EXPORTED_WIDTHS), help="Repeatable.  [1m and 1h]")
def export(from_time: str, to_time: str, uri: str, targets: tuple[str, ...], widths: tuple[str, ...]) -> None:
    """Write closed hours of tiles as Parquet files; the running metrics process writes them.

    An hour is closed a minute or two after its end. Hours that were exported before are replaced, each in one step.
    1m tiles are kept for 48 hours and 1h tiles for 90 days: older hours cannot be exported. The command waits for
    the jobs, one per target, and shows their progress; after Ctrl-C they continue, and `srm metrics jobs` lists and
    cancels them.

    \b
    Exit codes:
      0  all hours are written
      1  a job failed, or the range cannot be exported; no hour is written in part
      2  an option is invalid

    \b
    Examples:
      srm metrics export --from 2026-11-21T00:00Z --to 2026-11-22T00:00Z --uri /data/history
      srm metrics export --from 2026-09-01T00:00Z --to 2026-11-22T00:00Z --uri s3a://bucket/history \\
        --target eu-central --width 1h
    """
    try:
        found = history_uri(uri, str(Path.cwd()))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--uri") from error
    named = (*(("--target", target) for target in targets), *(("--width", width) for width in widths))
    words = (word for pair in named for word in pair)
    _run_module("export", "--from", from_time, "--to", to_time, "--uri", found, *words)


@command.command("jobs")
@click.option(
    "--cancel", type=click.IntRange(1), metavar="ID", help="Cancel this job; a running job ends at its next step."
)
def jobs(cancel: int | None) -> None:
    """List waiting and running jobs, audits included, or cancel one.

    \b
    Examples:
      srm metrics jobs
      srm metrics jobs --cancel 12
    """
    _run_module("jobs", *(() if cancel is None else ("--cancel", str(cancel))))


def _run_module(*words: str) -> None:
    replace_process((*commands.metrics_module(), *words), {"SRM_HOME": str(home_folder().create().path)})


def _run_metrics(targets_file: Path | None, jars: Path | None, targets: tuple[str, ...]) -> None:
    folder = home_folder().create()
    if jars is None:
        ensure_jars(folder.path, "spark", click.echo)
    if targets_file is None:
        ensure_metrics_targets(folder)
    path = (targets_file or folder.metrics_targets).resolve()
    given = () if jars is None else ("--jars", str(jars.resolve()))
    named = tuple(word for target in targets for word in ("--target", target))
    replace_process((*commands.metrics(path), *given, *named), {"SRM_HOME": str(folder.path)})
