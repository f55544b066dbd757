"""Answers of other services, kept in memory for a moment: many readers in one second cost one request per service.

A reader waits for the answers of services that answered last time, within a time limit. One that did not is asked
again in the background, so that no request waits; its last answer is used for a while, with its age.
"""

import threading
import time
from collections.abc import Collection, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from srm_service.remote.asking.client import PeerError
from srm_service.remote.asking.ledger import ledger
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.asking.requests import PeerHello, greet
from srm_service.remote.contracts import PeerPlan

FRESH_S = 1.0
USABLE_S = 15.0
_AGAIN_AFTER_S = 2.0
_NOT_YET = "has not answered yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAnswer:
    """The last usable answer of a service, None without one; `error` says why there is no newer one."""

    body: Any = None
    hello: PeerHello | None = None
    age_ms: int = 0
    error: str = ""


@dataclass(slots=True)
class _Entry:
    body: Any = None
    hello: PeerHello | None = None
    answered_s: float = 0.0
    asked_s: float = 0.0
    error: str = ""
    request: "Future[None] | None" = field(default=None)

    @property
    def is_busy(self) -> bool:
        return self.request is not None and not self.request.done()

    def is_due(self, now_s: float) -> bool:
        if self.is_busy:
            return False
        if self.error:
            return now_s - self.asked_s > _AGAIN_AFTER_S
        return self.body is None or now_s - self.answered_s > FRESH_S

    def kept(self, now_s: float) -> PeerAnswer:
        age_s = now_s - self.answered_s
        error = self.error or ("" if self.body is not None and age_s <= FRESH_S + 1.0 else _NOT_YET)
        if self.body is None or age_s > USABLE_S:
            return PeerAnswer(error=error or _NOT_YET)
        return PeerAnswer(body=self.body, hello=self.hello, age_ms=int(age_s * 1000), error=error)


class PeerAnswers:
    """One path below the internal endpoints; one per process."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def read(self, plan: PeerPlan) -> Mapping[str, PeerAnswer]:
        """Return the answers by address: of the first choice of each target, and of the next ones while it fails."""
        limit_s = time.monotonic() + settings.SRM_REMOTE.timeout_ms / 1000 * 1.5
        asked: frozenset[str] = frozenset()
        while (chosen := self._chosen(plan)) != asked and time.monotonic() < limit_s:
            self._refresh(plan, chosen, limit_s)
            asked = chosen
        now_s, known = time.monotonic(), {address for each in plan.by_target.values() for address in each}
        ledger.store()
        with self._lock:
            self._entries = {address: entry for address, entry in self._entries.items() if address in known}
            return {address: entry.kept(now_s) for address, entry in self._entries.items()}

    def forget(self) -> None:
        """Forget all answers: between tests."""
        with self._lock:
            self._entries = {}

    def _chosen(self, plan: PeerPlan) -> frozenset[str]:
        """The first service of each target that did not fail last time, and every failed one before it."""
        chosen: set[str] = set()
        with self._lock:
            for addresses in plan.by_target.values():
                for address in addresses:
                    chosen.add(address)
                    if not self._entries.setdefault(address, _Entry()).error:
                        break
        return frozenset(chosen)

    def _refresh(self, plan: PeerPlan, addresses: Collection[str], limit_s: float) -> None:
        now_s = time.monotonic()
        with self._lock:
            entries = [(address, self._entries.setdefault(address, _Entry())) for address in addresses]
            for address, entry in entries:
                if entry.is_due(now_s):
                    entry.asked_s = now_s
                    entry.request = peer_loop.submit(self._ask(plan, address, entry))
            awaited = [entry.request for _, entry in entries if entry.request is not None and not entry.error]
        wait(awaited, timeout=max(0.0, limit_s - now_s))

    async def _ask(self, plan: PeerPlan, address: str, entry: _Entry) -> None:
        try:
            reply, hello = await greet(address, self._path, plan)
        except PeerError as error:
            entry.error = str(error)
        else:
            entry.body, entry.hello, entry.error, entry.answered_s = reply.body, hello, "", time.monotonic()
