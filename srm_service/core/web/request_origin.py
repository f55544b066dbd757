"""The address and the API token behind the current request, for the audit trail."""

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from django.conf import settings
from django.http import HttpRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOrigin:
    """The address and token of a request; empty outside of a request."""

    address: str = ""
    token: str = ""  # prefix of the API token that authenticated the request


_NONE = RequestOrigin()
_current: ContextVar[RequestOrigin] = ContextVar("srm_request_origin", default=_NONE)


def current_origin() -> RequestOrigin:
    """The origin of the current request."""
    return _current.get()


@contextmanager
def bound_origin(address: str) -> Iterator[None]:
    """Bind the origin for the duration of a request."""
    before = _current.set(RequestOrigin(address=address))
    try:
        yield
    finally:
        _current.reset(before)


def note_token(prefix: str) -> None:
    """Record that an API token authenticated the current request."""
    _current.set(replace(_current.get(), token=prefix))


def client_address(request: HttpRequest) -> str:
    """Return the client's address: the last in X-Forwarded-For that is none of our proxies, or the peer's."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    return forwarded_address(request.META.get("REMOTE_ADDR", ""), forwarded, settings.SRM_TRUSTED_PROXIES)


def forwarded_address(peer: str, forwarded: str, trusted: Sequence[str]) -> str:
    """Return the address behind trusted proxies. An entry that no trusted proxy wrote is not believed."""
    address = peer
    for entry in reversed([part.strip() for part in forwarded.split(",")]):
        if not _is_trusted(address, trusted) or not _is_address(entry):
            break
        address = entry
    return address


def _is_trusted(address: str, trusted: Sequence[str]) -> bool:
    return _is_address(address) and any(
        ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False) for network in trusted
    )


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
