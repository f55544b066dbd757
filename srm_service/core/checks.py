"""Django system checks of the operator's settings, each with its remedy."""

from importlib.util import find_spec
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


@register()
def check_keys(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Both key sets must exist and be Fernet keys."""
    messages: list[CheckMessage] = []
    for name in ("SRM_SECRET_KEYS", "SRM_TRANSPORT_KEYS"):
        keys: tuple[str, ...] = getattr(settings, name)
        if not keys:
            messages.append(
                Error(f"{name} is empty", hint="set it to one or more comma-separated Fernet keys", id="srm.E001")
            )
        messages += [
            Error(
                f"{name} holds a value that is not a Fernet key",
                hint="create one with Fernet.generate_key()",
                id="srm.E002",
            )
            for key in keys
            if not _is_fernet_key(key)
        ]
    return messages


@register()
def check_redis_url(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Warn without Redis: nothing reaches the drivers, although REST answers from the metrics store."""
    if settings.SRM_REDIS_URL or settings.DATABASES["default"]["NAME"] == ":memory:":
        return []
    return [Warning("SRM_REDIS_URL is empty", hint="no live state and no changes until it is set", id="srm.W001")]


@register()
def check_provider_library(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A provider of logins needs the extra `oidc`."""
    if not settings.SRM_OIDC.issuer or find_spec("mozilla_django_oidc") is not None:
        return []
    return [Error("SRM_OIDC_ISSUER needs mozilla-django-oidc", hint="install the extra `oidc`", id="srm.E003")]


def _is_fernet_key(key: str) -> bool:
    try:
        Fernet(key)
    except ValueError:
        return False
    return True
