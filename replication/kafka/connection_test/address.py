"""Addresses of brokers."""

from typing import NamedTuple


class BrokerAddress(NamedTuple):
    """Host and port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(server: str) -> BrokerAddress:
    """Read `host:port`, also with `SSL://` before it. Raises ValueError."""
    host, _, port = server.strip().rpartition("://")[2].rpartition(":")
    host = host.strip("[]").lower()
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) <= 65_535:
        raise ValueError(f"{server!r} is not host:port")
    return BrokerAddress(host, int(port))
