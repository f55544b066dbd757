"""The live socket with API tokens: programs need no cookie and no origin."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.asgi import application
from srm_service.live import consumers
from srm_service.people.models import ApiToken
from tests.support.websocket import WebsocketCommunicator

pytestmark = pytest.mark.django_db(databases=["default", "metrics"], transaction=True)


def _token(client: APIClient, scope: str) -> str:
    answer = client.post("/api/v2/tokens", {"name": "watcher", "scopes": [scope]}, format="json")
    return str(answer.json()["token"])


def _socket(token: str) -> WebsocketCommunicator:
    headers = [(b"host", b"testserver"), (b"authorization", f"Bearer {token}".encode())]
    return WebsocketCommunicator(application, "/ws/v1/live", headers=headers)


async def _first(socket: WebsocketCommunicator) -> Mapping[str, Any]:
    assert await socket.connect()
    await socket.send_json({"op": "sub", "topic": "nothing"})
    message = await socket.receive()
    await socket.disconnect()
    return message


def test_a_reading_token_opens_the_socket(viewer: APIClient) -> None:
    message = asyncio.run(_first(_socket(_token(viewer, "read"))))

    assert "unknown_topic" in message["text"]


def test_a_wrong_token_and_one_without_the_scope_are_closed(viewer: APIClient) -> None:
    wrong = asyncio.run(_first(_socket("srm_aaaaaaaaaaaa_x")))
    metrics = asyncio.run(_first(_socket(_token(viewer, "metrics"))))

    assert (wrong["type"], wrong["code"]) == ("websocket.close", consumers.SESSION_ENDED)
    assert (metrics["type"], metrics["code"]) == ("websocket.close", consumers.NOT_ALLOWED)


def test_a_revoked_token_ends_its_open_socket(viewer: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "PING_S", 0.05)
    token = _token(viewer, "read")

    async def listen() -> Mapping[str, Any]:
        socket = _socket(token)
        assert await socket.connect()
        assert "ping" in await socket.receive_text()
        await asyncio.to_thread(ApiToken.objects.all().delete)
        message = await socket.receive()
        while message["type"] == "websocket.send":
            message = await socket.receive()
        await socket.disconnect()
        return message

    assert asyncio.run(listen())["code"] == consumers.SESSION_ENDED
