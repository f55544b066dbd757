"""Metrics over a range of flows of other services, for lists."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

from srm_service.core.contracts import Partial
from srm_service.monitoring.contracts import FlowNow
from srm_service.monitoring.peers.time_limit import TimeLimit
from srm_service.remote.asking.client import PeerError
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.asking.requests import ask
from srm_service.remote.contracts import PeerReply
from srm_service.remote.selectors import peer_plan

ANSWERS_PATH = "answers"
PARTS = ("metrics", "proven_until_ms", "revisions")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteAnswers:
    """The parts of the answer by flow; `partial` names the services without an answer."""

    by_flow: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    partial: tuple[Partial, ...] = ()


def remote_answers(
    flows: Sequence[FlowNow], params: Mapping[str, str], *, silent: Collection[str], limit: TimeLimit
) -> RemoteAnswers:
    """Ask each service of these flows once, all at the same time; those that are silent were named already."""
    addresses = sorted({flow.service for flow in flows if flow.service is not None}.difference(silent))
    if not addresses:
        return RemoteAnswers()
    replies = replies_of(addresses, ANSWERS_PATH, params, limit)
    by_flow: dict[str, Mapping[str, Any]] = {}
    partial = []
    for address, reply in replies.items():
        if isinstance(reply, str):
            partial.append(Partial(peer=address, error=f"metrics: {reply}"))
            continue
        found = reply.body.get("flows") if isinstance(reply.body, dict) else None
        for flow in flows:
            parts = found.get(flow.key) if flow.service == address and isinstance(found, dict) else None
            if isinstance(parts, dict) and isinstance(parts.get("metrics"), dict) and parts.keys() >= set(PARTS):
                by_flow[flow.key] = {name: parts[name] for name in PARTS}
    return RemoteAnswers(by_flow=by_flow, partial=tuple(partial))


def replies_of(
    addresses: Sequence[str], path: str, params: Mapping[str, str], limit: TimeLimit
) -> dict[str, PeerReply | str]:
    """Return the answers of several services, or why there is none; waits at most for what is left of the limit."""
    tokens, left_s = peer_plan().tokens, limit.left_s()
    asked: dict[str, Future[PeerReply]] = {
        address: peer_loop.submit(ask(address, path, token=tokens[address], params=params, timeout_s=left_s))
        for address in addresses
        if address in tokens
    }
    wait(asked.values(), timeout=left_s + 0.1)
    return {address: _reply(asked.get(address)) for address in addresses}


def _reply(asked: "Future[PeerReply] | None") -> PeerReply | str:
    if asked is None:
        return "it is no longer asked"
    if not asked.done():
        asked.cancel()
        return "does not answer in time"
    try:
        return asked.result()
    except PeerError as error:
        return str(error)
