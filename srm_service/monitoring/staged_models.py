"""Rows that tasks of the metrics process have prepared and its driver has not yet taken over."""

from django.db import models

from srm_service.monitoring.tile_models import Tile


class StagedAttempt(models.Model):
    """An attempt of a task, with the batch it works for."""

    attempt = models.BigIntegerField(primary_key=True)
    target = models.TextField()
    epoch = models.BigIntegerField()
    batch = models.BigIntegerField()

    class Meta:
        db_table = "staged_attempt"

    def __str__(self) -> str:
        return f"{self.target} epoch {self.epoch} batch {self.batch}"


class StagedTile(Tile):
    """A row of the tile table `relation`."""

    pk = models.CompositePrimaryKey("attempt", "relation", "id", "time_ms")
    attempt = models.BigIntegerField()
    relation = models.TextField()

    class Meta:
        db_table = "staged_tile"


class StagedNow(models.Model):
    """A row of `partition_now`."""

    pk = models.CompositePrimaryKey("attempt", "series_id")
    attempt = models.BigIntegerField()
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

    class Meta:
        db_table = "staged_now"

    def __str__(self) -> str:
        return f"{self.series_id} {self.state}"


class StagedCovered(models.Model):
    """A row of `covered`."""

    pk = models.CompositePrimaryKey("attempt", "series_id")
    attempt = models.BigIntegerField()
    series_id = models.BigIntegerField()
    topic_id = models.TextField()
    first_offset = models.BigIntegerField()
    next_offset = models.BigIntegerField()

    class Meta:
        db_table = "staged_covered"

    def __str__(self) -> str:
        return f"{self.series_id}@{self.next_offset}"
