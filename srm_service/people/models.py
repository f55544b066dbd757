"""Database models of sessions, API tokens and attempts to log in. Users are Django's; their roles are its groups."""

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import F, Q

from srm_service.core.jsonfields import validate_text_list

PREFIX_LENGTH = 12


class LoginSession(AbstractBaseSession):
    """A session. `session_key` holds the digest of the cookie's key, which therefore can be shown."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="login_sessions"
    )
    started_at = models.DateTimeField(null=True)
    address = models.CharField(max_length=64, default="", blank=True)
    user_agent = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        ordering = ["-started_at"]

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        from srm_service.people.auth.session_store import SessionStore  # it imports this module

        return SessionStore


class ApiToken(models.Model):
    """A token with which programs act for its owner. Of the secret, only the SHA-256 digest is stored."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=PREFIX_LENGTH, unique=True)
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(validators=[validate_text_list])
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "prefix"]
        constraints = [
            models.CheckConstraint(condition=~Q(digest="") & ~Q(prefix=""), name="token_has_prefix_and_digest"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="token_expires_after_creation"),
        ]

    def __str__(self) -> str:
        return f"{self.prefix} of {self.owner_id}"


class LoginAttempts(models.Model):
    """Attempts to log in within a window: of a name, of an address, or of a name from an address.

    The name is a digest, because people type passwords into the field for names.
    """

    name_digest = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=64, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name_digest", "address"], name="attempts_are_counted_once"),
            models.CheckConstraint(condition=~Q(name_digest="", address=""), name="attempts_have_name_or_address"),
        ]
        indexes = [models.Index(fields=["until"], name="attempts_by_end")]

    def __str__(self) -> str:
        return f"{self.attempts} until {self.until}"


class ProviderIdentity(models.Model):
    """The identity of a user at an OpenID Connect provider."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="provider_identity")
    issuer = models.CharField(max_length=200)
    subject = models.CharField(max_length=255)

    class Meta:
        verbose_name_plural = "provider identities"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_has_one_user")]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"
