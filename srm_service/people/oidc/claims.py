"""Derives name and role from the claims of a provider."""

from collections.abc import Mapping, Sequence
from typing import Any

from srm_service.core.auth.roles import ROLES, UserRole


def role_from(claims: Mapping[str, Any], *, claim: str, values: Mapping[UserRole, Sequence[str]]) -> UserRole | None:
    """Return the highest role for which the claim has a value; the claim may be nested: `realm_access.roles`."""
    found: Any = claims.get(claim)
    if found is None:
        found = claims
        for part in claim.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    held = {found} if isinstance(found, str) else {each for each in found or () if isinstance(each, str)}
    return next((role for role in reversed(ROLES) if held.intersection(values.get(role, ()))), None)


def name_from(claims: Mapping[str, Any], *, claim: str) -> str:
    """Return the user name; empty without a usable one."""
    name = claims.get(claim)
    return name.strip() if isinstance(name, str) and len(name) <= 150 else ""
