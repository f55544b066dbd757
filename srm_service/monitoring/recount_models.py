"""The hours that a backfill counts again, until they replace those in the tile tables."""

from django.db import models

from srm_service.monitoring.series_models import SeriesRange, SeriesReport
from srm_service.monitoring.tile_models import Tile


class Recount(models.Model):
    """The running backfill of a target."""

    target = models.TextField(primary_key=True)
    number = models.BigIntegerField()
    job_id = models.BigIntegerField()

    class Meta:
        db_table = "recount"

    def __str__(self) -> str:
        return f"{self.target} by job {self.job_id}"


class RecountTile(Tile):
    """A part of a tile of the table `relation`, as one step counted it."""

    pk = models.CompositePrimaryKey("number", "relation", "hour_ms", "id", "time_ms", "step")
    number = models.BigIntegerField()
    relation = models.TextField()
    hour_ms = models.BigIntegerField()
    step = models.BigIntegerField()

    class Meta:
        db_table = "recount_tile"


class RecountNow(SeriesReport):
    """The latest report of a series that a backfill has read, as `partition_now` has it."""

    pk = models.CompositePrimaryKey("number", "series_id")
    number = models.BigIntegerField()

    class Meta:
        db_table = "recount_now"


class RecountCovered(SeriesRange):
    """The range of offsets of a partition that a backfill has counted, as `covered` has it."""

    pk = models.CompositePrimaryKey("number", "series_id")
    number = models.BigIntegerField()

    class Meta:
        db_table = "recount_covered"
