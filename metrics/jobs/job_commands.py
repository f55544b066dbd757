"""Batch jobs by hand: asked for, listed and cancelled. The running metrics process does them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from metrics.errors import JobError, MetricsError
from metrics.export.export_spec import ExportSpec
from metrics.home import default_store, state_home
from metrics.jobs.request import check_backfill, check_export, run_request
from metrics.store.address import connect
from metrics.store.job_queue import JobQueue
from metrics.time_format import epoch_ms
from replication.domain.reporting.history_export import EXPORTED_WIDTHS, history_uri, parse_widths
from replication.domain.reporting.metric_defs import TileWidth

_STORE = click.option("--store", metavar="URL", help="As for `run`.")


@click.command()
@click.option("--target", required=True, metavar="ALIAS", help="The target cluster whose tiles are counted again.")
@click.option("--from", "from_time", required=True, metavar="TIME", help="2026-11-21T05:00Z or epoch ms.")
@click.option("--to", "to_time", required=True, metavar="TIME", help="The same; whole hours are replaced.")
@_STORE
@click.option("--wait/--no-wait", default=True, show_default=True, help="Until the job has ended.")
def backfill(target: str, from_time: str, to_time: str, store: str | None, wait: bool) -> None:
    """Count a time range of raw metrics again and replace its tiles; the running metrics process does it.

    Whole hours that have passed, the present one not, at most 31 days of them. Raw metrics must still hold the range:
    they are kept for 24 hours. Ctrl-C leaves the job to itself.

    \b
    Example:
      python -m metrics backfill --target eu --from 2026-11-21T05:00Z --to 2026-11-21T07:00Z
    """
    try:
        spec = {"from_ms": epoch_ms(from_time), "to_ms": epoch_ms(to_time)}
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    url = store or default_store(state_home())
    with _errors_as_one_line():
        check_backfill(target, spec, url)
        sys.exit(run_request("backfill", target, spec, url, wait=wait, say=click.echo))


@click.command()
@click.option("--from", "from_time", required=True, metavar="TIME", help="2026-11-21T05:00Z or epoch ms.")
@click.option("--to", "to_time", required=True, metavar="TIME", help="The same; whole hours are written.")
@click.option("--uri", required=True, help="The folder of the history: a path, file:, hdfs:, s3a: ...")
@click.option("--target", "targets", multiple=True, metavar="ALIAS", help="Only this target; may be repeated.  [all]")
@click.option("--width", "widths", multiple=True, type=click.Choice(EXPORTED_WIDTHS), help="Repeatable.  [1m and 1h]")
@_STORE
@click.option("--wait/--no-wait", default=True, show_default=True, help="Until the jobs have ended.")
def export(
    from_time: str,
    to_time: str,
    uri: str,
    targets: tuple[str, ...],
    widths: tuple[TileWidth, ...],
    store: str | None,
    wait: bool,
) -> None:
    """Write closed hours of tiles as Parquet; the running metrics process does it.

    Hours that were exported before are replaced. Ctrl-C leaves the jobs to themselves.

    \b
    Example:
      python -m metrics export --from 2026-11-21T00:00Z --to 2026-11-22T00:00Z --uri s3a://bucket/history
    """
    try:
        spec = ExportSpec(
            uri=history_uri(uri, str(Path.cwd())),
            widths=parse_widths(",".join(widths or EXPORTED_WIDTHS)),
            wanted=(epoch_ms(from_time), epoch_ms(to_time)),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    url = store or default_store(state_home())
    with _errors_as_one_line():
        found = check_export(targets, spec, url)
        codes = [run_request("export", each, spec.to_json(), url, wait=wait, say=click.echo) for each in found]
        sys.exit(max(codes))


@click.command()
@_STORE
@click.option("--cancel", type=click.IntRange(1), metavar="ID", help="End this one; a running one at its next step.")
def jobs(store: str | None, cancel: int | None) -> None:
    """List the jobs that wait or run, audits as well, or cancel one.

    \b
    Example:
      python -m metrics jobs --cancel 12
    """
    with _errors_as_one_line():
        connection = connect(store or default_store(state_home()))
        try:
            code = _list(JobQueue(connection)) if cancel is None else _cancel(JobQueue(connection), cancel)
        finally:
            connection.close()
    sys.exit(code)


def _list(queue: JobQueue) -> int:
    for job in queue.open_jobs():
        click.echo(f"{job.job_id:>6}  {job.kind:<9} {job.target:<20} {job.said}")
    return 0


def _cancel(queue: JobQueue, job_id: int) -> int:
    if not queue.cancel(job_id):
        raise JobError(f"no job {job_id} waits or runs: there is nothing to cancel")
    click.echo(f"job {job_id} is cancelled")
    return 0


@contextmanager
def _errors_as_one_line() -> Iterator[None]:
    try:
        yield
    except MetricsError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
