"""The provider's endpoints and our settings, under the names that mozilla-django-oidc reads."""

import threading
import time
from typing import Any

import requests
from django.conf import settings
from mozilla_django_oidc.utils import import_from_settings

TIMEOUT_S = 5.0
_KEPT_S = 3600.0
_lock = threading.Lock()
_documents: dict[str, tuple[float, dict[str, Any]]] = {}


class IdentityProviderError(Exception):
    """The provider does not answer, or answers what is invalid; the text names it."""


def setting(name: str, *default: Any) -> Any:
    """Return a setting of the library: ours, an endpoint of the provider, or Django's."""
    ours = {
        "OIDC_RP_CLIENT_ID": settings.SRM_OIDC.client_id,
        "OIDC_RP_CLIENT_SECRET": settings.SRM_OIDC.client_secret,
        "OIDC_RP_SIGN_ALGO": settings.SRM_OIDC.signature,
        "OIDC_RP_SCOPES": settings.SRM_OIDC.scopes,
        "OIDC_USE_PKCE": True,
        "OIDC_TIMEOUT": TIMEOUT_S,
        "OIDC_AUTHENTICATION_CALLBACK_URL": "oidc-callback",
        "LOGIN_REDIRECT_URL_FAILURE": settings.LOGIN_URL,
    }
    endpoints = {
        "OIDC_OP_AUTHORIZATION_ENDPOINT": "authorization_endpoint",
        "OIDC_OP_TOKEN_ENDPOINT": "token_endpoint",
        "OIDC_OP_USER_ENDPOINT": "userinfo_endpoint",
        "OIDC_OP_JWKS_ENDPOINT": "jwks_uri",
    }
    if name in ours:
        return ours[name]
    if name in endpoints:
        return provider_document(settings.SRM_OIDC.issuer)[endpoints[name]]
    return import_from_settings(name, *default)


def provider_document(issuer: str) -> dict[str, Any]:
    """Return the provider's description, read once an hour. Raises IdentityProviderError."""
    with _lock:
        until, document = _documents.get(issuer, (0.0, {}))
    if until > time.monotonic():
        return document
    document = _read(issuer)
    with _lock:
        _documents[issuer] = (time.monotonic() + _KEPT_S, document)
    return document


def _read(issuer: str) -> dict[str, Any]:
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        answer = requests.get(url, timeout=TIMEOUT_S)
        answer.raise_for_status()
        document = answer.json()
    except (requests.RequestException, ValueError) as error:
        raise IdentityProviderError(f"{url} does not answer with a description of the provider: {error}") from error
    required = {"issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"}
    missing = sorted(required - document.keys()) if isinstance(document, dict) else sorted(required)
    if missing:
        raise IdentityProviderError(f"{url} does not name {', '.join(missing)}")
    if document["issuer"] != issuer:
        raise IdentityProviderError(f"{url} names the issuer {document['issuer']}: set SRM_OIDC_ISSUER to it")
    return dict(document)
