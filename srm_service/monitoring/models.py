"""Tables of the metrics store: migrated here, written by the metrics process only (docs/contracts/metrics-store.md).

Only `JobRequest` is written by this service. The columns are those of `metrics/schemas.py`; a contract test holds the
two together. Series ids are plain numbers, not foreign keys: the writer removes series and tiles in its own order.
"""

from django.db import models

from replication.domain.reporting.query_figures import QUERY_FIGURES
from srm_service.monitoring.audit_models import AuditFinding, AuditProven, AuditRun
from srm_service.monitoring.backfill_models import Backfill, BackfillCovered, BackfillNow, BackfillTile
from srm_service.monitoring.series_models import SeriesRange, SeriesReport
from srm_service.monitoring.staged_models import StagedAttempt, StagedCovered, StagedNow, StagedTile
from srm_service.monitoring.tile_models import GAUGE_WIDTHS, LEVEL_WIDTHS, Gauge, Tile

__all__ = [
    "GAUGE_WIDTHS",
    "LEVEL_WIDTHS",
    "AuditFinding",
    "AuditProven",
    "AuditRun",
    "Backfill",
    "BackfillCovered",
    "BackfillNow",
    "BackfillTile",
    "BadRecord",
    "Covered",
    "Event",
    "Gap",
    "Gauge",
    "GroupNow",
    "IngestGap",
    "IngestOffset",
    "JobRequest",
    "PartitionNow",
    "QueryStatus",
    "Rollup",
    "Series",
    "StagedAttempt",
    "StagedCovered",
    "StagedNow",
    "StagedTile",
    "TaskSeq",
    "Tile",
    "Writer",
]


class Series(models.Model):
    """A partition, a topic (partition -1), a flow (topic '' as well) or a consumer group of a flow."""

    id = models.BigAutoField(primary_key=True)
    source = models.TextField()
    target = models.TextField()
    topic = models.TextField()
    remote_topic = models.TextField()
    partition = models.BigIntegerField()
    consumer_group = models.TextField(default="", db_default="")

    class Meta:
        db_table = "series"
        constraints = [
            models.UniqueConstraint(
                fields=["source", "target", "topic", "remote_topic", "partition", "consumer_group"],
                name="series_is_unique",
            )
        ]
        indexes = [
            models.Index(fields=["target"], name="series_target"),
            # topics are one in a hundred of the rows, and lists ask for all of a flow
            models.Index(fields=["source", "target"], name="series_topics", condition=models.Q(partition=-1)),
        ]

    def __str__(self) -> str:
        return f"{self.source}->{self.target} {self.topic}-{self.partition}"


class PartitionNow(SeriesReport):
    """The newest state of a series."""

    series_id = models.BigIntegerField(primary_key=True)

    class Meta:
        db_table = "partition_now"


class Covered(SeriesRange):
    """The reach of a partition's counts."""

    series_id = models.BigIntegerField(primary_key=True)

    class Meta:
        db_table = "covered"


class TaskSeq(models.Model):
    """The last sequence number counted of a task's boot in a raw partition (-1: in all), against duplicates."""

    pk = models.CompositePrimaryKey("target", "task", "boot", "partition")
    target = models.TextField()
    task = models.TextField()
    boot = models.TextField()
    partition = models.BigIntegerField()
    seq = models.BigIntegerField()
    last_ms = models.BigIntegerField()

    class Meta:
        db_table = "task_seq"

    def __str__(self) -> str:
        return f"{self.target} {self.task} {self.seq}"


class IngestOffset(models.Model):
    """The offset ledger: what of the raw metrics topics is contained in the tiles."""

    pk = models.CompositePrimaryKey("target", "topic", "partition")
    target = models.TextField()
    topic = models.TextField()
    partition = models.BigIntegerField()
    topic_id = models.TextField()
    next_offset = models.BigIntegerField()
    writer_epoch = models.BigIntegerField()

    class Meta:
        db_table = "ingest_offset"

    def __str__(self) -> str:
        return f"{self.target} {self.topic}-{self.partition}@{self.next_offset}"


class IngestGap(models.Model):
    """Raw metrics that were lost before they could be counted."""

    id = models.BigAutoField(primary_key=True)
    target = models.TextField()
    topic = models.TextField()
    partition = models.BigIntegerField()
    topic_id = models.TextField()
    from_offset = models.BigIntegerField()
    to_offset = models.BigIntegerField(null=True)
    cause = models.TextField()
    detected_ms = models.BigIntegerField()

    class Meta:
        db_table = "ingest_gap"
        indexes = [models.Index(fields=["target", "detected_ms"], name="ingest_gap_target_detected")]

    def __str__(self) -> str:
        return f"{self.target} {self.topic}-{self.partition} {self.cause}"


class Gap(models.Model):
    """Source records that were not copied, from the gap records of the drivers."""

    id = models.BigAutoField(primary_key=True)
    source = models.TextField()
    target = models.TextField()
    topic = models.TextField()
    topic_id = models.TextField()
    partition = models.BigIntegerField()
    cause = models.TextField()
    from_offset = models.BigIntegerField()
    to_offset = models.BigIntegerField(null=True)
    count = models.BigIntegerField(null=True)
    detected_ms = models.BigIntegerField()
    policy = models.TextField()

    class Meta:
        db_table = "gap"
        constraints = [
            models.UniqueConstraint(
                fields=["source", "target", "topic", "partition", "detected_ms"], name="gap_is_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source}->{self.target} {self.topic}-{self.partition} {self.cause}"


class GroupNow(models.Model):
    """The newest offsets of a consumer group's partition: committed upstream, checkpointed downstream."""

    pk = models.CompositePrimaryKey("source", "target", "consumer_group", "topic", "partition")
    source = models.TextField()
    target = models.TextField()
    consumer_group = models.TextField()
    topic = models.TextField()
    partition = models.BigIntegerField()
    committed = models.BigIntegerField(null=True)
    checkpointed = models.BigIntegerField(null=True)
    log_end = models.BigIntegerField(null=True)
    latency_ms = models.BigIntegerField(null=True)
    last_ms = models.BigIntegerField()

    class Meta:
        db_table = "group_now"

    def __str__(self) -> str:
        return f"{self.source}->{self.target} {self.consumer_group} {self.topic}-{self.partition}"


class Event(models.Model):
    """A change of state as a driver saw it."""

    id = models.BigAutoField(primary_key=True)
    source = models.TextField()
    target = models.TextField()
    task = models.TextField()
    driver = models.TextField()
    time_ms = models.BigIntegerField()
    scope = models.TextField()
    topic = models.TextField(null=True)  # noqa: DJ001 - null means the whole slot
    partition = models.BigIntegerField(null=True)
    from_state = models.TextField(null=True)  # noqa: DJ001 - null means none before
    to_state = models.TextField()
    cause = models.TextField(null=True)  # noqa: DJ001 - null means none
    text = models.TextField(null=True)  # noqa: DJ001 - null means none

    class Meta:
        db_table = "event"
        indexes = [models.Index(fields=["source", "target", "time_ms"], name="event_flow_time")]

    def __str__(self) -> str:
        return f"{self.source}->{self.target} {self.scope} {self.to_state}"


class Writer(models.Model):
    """The process that writes the tiles of a target, and the time of its last batch."""

    target = models.TextField(primary_key=True)
    epoch = models.BigIntegerField()
    owner = models.TextField()
    started_ms = models.BigIntegerField()
    heartbeat_ms = models.BigIntegerField()
    last_batch_ms = models.BigIntegerField(null=True)
    revision = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        db_table = "writer"

    def __str__(self) -> str:
        return f"{self.target} epoch {self.epoch}"


class QueryStatus(models.Model):
    """The query that counts a target: its last minute (`QUERY_FIGURES`), and what is wrong with Spark's executors."""

    target = models.TextField(primary_key=True)
    time_ms = models.BigIntegerField(null=True)
    warning = models.TextField()

    class Meta:
        db_table = "query_status"

    def __str__(self) -> str:
        return self.target


for _figure in QUERY_FIGURES:
    _field = models.BigIntegerField if _figure.kind == "bigint" else models.FloatField
    QueryStatus.add_to_class(_figure.name, _field(null=True))


class BadRecord(models.Model):
    """Raw metrics that could not be read."""

    pk = models.CompositePrimaryKey("target", "topic", "partition")
    target = models.TextField()
    topic = models.TextField()
    partition = models.BigIntegerField()
    count = models.BigIntegerField()
    sample = models.TextField()
    last_ms = models.BigIntegerField()

    class Meta:
        db_table = "bad_record"

    def __str__(self) -> str:
        return f"{self.target} {self.topic}-{self.partition} x {self.count}"


class Rollup(models.Model):
    """Tiles before `rolled_to_ms` of the next finer width are contained in this width."""

    pk = models.CompositePrimaryKey("target", "width")
    target = models.TextField()
    width = models.TextField()
    rolled_to_ms = models.BigIntegerField()

    class Meta:
        db_table = "rollup"

    def __str__(self) -> str:
        return f"{self.target} {self.width} to {self.rolled_to_ms}"


class JobRequest(models.Model):
    """Work for Spark: requested here, claimed by a metrics process."""

    id = models.BigAutoField(primary_key=True)
    kind = models.TextField()
    target = models.TextField()
    spec = models.TextField()
    state = models.TextField()
    claimed_by = models.TextField(null=True)  # noqa: DJ001 - null means no process
    heartbeat_ms = models.BigIntegerField(null=True)
    progress = models.TextField(null=True)  # noqa: DJ001 - null means none yet
    error = models.TextField(null=True)  # noqa: DJ001 - null means none
    attempts = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        db_table = "job_request"
        indexes = [models.Index(fields=["state"], name="job_request_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.target} {self.state}"
