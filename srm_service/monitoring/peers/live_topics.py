"""The busiest topics of a flow of another service, for the live socket."""

from typing import Any

from srm_service.core.api.problem import Unavailable
from srm_service.monitoring.contracts import FlowNow, TopicNow
from srm_service.monitoring.peers.forwarding import forwarded
from srm_service.monitoring.peers.shapes import WrongShapeError, decoded

LIVE_TOPICS_PATH = "live-topics"


def remote_live_topics(flow: FlowNow) -> tuple[TopicNow, ...]:
    """Return what the service of the flow reports this second; nothing while it does not answer."""
    try:
        reply = forwarded(flow.service or "", f"{LIVE_TOPICS_PATH}/{flow.source}/{flow.target}", {})
    except Unavailable:
        return ()
    rows = reply.body.get("topics") if reply.status == 200 and isinstance(reply.body, dict) else None
    return tuple(found for row in rows or () if (found := _topic(row)) is not None)


def _topic(row: Any) -> TopicNow | None:
    try:
        topic: TopicNow = decoded(TopicNow, row)
    except WrongShapeError:
        return None
    return topic
