"""Rows that tasks of the metrics process have prepared and its driver has not yet taken over."""

from django.db import models

from srm_service.monitoring.series_models import SeriesRange, SeriesReport
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


class StagedNow(SeriesReport):
    """A row of `partition_now`."""

    pk = models.CompositePrimaryKey("attempt", "series_id")
    attempt = models.BigIntegerField()

    class Meta:
        db_table = "staged_now"


class StagedCovered(SeriesRange):
    """A row of `covered`."""

    pk = models.CompositePrimaryKey("attempt", "series_id")
    attempt = models.BigIntegerField()

    class Meta:
        db_table = "staged_covered"
