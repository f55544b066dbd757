"""What asking other services has cost and whether they answered: counted in memory, stored every few seconds."""

import threading
import time
from dataclasses import dataclass

from django.db.models import F

from srm_service.core.clock import now_ms
from srm_service.remote.models import PeerState

_STORE_EVERY_S = 5.0


@dataclass(slots=True)
class _Account:
    requests: int = 0
    received_bytes: int = 0
    asked_ms: int = 0
    answered_ms: int | None = None
    error: str = ""
    round_trip_ms: int | None = None


class PeerLedger:
    """One per process; the numbers of all processes are added up in the database."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._accounts: dict[str, _Account] = {}
        self._stored_s = 0.0

    def answered(self, address: str, *, received_bytes: int, round_trip_ms: int) -> None:
        with self._lock:
            account = self._account(address, received_bytes)
            account.answered_ms, account.error, account.round_trip_ms = account.asked_ms, "", round_trip_ms

    def failed(self, address: str, error: str, *, received_bytes: int) -> None:
        with self._lock:
            self._account(address, received_bytes).error = error

    def refused(self, address: str, error: str) -> None:
        """Note what is wrong with an answer that was counted already."""
        with self._lock:
            self._accounts.setdefault(address, _Account()).error = error

    def store(self, *, at_once: bool = False) -> None:
        """Add what was counted to the database, at most every few seconds unless `at_once`."""
        with self._lock:
            if not self._accounts or not (at_once or time.monotonic() - self._stored_s > _STORE_EVERY_S):
                return
            accounts, self._accounts = self._accounts, {}
            self._stored_s = time.monotonic()
        for address, account in accounts.items():
            _store(address, account)

    def _account(self, address: str, received_bytes: int) -> _Account:
        account = self._accounts.setdefault(address, _Account())
        account.requests += 1
        account.received_bytes += received_bytes
        account.asked_ms = now_ms()
        return account


def note_identity(address: str, *, service: str, version: str, clock_difference_ms: int) -> None:
    """Store who answers at an address, and how far its clock is ahead of ours."""
    values = {"service": service, "version": version, "clock_difference_ms": clock_difference_ms}
    PeerState.objects.update_or_create(address=address, defaults=values)


def _store(address: str, account: _Account) -> None:
    PeerState.objects.get_or_create(address=address)
    PeerState.objects.filter(address=address).update(
        requests=F("requests") + account.requests,
        received_bytes=F("received_bytes") + account.received_bytes,
        error=account.error,
        **({} if account.asked_ms == 0 else {"asked_ms": account.asked_ms}),
        **({} if account.answered_ms is None else {"answered_ms": account.answered_ms}),
        **({} if account.round_trip_ms is None else {"round_trip_ms": account.round_trip_ms}),
    )


ledger = PeerLedger()
