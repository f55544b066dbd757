"""One request to another service: sent, counted, and its answer checked."""

from collections.abc import Mapping
from dataclasses import dataclass

from srm_service.core.clock import clock_problem, now_ms
from srm_service.remote.asking.client import PeerError
from srm_service.remote.asking.ledger import ledger
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.contracts import PeerPlan, PeerReply

PROTOCOL = 1  # of the internal endpoints
_LATEST_MS = 253_402_300_799_999  # the end of the year 9999
_REFUSALS = {
    401: "does not accept the token: create one there (scope peer) and store it with srm-control services trust",
    403: "does not accept the token: it needs the scope peer",
    404: "has no internal endpoints: it may be an older version, or its root path differs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerHello:
    """The service that answers, and how far its clock is ahead of ours."""

    service: str
    version: str
    clock_difference_ms: int

    @property
    def clock_problem(self) -> str:
        """Return that the clocks differ; empty if they agree."""
        return clock_problem(self.clock_difference_ms)


async def ask(
    address: str,
    path: str,
    *,
    token: str,
    params: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    passes_on: frozenset[int] = frozenset(),
) -> PeerReply:
    """Return the answer of an address, and count it; for the loop. Raises PeerError.

    Other statuses than 200 are errors, but for those that the caller passes on.
    """
    client = await peer_loop.client()
    try:
        reply = await client.get(address, path, token=token, params=params or {}, timeout_s=timeout_s)
    except PeerError as error:
        ledger.failed(address, str(error), received_bytes=error.received_bytes)
        raise
    if reply.status != 200 and reply.status not in passes_on:
        text = _REFUSALS.get(reply.status, f"answers with status {reply.status}")
        ledger.failed(address, text, received_bytes=reply.received_bytes)
        raise PeerError(text)
    ledger.answered(address, received_bytes=reply.received_bytes, round_trip_ms=reply.round_trip_ms)
    return reply


async def greet(address: str, path: str, plan: PeerPlan) -> tuple[PeerReply, PeerHello]:
    """Return an answer that says who answers, and who that is; for the loop. Raises PeerError."""
    reply = await ask(address, path, token=plan.tokens[address])
    try:
        return reply, _hello(reply, address, plan)
    except PeerError as error:
        ledger.refused(address, str(error))
        raise


def _hello(reply: PeerReply, address: str, plan: PeerPlan) -> PeerHello:
    """Raises PeerError, also for a service that does not advertise this address."""
    match reply.body:
        case {"v": int(protocol)} if protocol > PROTOCOL:
            raise PeerError(f"speaks version {protocol} of the internal protocol: upgrade this service")
        case {"v": int(), "service": str(service), "version": str(version), "time_ms": int(time_ms)}:
            expected = {offer.service for offer in plan.offers if offer.address == address}
            if service == plan.service:
                raise PeerError("is this service itself: its address belongs in no allow list")
            if service not in expected:
                raise PeerError("is another service than the one that advertises this address")
            if not 0 <= time_ms <= _LATEST_MS:
                raise PeerError("answers a time that is none")
            difference_ms = time_ms - (now_ms() - reply.round_trip_ms // 2)
            return PeerHello(service=service, version=_printable(version), clock_difference_ms=difference_ms)
    raise PeerError("answers something else than a service of this kind does")


def _printable(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable())[:200]
