"""Host names to addresses off the network loop: one thread per name at most, so a dead name delays no other."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from kafka.future import Future

FRESH_S = 10.0
AddressInfo = tuple[Any, ...]
LookUp = Callable[[str, int], list[AddressInfo]]


def system_look_up(host: str, port: int) -> list[AddressInfo]:
    """As the machine's resolver says; it may take many seconds."""
    return list(socket.getaddrinfo(host, port, socket.AF_UNSPEC, socket.SOCK_STREAM))


class NameLookup:
    """Used on the loop's thread. Answers are kept for ten seconds, and longer where the resolver fails meanwhile."""

    def __init__(
        self,
        call_threadsafe: Callable[[Callable[[], None]], Any],
        look_up: LookUp = system_look_up,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._call_threadsafe = call_threadsafe
        self._look_up = look_up
        self._monotonic_s = monotonic_s
        self._known: dict[tuple[str, int], tuple[float, list[AddressInfo]]] = {}
        self._waiting: dict[tuple[str, int], list[Future]] = {}

    async def resolve(self, host: str, port: int) -> list[AddressInfo]:
        """The addresses of a host; socket.gaierror when it has none."""
        place = (host, port)
        until_s, addresses = self._known.get(place, (0.0, []))
        if addresses and self._monotonic_s() < until_s:
            return addresses
        answer = Future()
        others = self._waiting.setdefault(place, [])
        others.append(answer)
        if len(others) == 1:
            threading.Thread(target=self._ask, args=place, name=f"dns-{host}", daemon=True).start()
        found: list[AddressInfo] = await answer
        return found

    def _ask(self, host: str, port: int) -> None:
        """On the helper thread."""
        place = (host, port)
        try:
            found = self._look_up(host, port)
        except (OSError, UnicodeError) as error:  # a name that cannot be one is a UnicodeError
            reason = error if isinstance(error, OSError) else OSError(f"{host!r} is no host name")
            self._call_threadsafe(lambda: self._failed(place, reason))
        else:
            self._call_threadsafe(lambda: self._found(place, found))

    def _found(self, place: tuple[str, int], addresses: list[AddressInfo]) -> None:
        self._known[place] = (self._monotonic_s() + FRESH_S, addresses)
        for answer in self._waiting.pop(place):
            answer.success(addresses)

    def _failed(self, place: tuple[str, int], error: OSError) -> None:
        """A resolver that is away must not take clusters with it whose addresses are known."""
        _until_s, addresses = self._known.get(place, (0.0, []))
        for answer in self._waiting.pop(place):
            if addresses:
                answer.success(addresses)
            else:
                answer.failure(error)
