"""Free loopback ports that stay the same across restarts."""

import ipaddress
import json
import random
import socket
from collections.abc import Iterable
from pathlib import Path

from srm_cli.errors import OperatorError

LOOPBACK = "127.0.0.1"
# Below the range that Linux uses for outgoing connections (32768 and up), so that a remembered port
# is still free after a restart.
_FIRST_PORT, _LAST_PORT = 20_000, 32_000


def is_loopback(host: str) -> bool:
    """Return True for an address that only this machine reaches."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False  # a host name


def plain_http_warning(host: str) -> str:
    """Return the warning for a service that listens on `host` without TLS."""
    return (
        f"the service listens on {host} without TLS: passwords and sessions travel readable. "
        "Put a proxy that terminates TLS in front of `srm service`"
    )


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Return True when the port is free. SO_REUSEADDR ignores connections in TIME_WAIT."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def may_use(port: int, host: str = LOOPBACK) -> bool:
    """Return False when only root may listen on the port."""
    with socket.socket() as probe:
        try:
            probe.bind((host, port))
        except PermissionError:
            return False
        except OSError:
            return True
    return True


def free_port(taken: Iterable[int] = ()) -> int:
    """Return a free port that is not in `taken`; random, so that parallel runs rarely collide."""
    excluded = set(taken)
    for _ in range(500):
        port = random.randint(_FIRST_PORT, _LAST_PORT)  # noqa: S311 - not a secret
        if port not in excluded and is_free(port):
            return port
    raise OperatorError(f"no free port between {_FIRST_PORT} and {_LAST_PORT}: stop programs that listen there")


def remembered_port(path: Path, name: str) -> int:
    """Return the port that `name` used last time if it is free, or else a new one; stored in the JSON file `path`."""
    known: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
    port = known.get(name)
    if port is None or not is_free(port):
        port = free_port(known.values())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**known, name: port}, indent=1))
    return port
