"""Users whom an identity provider knows: created at their first login, with the role of their claims."""

import structlog
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from srm_service.core.auth.roles import UserRole
from srm_service.people.models import ProviderIdentity
from srm_service.people.services import UserChangeError, user_change
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record

_BY = Actor(name="identity provider", kind="system")
_log = structlog.get_logger(__name__)


class ProviderLoginError(Exception):
    """The provider's user may not log in; the text gives the reason."""


def provider_user(*, issuer: str, subject: str, name: str, role: UserRole | None) -> User:
    """Return the user of a subject, with the role of the claims. Raises ProviderLoginError."""
    with transaction.atomic():
        identity = ProviderIdentity.objects.select_related("user").filter(issuer=issuer, subject=subject).first()
        if identity is None and role is None:
            raise ProviderLoginError("the provider gives you no role here: ask an admin")
        user = identity.user if identity is not None else _create(issuer, subject, name)
    if not user.is_active:
        raise ProviderLoginError(f"the user {user.get_username()} is disabled: ask an admin")
    try:
        user_change(name=user.get_username(), role=role, by=_BY)
    except UserChangeError as error:
        _log.warning("role of the provider not applied", user=user.get_username(), error=str(error))
    if role is None:
        raise ProviderLoginError("the provider gives you no role here: ask an admin")
    return User.objects.get(pk=user.pk)


def _create(issuer: str, subject: str, name: str) -> User:
    try:
        User.username_validator(name)
    except ValidationError as error:
        raise ProviderLoginError("the provider names no user name: see SRM_OIDC_NAME_CLAIM") from error
    if User.objects.filter(username__iexact=name).exists():
        raise ProviderLoginError(f"there is a local user {name} already: an admin has to delete it first")
    user = User(username=name)
    user.set_unusable_password()
    user.save()
    ProviderIdentity.objects.create(user=user, issuer=issuer, subject=subject)
    record(by=_BY, action="user.create", subject=TrailSubject("user", name), after={"issuer": issuer})
    return user
