"""The one Spark session of the process: local by default, that of spark-submit when started by it."""

import contextlib
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from metrics.errors import MetricsConfigError

JARS = (
    "spark-sql-kafka-0-10_2.13-4.0.3.jar",
    "spark-token-provider-kafka-0-10_2.13-4.0.0.jar",
    "kafka-clients-3.9.1.jar",
    "commons-pool2-2.12.0.jar",
)

_JVM_EXIT_S = 3.0
_PARENT = os.getppid()
# The ceiling is what keeps the whole process under 1.2 GB; a smaller heap than 512m is refused by Spark.
_DRIVER_MEMORY = "768m"
_JVM_OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:MaxMetaspaceSize=256m",
    "-XX:ReservedCodeCacheSize=96m",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-UsePerfData",  # else a file in the system's temporary folder outlives a kill
)

_LOCAL_CONFS = {
    "spark.master": "local[2]",
    "spark.driver.memory": _DRIVER_MEMORY,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.default.parallelism": "2",
    "spark.sql.shuffle.partitions": "1",
    "spark.cleaner.periodicGC.interval": "10min",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedTasks": "5000",  # Spark's own 100,000 are kept without the UI too
    # On local files Spark's default starts ten processes per checkpoint file (stat, readlink, chmod) and writes a
    # second file with checksums. These two start one process (chmod) and rename a complete file into place.
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager"
    ),
}

# Hold wherever the session comes from.
_COMMON_CONFS = {
    "spark.scheduler.mode": "FAIR",  # jobs have a pool of their own: the stream does not wait for a backfill
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.adaptive.enabled": "false",
    # Beyond 128 groups Spark would sort instead of hash; a batch is bounded, so its groups fit.
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "10000000",
    # Call sites for error messages cost more than the whole plan of a small batch.
    "spark.sql.dataFrameQueryContext.enabled": "false",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.numRecentProgressUpdates": "120",
    "spark.sql.streaming.stopTimeout": "8s",
}

# Warnings are kept: a shrunk topic leaves no other trace in Spark. A dead broker would fill the log.
_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z'}{UTC} %p %c{1}: %m%n%ex{4}
logger.network.name = org.apache.kafka.clients.NetworkClient
logger.network.level = error
logger.strings.name = org.apache.spark.sql.catalyst.util.SparkStringUtils
logger.strings.level = error
logger.conf.name = org.apache.spark.SparkConf
logger.conf.level = error
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
logger.resolve.name = org.apache.spark.sql.execution.streaming.ResolveWriteToStream
logger.resolve.level = error
logger.admin.name = org.apache.kafka.clients.admin.AdminClientConfig
logger.admin.level = error
# The supervisor says in one line why a query ended.
logger.query.name = org.apache.spark.sql.execution.streaming.MicroBatchExecution
logger.query.level = off
# Said once per query or per slow batch, and nothing an operator can act on.
logger.pools.name = org.apache.spark.scheduler.FairSchedulableBuilder
logger.pools.level = error
logger.jobs.name = org.apache.spark.scheduler.DAGScheduler
logger.jobs.level = error
logger.trigger.name = org.apache.spark.sql.execution.streaming.ProcessingTimeExecutor
logger.trigger.level = error
logger.consumer.name = org.apache.kafka.clients.consumer.ConsumerConfig
logger.consumer.level = error
# It warns of a group that is named, and is right where readers subscribe; backfills assign partitions.
logger.kafkaSource.name = org.apache.spark.sql.kafka010.KafkaSourceProvider
logger.kafkaSource.level = error
logger.kafkaConsumer.name = org.apache.spark.sql.kafka010.KafkaDataConsumer
logger.kafkaConsumer.level = error
"""


def jar_paths(folder: Path) -> list[Path]:
    """The connector's archives. MetricsConfigError names the first one missing and what fetches it."""
    paths = [folder / name for name in JARS]
    for path in paths:
        if not path.is_file():
            raise MetricsConfigError(f"{path} is missing: run `srm doctor --fix`, which fetches it")
    return paths


def own_scratch(base: Path) -> Path:
    """A folder for this process alone. What killed processes have left behind is deleted; it is worth nothing."""
    for folder in base.glob("*"):
        if folder.name.isdigit() and not Path("/proc", folder.name).exists():
            shutil.rmtree(folder, ignore_errors=True)
    scratch = base.absolute() / str(os.getpid())
    shutil.rmtree(scratch, ignore_errors=True)
    return scratch


def open_session(
    *, jars: Path | None, scratch: Path, app_name: str = "srm-metrics", ui_port: int | None = None
) -> SparkSession:
    """Start the session; blocks for some seconds. `jars` None: without Kafka, or the cluster's image has them.

    `ui_port` switches Spark's UI on in local mode, at the address in `SPARK_LOCAL_IP`: loopback unless that is set.
    """
    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # it reports what our callers report better
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if not (is_submitted() and os.environ.get("PYSPARK_PYTHON")):  # executors may have theirs elsewhere
        os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName(app_name)
    confs = dict(_COMMON_CONFS)
    if not is_submitted():  # else spark-submit has already said where and how large
        scratch.mkdir(parents=True, exist_ok=True)
        log4j = scratch / "log4j2.properties"
        log4j.write_text(_LOG4J, encoding="utf-8")
        confs |= _LOCAL_CONFS
        if ui_port is not None:
            confs |= {"spark.ui.enabled": "true", "spark.ui.port": str(ui_port)}
        folders = (f'"-Djava.io.tmpdir={scratch}"', f"-Dlog4j2.configurationFile={log4j.as_uri()}")
        confs["spark.driver.extraJavaOptions"] = " ".join((*_JVM_OPTIONS, *folders))
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        _lead_workers_to_this_package()
        confs["spark.local.dir"] = str(scratch / "spark-tmp")
        confs["spark.sql.warehouse.dir"] = str(scratch / "warehouse")
        if jars is not None:
            confs["spark.jars"] = ",".join(str(path) for path in jar_paths(jars))
    for key, value in confs.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _lead_workers_to_this_package() -> None:
    """Spark's Python workers import `metrics` too, from wherever this process has it."""
    root = str(Path(__file__).parents[1])
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if root not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join((root, *paths))


def is_submitted() -> bool:
    """Return True if spark-submit has started this process; its JVM is our parent then."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def session_is_alive(spark: SparkSession) -> bool:
    """Return True if the JVM still runs; that of spark-submit is our parent, and does not take us with it."""
    process = _jvm_process(spark)
    return os.getppid() == _PARENT if process is None else process.poll() is None


def close_session(spark: SparkSession) -> None:
    """Stop Spark and its JVM, by force when it does not go within three seconds."""
    process = _jvm_process(spark)
    gateway: Any = spark.sparkContext._gateway
    with contextlib.suppress(Exception):  # the JVM may have died before us
        spark.stop()
    if process is None:
        return
    with contextlib.suppress(Exception):
        gateway.shutdown()  # else py4j reports each Python object that outlives the JVM
    if process.stdin is not None:
        process.stdin.close()  # what the JVM ends on
    try:
        process.wait(_JVM_EXIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _jvm_process(spark: SparkSession) -> "subprocess.Popen[bytes] | None":
    process = getattr(spark.sparkContext._gateway, "proc", None)
    return process if isinstance(process, subprocess.Popen) else None
