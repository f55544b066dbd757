"""Tables of the audit: what a Spark job found when it compared source and copy."""

from django.db import models


class AuditRun(models.Model):
    """One topic of an audit; the audit itself is its row in `job_request`."""

    pk = models.CompositePrimaryKey("job_id", "topic")
    job_id = models.BigIntegerField()
    source = models.TextField()
    target = models.TextField()
    topic = models.TextField()
    remote_topic = models.TextField()
    state = models.TextField()
    mode = models.TextField()
    compared = models.TextField()
    started_ms = models.BigIntegerField()
    ended_ms = models.BigIntegerField(null=True)
    records_source = models.BigIntegerField()
    records_target = models.BigIntegerField()
    ranges = models.BigIntegerField()
    ranges_bad = models.BigIntegerField()
    missing = models.BigIntegerField()
    duplicate = models.BigIntegerField()
    changed = models.BigIntegerField()
    reordered = models.BigIntegerField()
    unexpected = models.BigIntegerField()
    gap = models.BigIntegerField(default=0, db_default=0)
    skipped = models.BigIntegerField(default=0, db_default=0)
    dead_lettered = models.BigIntegerField(default=0, db_default=0)
    filtered_records = models.BigIntegerField(default=0, db_default=0)
    local_records = models.BigIntegerField()
    not_compared = models.TextField()
    proven_until_ms = models.BigIntegerField(null=True)
    error = models.TextField(null=True)  # noqa: DJ001 - null means none

    class Meta:
        db_table = "audit_run"
        indexes = [models.Index(fields=["source", "target", "started_ms"], name="audit_run_flow")]

    def __str__(self) -> str:
        return f"audit {self.job_id} {self.topic} {self.state}"


class AuditFinding(models.Model):
    """Neighbouring records of one kind; a null offset means that this side has no such record."""

    id = models.BigAutoField(primary_key=True)
    job_id = models.BigIntegerField()
    topic = models.TextField()
    partition = models.BigIntegerField()
    kind = models.TextField()
    source_offset = models.BigIntegerField(null=True)
    target_offset = models.BigIntegerField(null=True)
    records = models.BigIntegerField()
    detail = models.TextField()

    class Meta:
        db_table = "audit_finding"
        indexes = [models.Index(fields=["job_id", "topic"], name="audit_finding_job_topic")]

    def __str__(self) -> str:
        return f"{self.kind} {self.topic}-{self.partition} {self.source_offset}/{self.target_offset}"


class AuditProven(models.Model):
    """The copy of a partition is proven equal below these offsets."""

    pk = models.CompositePrimaryKey("source", "target", "topic", "partition")
    source = models.TextField()
    target = models.TextField()
    topic = models.TextField()
    partition = models.BigIntegerField()
    topic_id = models.TextField()
    remote_topic_id = models.TextField(default="", db_default="")
    proven_offset = models.BigIntegerField()
    proven_target_offset = models.BigIntegerField()
    proven_ms = models.BigIntegerField(null=True)

    class Meta:
        db_table = "audit_proven"

    def __str__(self) -> str:
        return f"{self.source}->{self.target} {self.topic}-{self.partition}@{self.proven_offset}"
