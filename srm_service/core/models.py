"""Database model of answers that are kept for repeated requests."""

from django.db import models


class KeptAnswer(models.Model):
    """The answer to a POST with an `Idempotency-Key`, for the caller who sent it, until it expires."""

    username = models.CharField(max_length=150)
    key = models.CharField(max_length=100)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.TextField()
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["username", "key"], name="kept_answer_key_is_unique")]

    def __str__(self) -> str:
        return f"{self.username} {self.key}"
