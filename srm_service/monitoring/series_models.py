"""Columns that the metrics store has of a series in several tables: stored, staged, and counted again."""

from django.db import models


class SeriesReport(models.Model):
    """The latest report of a series."""

    series_id = models.BigIntegerField()
    state = models.TextField()
    cause = models.TextField(null=True)  # noqa: DJ001 - null means unknown
    covered_to = models.BigIntegerField(null=True)
    log_end = models.BigIntegerField(null=True)
    downstream_end = models.BigIntegerField(null=True)
    lag = models.BigIntegerField(null=True)
    last_ms = models.BigIntegerField()
    records_per_second = models.FloatField(null=True)
    bytes_per_second = models.FloatField(null=True)
    log_start = models.BigIntegerField(null=True)
    last_record_ms = models.BigIntegerField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.series_id} {self.state}"


class SeriesRange(models.Model):
    """The range of source offsets that is counted of a partition."""

    series_id = models.BigIntegerField()
    topic_id = models.TextField()
    first_offset = models.BigIntegerField()
    next_offset = models.BigIntegerField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.series_id}@{self.next_offset}"
