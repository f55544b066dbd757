"""The busiest topics of flows of other services, for the live socket."""

from collections.abc import Iterable
from concurrent.futures import Future, wait
from typing import Any

from django.conf import settings

from srm_service.monitoring.contracts import FlowNow, TopicNow
from srm_service.monitoring.peers.shapes import WrongShapeError, decoded
from srm_service.remote.asking.client import PeerError
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.asking.requests import ask
from srm_service.remote.contracts import PeerReply
from srm_service.remote.selectors import peer_plan

LIVE_TOPICS_PATH = "live-topics"


def remote_live_topics(flows: Iterable[FlowNow]) -> dict[str, tuple[TopicNow, ...]]:
    """Return what their services report this second, by flow; nothing for those that do not answer in half the limit.

    All are asked at the same time, since the frames of every topic wait for them.
    """
    limit_s, tokens = settings.SRM_REMOTE.timeout_ms / 2000, peer_plan().tokens
    asked = {flow.key: _ask(flow, token, limit_s) for flow in flows if (token := tokens.get(flow.service or ""))}
    wait(asked.values(), timeout=limit_s + 0.1)
    return {key: _topics(reply) for key, reply in asked.items()}


def _ask(flow: FlowNow, token: str, limit_s: float) -> "Future[PeerReply]":
    path = f"{LIVE_TOPICS_PATH}/{flow.source}/{flow.target}"
    return peer_loop.submit(ask(flow.service or "", path, token=token, timeout_s=limit_s))


def _topics(asked: "Future[PeerReply]") -> tuple[TopicNow, ...]:
    if not asked.done():
        asked.cancel()
        return ()
    try:
        body = asked.result().body
    except PeerError:  # is in the ledger
        return ()
    rows = body.get("topics") if isinstance(body, dict) else None
    return tuple(found for row in (rows if isinstance(rows, list) else ()) if (found := _topic(row)) is not None)


def _topic(row: Any) -> TopicNow | None:
    try:
        topic: TopicNow = decoded(TopicNow, row)
    except WrongShapeError:
        return None
    return topic
