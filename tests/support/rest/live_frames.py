"""Reads the live socket of a running service."""

from collections.abc import Iterable

import orjson
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

_WAIT_S = 30.0


def live_frames(url: str, token: str, topics: Iterable[str]) -> list[bytes]:
    """Subscribe to topics with an API token; returns the answer to each, or how the service refuses the socket."""
    headers = {"Authorization": f"Bearer {token}"}
    address = f"{url.replace('http', 'ws', 1)}/ws/v1/live"
    frames: list[bytes] = []
    try:
        with connect(address, additional_headers=headers, proxy=None, open_timeout=_WAIT_S) as socket:
            for topic in topics:
                socket.send(orjson.dumps({"op": "sub", "topic": topic}).decode())
                frame = next(frame for frame in socket if orjson.loads(frame).get("topic") == topic)
                frames.append(str(frame).encode())
    except ConnectionClosed as closed:
        frames.append(str(closed).encode())
    except InvalidStatus as refused:
        frames.append(str(refused.response).encode())
    return frames
