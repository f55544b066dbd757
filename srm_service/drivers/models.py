"""The database model of orders to drivers. A driver is named by its id, or one of its processes by its own."""

from typing import Any

from django.core.validators import RegexValidator
from django.db import models

from srm_service.drivers.contracts import DRIVER_ID_PATTERN

_ID_LENGTH = 64


def _driver_id() -> Any:  # a generic type in the stubs only
    return models.CharField(max_length=_ID_LENGTH, unique=True, validators=[RegexValidator(DRIVER_ID_PATTERN)])


class DriverDrain(models.Model):
    """A driver that gets no tasks, until the drain is removed or expires."""

    driver = _driver_id()
    reason = models.CharField(max_length=500, default="", blank=True)
    ordered_by = models.CharField(max_length=150)
    ordered_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["driver"]

    def __str__(self) -> str:
        return f"{self.driver}"


class DriverRestart(models.Model):
    """The newest restart of a driver; it is deleted when the grace has passed."""

    driver = _driver_id()
    key = models.CharField(max_length=32, unique=True)
    ordered_by = models.CharField(max_length=150)
    ordered_at = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        ordering = ["driver"]

    def __str__(self) -> str:
        return f"{self.driver} {self.key}"


class SeenProcess(models.Model):
    """One start of a driver process, by its last report that the service saw."""

    process = models.CharField(max_length=_ID_LENGTH)
    role = models.CharField(max_length=16)
    boot = models.CharField(max_length=64, default="", blank=True)
    pid = models.PositiveBigIntegerField(null=True, blank=True)
    parent = models.CharField(max_length=_ID_LENGTH)
    host = models.CharField(max_length=255, default="", blank=True)
    version = models.CharField(max_length=64, default="", blank=True)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField(db_index=True)
    leaving = models.BooleanField(default=False)
    tasks = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["process", "role"]
        constraints = [models.UniqueConstraint(fields=["process", "role", "boot"], name="one_row_per_seen_start")]

    def __str__(self) -> str:
        return f"{self.process}:{self.role}"


class DriverOrdersRevision(models.Model):
    """The last published document of driver orders, in one row; its revision never decreases."""

    revision = models.PositiveBigIntegerField(default=0)
    fingerprint = models.CharField(max_length=64, default="")
    published_ms = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.revision)
