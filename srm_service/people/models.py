"""Database models of sessions, API tokens, attempts to log in, saved views and preferences.

Users are Django's; their roles are its groups.
"""

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import F, Q

from srm_service.core.jsonfields import validate_text_list
from srm_service.people.personal.contracts import LONGEST_VIEW_NAME, LONGEST_VIEW_QUERY

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


class SavedView(models.Model):
    """A page as a person wants to see it again: the query string of its address under a name."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=LONGEST_VIEW_NAME)
    page = models.CharField(max_length=20)
    query = models.CharField(max_length=LONGEST_VIEW_QUERY, blank=True)
    is_default = models.BooleanField(default=False)
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "page", "name"], name="view_name_is_unique"),
            models.UniqueConstraint(
                fields=["owner", "page"], condition=Q(is_default=True), name="page_has_one_default_view"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="view_has_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.owner_id}"


class Preferences(models.Model):
    """The preferences of a person; without a row, the defaults."""

    owner = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences")
    pinned_flows = models.JSONField(default=list, validators=[validate_text_list])
    columns = models.JSONField(default=list, validators=[validate_text_list])

    class Meta:
        verbose_name_plural = "preferences"

    def __str__(self) -> str:
        return f"preferences of {self.owner_id}"
