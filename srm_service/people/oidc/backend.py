"""Verifies the provider's answer and finds or creates the user."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from srm_service.people.oidc.claims import name_from, role_from
from srm_service.people.oidc.provider import setting
from srm_service.people.provider_users import ProviderLoginError, provider_user


class ProviderBackend(OIDCAuthenticationBackend):  # type: ignore[misc]  # the library has no types
    """The library's backend. A user is known by issuer and subject, not by e-mail or name, which change hands."""

    @staticmethod
    def get_settings(attr: str, *args: Any) -> Any:
        return setting(attr, *args)

    def __init__(self) -> None:
        """Defer what asks the provider: Django creates every backend for each request with a session."""

    def authenticate(self, request: HttpRequest | None, **kwargs: Any) -> User | None:
        if request is None or "nonce" not in kwargs:  # a password, or credentials of another backend
            return None
        super().__init__()
        user: User | None = super().authenticate(request, **kwargs)
        return user

    def verify_token(self, token: Any, **kwargs: Any) -> Any:
        """Verify signature, nonce and expiry, and that the token is from this provider and for this client."""
        payload = super().verify_token(token, **kwargs)
        audience = payload.get("aud")
        if settings.SRM_OIDC.client_id not in (audience if isinstance(audience, list) else [audience]):
            raise ProviderLoginError("the provider's token is for another client")
        if payload.get("iss") != settings.SRM_OIDC.issuer:
            raise ProviderLoginError("the token is from another provider")
        return payload

    def get_or_create_user(self, access_token: str, id_token: str, payload: dict[str, Any]) -> User | None:
        info = self.get_userinfo(access_token, id_token, payload)
        subject = payload.get("sub")
        if not isinstance(subject, str) or info.get("sub") != subject:
            raise ProviderLoginError("the provider describes another user than the one who logged in")
        claims = {**payload, **info}
        return provider_user(
            issuer=settings.SRM_OIDC.issuer,
            subject=subject,
            name=name_from(claims, claim=settings.SRM_OIDC.name_claim),
            role=role_from(claims, claim=settings.SRM_OIDC.role_claim, values=settings.SRM_OIDC.roles),
        )

    def get_user(self, user_id: Any) -> User | None:
        return User.objects.filter(pk=user_id, is_active=True).first()
