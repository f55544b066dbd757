"""The Spark plan of an export: slices are read from the store in Arrow tasks and written as one file per hour."""

import re
from functools import partial

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from metrics.errors import JobError, MetricsError, StoreUnavailableError
from metrics.export.columns import HistoryTable
from metrics.export.hadoop_files import java_message
from metrics.export.slice_task import SliceTask, read_slices
from metrics.stream.stages import map_arrow, shards_of

# Row groups and sort buffers of a few tasks must fit beside the streams.
_FILES: dict[str, str | int] = {"compression": "zstd", "parquet.block.size": 32 << 20, "maxRecordsPerFile": 0}
_STORE_ERROR = re.compile(r"metrics\.errors\.(?:StoreUnavailableError|TablesMissingError): (.*)")
_DAY_AND_HOUR = ("day", "hour")


def export_session(spark: SparkSession) -> SparkSession:
    """A separate session in the same process: settings of an export do not reach the streams."""
    session = spark.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    return session


def write_staged(session: SparkSession, task: SliceTask, folder: str) -> dict[tuple[str, str], int]:
    """Write the hours of a table below a folder; the number of rows by day and hour.

    All rows of an hour reach one task, which writes one file: sorted, so that readers skip what they do not ask for.
    """
    rows = _rows(session, task).repartition(len(task.hours), *_DAY_AND_HOUR)
    names = [column.name for column in task.table.columns if not column.sql_type.startswith("MAP")]
    order = [*_DAY_AND_HOUR, *names[: names.index("time") + 1]]
    writer = rows.sortWithinPartitions(*order).write.partitionBy(*_DAY_AND_HOUR)
    try:
        writer.options(**_FILES).parquet(folder)
        return _written(session, task.table, folder)
    except (PySparkException, Py4JJavaError) as error:
        raise _failure(error, folder) from error


def _failure(error: Exception, folder: str) -> MetricsError:
    """The reason in one line: Spark's own text names the stage first."""
    found = _STORE_ERROR.search(str(error))
    if found is not None:
        return StoreUnavailableError(found[1].strip())
    reason = java_message(error) if isinstance(error, Py4JJavaError) else str(error).splitlines()[0]
    return JobError(f"cannot write {folder}: {reason}")


def _rows(session: SparkSession, task: SliceTask) -> DataFrame:
    tasks = min(len(task), 4 * shards_of(session))
    slices = session.range(0, len(task), 1, max(1, tasks))
    return map_arrow(slices, partial(read_slices, task), task.table.ddl)


def _written(session: SparkSession, table: HistoryTable, folder: str) -> dict[tuple[str, str], int]:
    frame = session.read.schema(table.ddl).parquet(folder)
    counted = frame.groupBy(*_DAY_AND_HOUR).agg(F.count(F.lit(1)).alias("rows"))
    return {(str(day), str(hour)): int(rows) for day, hour, rows in counted.collect()}
