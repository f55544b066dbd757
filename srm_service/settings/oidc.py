"""Settings of the OpenID Connect provider; without SRM_OIDC_ISSUER there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from srm_service.core.auth.role_words import ROLES, UserRole
from srm_service.settings import env

BACKEND = "srm_service.people.oidc.backend.ProviderBackend"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """The provider, our client there, and the claims that become name and role."""

    issuer: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    scopes: str = "openid profile email"
    signature: str = "RS256"
    name_claim: str = "preferred_username"
    role_claim: str = "groups"
    roles: Mapping[UserRole, Sequence[str]] = field(default_factory=lambda: {role: (role,) for role in ROLES})


def provider_settings() -> ProviderSettings:
    """Return the settings from the environment. Raises ImproperlyConfigured."""
    given: dict[str, Any] = {
        "issuer": env.text("SRM_OIDC_ISSUER"),
        "client_id": env.text("SRM_OIDC_CLIENT_ID"),
        "client_secret": env.text("SRM_OIDC_CLIENT_SECRET"),
        "scopes": env.text("SRM_OIDC_SCOPES"),
        "signature": env.text("SRM_OIDC_SIGNATURE"),
        "name_claim": env.text("SRM_OIDC_NAME_CLAIM"),
        "role_claim": env.text("SRM_OIDC_ROLE_CLAIM"),
    }
    if given["issuer"] and not given["client_id"]:
        raise ImproperlyConfigured("SRM_OIDC_ISSUER is set: set SRM_OIDC_CLIENT_ID and SRM_OIDC_CLIENT_SECRET as well")
    if roles := env.text("SRM_OIDC_ROLES"):
        given["roles"] = role_values(roles)
    return ProviderSettings(**{name: value for name, value in given.items() if value})


def role_values(text: str) -> Mapping[UserRole, Sequence[str]]:
    """Return the values of the role claim by role, from `admin=srm-admins|ops-leads,viewer=staff`."""
    values: dict[UserRole, Sequence[str]] = {}
    for part in text.split(","):
        word, separator, names = part.partition("=")
        role = next((role for role in ROLES if role == word.strip()), None)
        if role is None or not separator:
            raise ImproperlyConfigured(
                f"SRM_OIDC_ROLES: {part.strip()!r} is not a role ({', '.join(ROLES)}) with = and its values"
            )
        values[role] = tuple(name.strip() for name in names.split("|") if name.strip())
    return values
