"""The metrics process: one Spark session, one query per target cluster, roll-up beside them."""

import logging
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

import click
import structlog
from pyspark.sql import SparkSession

from metrics.errors import MetricsConfigError
from metrics.export.export_schedule import ExportSchedule
from metrics.export.export_spec import ExportSpec
from metrics.gc_tuning import collect_rarely
from metrics.home import default_store, state_home
from metrics.jobs.job_commands import backfill, export, jobs
from metrics.jobs.kinds import job_kinds
from metrics.jobs.runner import JobRunner
from metrics.loops import ThreadLoop
from metrics.maintenance import Maintenance
from metrics.reporting.spark_status import SparkStatus
from metrics.session import close_session, is_submitted, jar_paths, open_session, own_scratch, session_is_alive
from metrics.store.address import check_store_url, connect
from metrics.stream.aggregate import warm_up
from metrics.stream.fleet import Fleet
from metrics.stream.supervisor import TargetSupervisor
from metrics.stream.target_query import QuerySettings
from metrics.stream.targets import Clusters, MetricsTarget, TargetsFile, read_clusters
from replication.domain.reporting.history_export import EXPORTED_WIDTHS, history_uri, parse_widths
from replication.domain.reporting.tile_retention import TileRetention, parse_retention

log = structlog.get_logger()

_JOIN_S = 6.0
_REFRESH_S = 2.0
_EXIT_CONFIG = 2
_EXIT_SPARK_GONE = 70
# Each batch has a fixed price, so many targets on one small machine share a slower beat.
_TRIGGER_BY_TARGETS = ((10, 5_000), (3, 2_000), (1, 1_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of the command line."""

    home: Path
    targets_file: Path
    only: tuple[str, ...]
    store_url: str
    jars: Path
    checkpoints: str
    trigger_ms: int | None
    max_offsets: int | None
    spark_ui_port: int | None
    retention: TileRetention
    exported: ExportSpec | None


@click.group()
def metrics() -> None:
    """Count raw metrics into tiles with Spark."""


@metrics.command()
@click.option("--targets-file", type=click.Path(path_type=Path), required=True, help="JSON list of target clusters.")
@click.option("--target", "only", multiple=True, metavar="ALIAS", help="Only this target; may be repeated.")
@click.option("--store", metavar="URL", help="Default: SRM_METRICS_DATABASE_URL, else an SQLite file in SRM_HOME.")
@click.option("--jars", type=click.Path(path_type=Path), help="Folder of the connector's jars [SRM_HOME/jars/spark].")
@click.option("--checkpoints", metavar="URI", help="Spark's throw-away checkpoints [SRM_HOME/metrics/checkpoints].")
@click.option("--trigger-ms", type=click.IntRange(100, 60_000), help="Batch interval [1 s; 2 s from 3, 5 s from 10].")
@click.option("--max-offsets", type=click.IntRange(1), help="Raw records per batch and target [by what they hold].")
@click.option(
    "--spark-ui-port",
    type=click.IntRange(1, 65_535),
    envvar="SRM_SPARK_UI_PORT",
    help="Serve Spark's UI at this port of 127.0.0.1 [off].",
)
def run(
    targets_file: Path,
    only: tuple[str, ...],
    store: str | None,
    jars: Path | None,
    checkpoints: str | None,
    trigger_ms: int | None,
    max_offsets: int | None,
    spark_ui_port: int | None,
) -> None:
    """Run until SIGTERM.

    \b
    Example:
      python -m metrics run --targets-file .srm/metrics/targets.json
    """
    home = state_home()
    options = RunOptions(
        home=home,
        targets_file=targets_file,
        only=only,
        store_url=store or default_store(home),
        jars=jars or home / "jars" / "spark",
        checkpoints=checkpoints or str(home / "metrics" / "checkpoints"),
        trigger_ms=trigger_ms,
        max_offsets=max_offsets,
        spark_ui_port=spark_ui_port,
        retention=_retention(),
        exported=exported_from(os.environ, str(home)),
    )
    _configure_log()
    sys.exit(_checked_run(options))


def _checked_run(options: RunOptions) -> int:
    """The exit code, once it is certain that the process can start."""
    file = TargetsFile(options.targets_file, options.only)
    try:
        clusters = file.changed() or read_clusters(options.targets_file, options.only)
        check_store_url(options.store_url)
        if not is_submitted():  # else they are in the cluster's image or on the command line of spark-submit
            jar_paths(options.jars)
    except MetricsConfigError as error:
        click.echo(f"Error: {error}", err=True)
        return _EXIT_CONFIG
    return _run(options, file, clusters)


metrics.add_command(backfill)
metrics.add_command(export)
metrics.add_command(jobs)


def _run(options: RunOptions, file: TargetsFile, clusters: Clusters) -> int:
    _on_signals(lambda: sys.exit(0))  # nothing is being counted yet, and the JVM ends with its standard input
    log.info("starting Spark", targets=list(clusters.counted))
    scratch = own_scratch(options.home / "metrics" / "spark")
    spark = open_session(jars=options.jars, scratch=scratch, ui_port=options.spark_ui_port)
    warm_up(spark)
    collect_rarely()
    stop = Event()
    _on_signals(stop.set)
    alive = _count(spark, options, file, clusters, stop)
    close_session(spark)
    shutil.rmtree(scratch, ignore_errors=True)
    log.info("metrics stopped")
    return 0 if alive else _EXIT_SPARK_GONE


def _count(spark: SparkSession, options: RunOptions, file: TargetsFile, clusters: Clusters, stop: Event) -> bool:
    """Queries, roll-up and jobs until asked to stop; False when Spark has died."""
    settings = QuerySettings(
        store_url=options.store_url,
        checkpoints=options.checkpoints,
        owner=f"{socket.gethostname()}:{os.getpid()}",
        trigger_ms=_trigger_of(options, clusters),
        max_offsets=options.max_offsets,
    )
    log.info("Spark is up", version=spark.version, trigger_ms=settings.trigger_ms, ui=spark.sparkContext.uiWebUrl)
    if not clusters.counted:
        log.info("waiting for the first target", targets_file=str(options.targets_file))

    status = SparkStatus(spark)

    def supervised(target: MetricsTarget, target_stop: Event) -> TargetSupervisor:
        own = replace(settings, trigger_ms=_trigger_of(options, fleet.clusters))
        return TargetSupervisor(spark, target, own, status, target_stop, _now_ms)

    fleet = Fleet(file, clusters, supervised)
    fleet.follow(clusters)
    workers = _workers(spark, options, settings.owner, fleet, stop)
    for worker in workers:
        worker.start()
    alive = _wait(spark, stop, fleet)
    stop.set()
    fleet.stop()
    deadline_s = time.monotonic() + _JOIN_S
    fleet.join(max(0.0, deadline_s - time.monotonic()))
    for worker in workers:
        worker.join(max(0.0, deadline_s - time.monotonic()))
    return alive


def _workers(spark: SparkSession, options: RunOptions, owner: str, fleet: Fleet, stop: Event) -> list[ThreadLoop]:
    """The loops beside the queries: roll-up and retention, jobs, and the scheduled export if one is set."""
    maintenance = Maintenance(options.store_url, lambda: fleet.aliases, stop, _now_ms, options.retention)
    runner = JobRunner(
        spark,
        job_kinds(options.store_url, options.retention),
        lambda: (fleet.clusters.known, fleet.aliases),
        options.store_url,
        owner,
        stop,
        _now_ms,
    )
    return [maintenance, runner, *_export_schedule(options, fleet, stop)]


def _export_schedule(options: RunOptions, fleet: Fleet, stop: Event) -> tuple[ExportSchedule, ...]:
    if options.exported is None:
        return ()
    return (ExportSchedule(options.exported, lambda: fleet.aliases, lambda: connect(options.store_url), stop, _now_ms),)


def _on_signals(act: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: act())


def _trigger_of(options: RunOptions, clusters: Clusters) -> int:
    return options.trigger_ms or trigger_for(len(clusters.counted))


def trigger_for(targets: int) -> int:
    """The batch interval in ms for this many queries in one session."""
    return next(trigger_ms for least, trigger_ms in _TRIGGER_BY_TARGETS if max(1, targets) >= least)


def _wait(spark: SparkSession, stop: Event, fleet: Fleet) -> bool:
    """Until asked to stop; False when Spark has died, from which only a new process recovers."""
    refreshed_s = time.monotonic()
    while not stop.wait(0.5):
        if not session_is_alive(spark):
            log.error("Spark's JVM has ended, so this process ends too: its supervisor starts a new one")
            return False
        if time.monotonic() - refreshed_s >= _REFRESH_S:
            fleet.refresh()
            refreshed_s = time.monotonic()
    return True


def _retention() -> TileRetention:
    try:
        return parse_retention(os.environ.get("SRM_METRICS_RETENTION", ""))
    except ValueError as error:
        raise click.UsageError(f"SRM_METRICS_RETENTION: {error}") from error


def exported_from(environment: Mapping[str, str], folder: str) -> ExportSpec | None:
    """The scheduled export, or None when no URI is set."""
    uri, widths = environment.get("SRM_METRICS_EXPORT_URI"), environment.get("SRM_METRICS_EXPORT_WIDTHS")
    if not uri:
        return None
    try:
        return ExportSpec(uri=history_uri(uri, folder), widths=parse_widths(widths or ",".join(EXPORTED_WIDTHS)))
    except ValueError as error:
        raise click.UsageError(f"SRM_METRICS_EXPORT_URI, SRM_METRICS_EXPORT_WIDTHS: {error}") from error


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _configure_log() -> None:
    level = logging.getLevelNamesMapping().get(os.environ.get("SRM_LOG_LEVEL", "INFO").upper(), logging.INFO)
    for_people = sys.stderr.isatty()
    renderer = structlog.dev.ConsoleRenderer(colors=False) if for_people else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
    )
