"""Bearer tokens for OAUTHBEARER: fetched once, kept, and replaced well before they end.

Follows Kafka's ExpiringCredentialRefreshingLogin: a new token after 80 % of the life of the old one. Blocks while the
token endpoint is asked, so never call it on a network loop.
"""

import base64
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from replication.config.security.oauth_login import OAuthLogin
from replication.config.security.ssl_context import ssl_context

REFRESH_AT = 0.8  # sasl.login.refresh.window.factor
SHORTEST_LIFE_S = 1.0


class TokenError(ValueError):
    """No token; one line that says where it was asked and why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerToken:
    """`expires_s` is wall-clock time in seconds."""

    text: str = field(repr=False)
    principal: str
    expires_s: float
    extensions: Mapping[str, str] = field(default_factory=dict)


class TokenSource:
    """The tokens of one login, for any number of connections and threads."""

    def __init__(self, login: OAuthLogin, now_s: Callable[[], float] = time.time) -> None:
        self._login = login
        self._now_s = now_s
        self._lock = threading.Lock()
        self._token: BearerToken | None = None
        self._renew_at_s = 0.0
        self._failure: tuple[float, TokenError] | None = None  # (until when it is valid, why)

    def token(self) -> BearerToken:
        """A token with life left; asks for one when needed. Raises TokenError."""
        with self._lock:
            now_s = self._now_s()
            if self._token is None or now_s >= self._renew_at_s:
                try:
                    self._token = self._ask(now_s)
                except TokenError:
                    if self._token is None or now_s >= self._token.expires_s:
                        raise
                    self._renew_at_s = now_s + SHORTEST_LIFE_S  # the old one still holds; soon again
                else:
                    self._renew_at_s = now_s + max(SHORTEST_LIFE_S, (self._token.expires_s - now_s) * REFRESH_AT)
            return self._token

    def _ask(self, now_s: float) -> BearerToken:
        """A caller that waited for a request that failed gets the same error instead of another wait."""
        if self._failure is not None and now_s < self._failure[0]:
            raise self._failure[1]
        try:
            return self._fetch(now_s)
        except TokenError as error:
            self._failure = self._now_s() + SHORTEST_LIFE_S, error
            raise

    def _fetch(self, now_s: float) -> BearerToken:
        login = self._login
        if login.unsecured_claims is not None:
            return _unsecured(login, now_s)
        if login.file is not None:
            return _described(_from_file(login.file), login, now_s, None)
        return _from_endpoint(login, now_s)


def _from_file(path: str) -> str:
    try:
        text = Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise TokenError(f"the token file {path} cannot be read: {error}") from error
    if not text:
        raise TokenError(f"the token file {path} is empty")
    return text


def _from_endpoint(login: OAuthLogin, now_s: float) -> BearerToken:
    form = {"grant_type": "client_credentials"} | ({"scope": login.scope} if login.scope else {})
    timeout = httpx.Timeout(login.read_timeout_s, connect=login.connect_timeout_s)
    try:
        verify: ssl.SSLContext | bool = ssl_context(login.endpoint_tls) if login.endpoint_tls is not None else False
        answer = httpx.post(
            login.endpoint or "",
            data=form,
            auth=(login.client_id or "", login.client_secret or ""),
            headers={"Accept": "application/json"},
            timeout=timeout,
            verify=verify,
            trust_env=False,
        )
        document = answer.json() if answer.status_code == httpx.codes.OK else {}
    except (httpx.HTTPError, ValueError) as error:
        raise TokenError(f"the token endpoint {login.endpoint} gave no token: {error}") from error
    if answer.status_code != httpx.codes.OK:
        raise TokenError(
            f"the token endpoint {login.endpoint} answered {answer.status_code}; are the client's id and secret right?"
        )
    text = document.get("access_token") if isinstance(document, dict) else None
    if not isinstance(text, str) or not text:
        raise TokenError(f"the token endpoint {login.endpoint} answered without an access_token")
    life_s = document.get("expires_in")
    return _described(text, login, now_s, float(life_s) if isinstance(life_s, int | float) else None)


def _described(text: str, login: OAuthLogin, now_s: float, life_s: float | None) -> BearerToken:
    """A token's own claims say for whom and how long, where it is a JWT."""
    claims = _claims(text)
    expires = claims.get("exp")
    if isinstance(expires, int | float):
        expires_s = float(expires)
    else:
        expires_s = now_s + (life_s if life_s is not None else 300.0)
    if expires_s <= now_s:
        raise TokenError(f"the token from {login.endpoint or login.file} has expired already; compare the clocks")
    return BearerToken(
        text=text,
        principal=str(claims.get("sub") or login.client_id or "srm"),
        expires_s=expires_s,
        extensions=login.extensions,
    )


def _unsecured(login: OAuthLogin, now_s: float) -> BearerToken:
    expires_s = now_s + login.unsecured_lifetime_s
    claims = {"iat": now_s, "exp": expires_s, **(login.unsecured_claims or {})}
    text = f"{_part({'alg': 'none'})}.{_part(claims)}."
    principal = str(claims.get("sub") or "srm")
    return BearerToken(text=text, principal=principal, expires_s=expires_s, extensions=login.extensions)


def _part(document: Mapping[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(document).encode()).rstrip(b"=").decode()


def _claims(token: str) -> Mapping[str, object]:
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}
