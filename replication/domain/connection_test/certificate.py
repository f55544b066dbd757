"""A certificate of a broker or of ours as a connection test shows it."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

_DAY_MS = 24 * 3_600_000
EXPIRES_SOON_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A certificate that a broker presented, or ours; `days_left` is negative after its end."""

    subject: str
    issuer: str
    names: tuple[str, ...]
    not_before_ms: int
    not_after_ms: int
    days_left: int
    hostname_matches: bool

    @property
    def expires_soon(self) -> bool:
        return 0 <= self.days_left < EXPIRES_SOON_DAYS

    @property
    def has_expired(self) -> bool:
        return self.days_left < 0

    @property
    def end(self) -> str:
        """The time of its end as text."""
        return datetime.fromtimestamp(self.not_after_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")


def days_left(not_after_ms: int, now_ms: int) -> int:
    """Whole days until the end of a certificate, rounded down."""
    return (not_after_ms - now_ms) // _DAY_MS


def hostname_matches(host: str, names: Iterable[str]) -> bool:
    """Return whether a certificate for these DNS names and addresses is valid for the host (RFC 6125)."""
    address = _address(host)
    if address is not None:
        return any(_address(name) == address for name in names)
    wanted = host.rstrip(".").lower()
    return any(_name_matches(wanted, name.rstrip(".").lower()) for name in names)


def _name_matches(host: str, name: str) -> bool:
    if name.startswith("*."):
        first, dot, rest = host.partition(".")
        return bool(first and dot) and rest == name[2:]
    return host == name


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
