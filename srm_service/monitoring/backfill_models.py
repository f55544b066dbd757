"""The hours that a backfill counts again, until they replace those in the tile tables."""

from django.db import models

from srm_service.monitoring.series_models import SeriesRange, SeriesReport
from srm_service.monitoring.tile_models import Tile


class Backfill(models.Model):
    """The running backfill of a target."""

    target = models.TextField(primary_key=True)
    backfill_id = models.BigIntegerField()
    job_id = models.BigIntegerField()

    class Meta:
        db_table = "backfill"

    def __str__(self) -> str:
        return f"{self.target} by job {self.job_id}"


class BackfillTile(Tile):
    """A part of a tile of the table `relation`, as one step counted it."""

    pk = models.CompositePrimaryKey("backfill_id", "relation", "hour_ms", "id", "time_ms", "step")
    backfill_id = models.BigIntegerField()
    relation = models.TextField()
    hour_ms = models.BigIntegerField()
    step = models.BigIntegerField()

    class Meta:
        db_table = "backfill_tile"


class BackfillNow(SeriesReport):
    """The latest report of a series that a backfill has read, as `partition_now` has it."""

    pk = models.CompositePrimaryKey("backfill_id", "series_id")
    backfill_id = models.BigIntegerField()

    class Meta:
        db_table = "backfill_now"


class BackfillCovered(SeriesRange):
    """The range of offsets of a partition that a backfill has counted, as `covered` has it."""

    pk = models.CompositePrimaryKey("backfill_id", "series_id")
    backfill_id = models.BigIntegerField()

    class Meta:
        db_table = "backfill_covered"
