"""The context of a batch job: everything it may touch, so that a test can hand it all in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from metrics.errors import JobCancelledError
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.stream.targets import MetricsTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class JobContext:
    """One claimed row of `job_request`.

    A job is a callable `(context) -> None`: it returns when done and raises when it failed (a MetricsError's text is
    shown to the operator as it is). It runs in its own thread beside the streams of the same Spark session, and
    another process may run it again from the beginning when this one dies, so what it writes must bear that.
    """

    spark: SparkSession
    store_url: str
    target: MetricsTarget
    targets: Mapping[str, MetricsTarget]  # every cluster known, by alias: the sources as well
    job_id: int
    spec: Mapping[str, Any]  # as the service wrote it; checked by the job
    progress: Callable[[float, str], None]  # how much is done, 0 to 1, and one line for people; cheap to call
    cancelled: Callable[[], bool]  # asked to stop, or another process has taken the job over; cheap to call
    now_ms: Callable[[], int]

    def store(self) -> SharedConnection:
        """Open a connection for this job alone; the job closes it."""
        return connect(self.store_url)

    def check_cancelled(self) -> None:
        """Raise JobCancelledError when the job should end; to be called between steps."""
        if self.cancelled():
            raise JobCancelledError(f"job {self.job_id} was cancelled")
