"""The address of a service as people write it, in one form, so that two spellings of an address are equal."""

import re
from urllib.parse import urlsplit

from replication.domain.services.advertisement import Advertisement

LONGEST_ADDRESS = 500
_HOST = re.compile(r"[0-9A-Za-z._-]{1,253}|[0-9A-Fa-f:.]{2,45}")
_ROOT_PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[0-9A-Za-z._~-]+)*")
_PORTS = {"http": 80, "https": 443}


def parse_address(text: str) -> str:
    """Return the address with its port, in lower case and without a final slash. Raises ValueError."""
    parts = urlsplit(text.strip())
    host, root_path = parts.hostname or "", parts.path.rstrip("/")
    is_plain = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in _PORTS or not is_plain or not _HOST.fullmatch(host) or not _ROOT_PATH.fullmatch(root_path):
        raise ValueError(f"{text.strip()[:LONGEST_ADDRESS]!r} is not an address such as https://srm.example.com:6670")
    port = parts.port or _PORTS[parts.scheme]
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{port}{root_path}"


def advertised_address(advertisement: Advertisement) -> str:
    """Return the address that a service advertises, in the same form."""
    return parse_address(advertisement.address)


def address_parts(address: str) -> tuple[str, str, int, str]:
    """Return protocol, host, port and root path of an address in this form."""
    parts = urlsplit(address)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme], parts.path
