"""The live socket: who may listen, what to, and whether the listener is still there."""

import asyncio
import json
from importlib import import_module
from typing import Any

import orjson
from channels.auth import get_user
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from srm_service.core.auth.roles import includes, role_of
from srm_service.core.clock import now_ms
from srm_service.live.origin import AUTHORIZATION, client_of, header_of
from srm_service.live.payloads import LiveError, LivePing
from srm_service.live.publisher import Reader, publisher
from srm_service.live.reading import UnknownFlowError
from srm_service.live.topic_names import UnknownTopicError
from srm_service.people.auth.token_auth import bearer_token, token_owner

SESSION_ENDED = 4401
NOT_ALLOWED = 4403
PING_S = 15.0
_LONGEST_MESSAGE = 30_000  # a hundred names of topics
_MOST_TOPICS = 20


class LiveWebsocketConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """One per socket. Session or token are verified again with every ping, so a logout ends the socket."""

    async def connect(self) -> None:
        self._reader = Reader()
        self._topics: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._is_admitted = False
        await self.accept()  # a browser sees the close code only of a socket that was accepted
        code = await self._refused()
        if code is not None:
            await self.close(code=code)
            return
        self._is_admitted = True
        self._tasks = [asyncio.create_task(self._send_frames()), asyncio.create_task(self._ping())]

    async def disconnect(self, code: int) -> None:
        self._is_admitted = False
        publisher.leave(self._reader)
        for task in self._tasks:
            task.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self._is_admitted:
            return  # sent before the refusal arrived
        message = _parsed(text_data)
        match message:
            case {"op": "sub", "topic": str(topic)} if len(self._topics | {topic}) <= _MOST_TOPICS:
                await self._subscribe(topic)
            case {"op": "unsub", "topic": str(topic)}:
                self._topics.discard(topic)
                publisher.unsubscribe(topic, self._reader)
            case {"op": "pong"}:
                pass
            case _:
                await self._error("bad_message", "expected {op: sub|unsub, topic} or {op: pong}", None)

    async def _subscribe(self, topic: str) -> None:
        try:
            publisher.unsubscribe(topic, self._reader)
            await publisher.subscribe(topic, self._reader)
        except UnknownTopicError as error:
            await self._error("unknown_topic", str(error), topic)
            return
        except UnknownFlowError as error:
            await self._error("not_found", str(error), topic)
            return
        self._topics.add(topic)

    async def _send_frames(self) -> None:
        while True:
            await self.send(text_data=await self._reader.next())

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_S)
            code = await self._refused()
            if code is not None:
                self._is_admitted = False
                await self.close(code=code)
                return
            ping: LivePing = {"type": "ping", "time_ms": now_ms()}
            await self.send(text_data=json.dumps(ping))

    async def _refused(self) -> int | None:
        user = await self._user()
        if not user.is_authenticated:
            return SESSION_ENDED
        return None if includes(await database_sync_to_async(role_of)(user), "viewer") else NOT_ALLOWED

    async def _user(self) -> Any:
        token = bearer_token(header_of(self.scope, AUTHORIZATION))
        if token is not None:
            return await database_sync_to_async(token_owner)(token, client_of(self.scope))
        # A new store each time: the scope's own one remembers what it read when the socket was opened.
        session = import_module(settings.SESSION_ENGINE).SessionStore(self.scope["session"].session_key)
        return await get_user({"session": session})

    async def _error(self, code: Any, text: str, topic: str | None) -> None:
        error: LiveError = {"type": "error", "code": code, "text": text, "time_ms": now_ms()}
        if topic is not None:
            error["topic"] = topic
        await self.send(text_data=json.dumps(error))


def _parsed(text: str | None) -> object:
    try:
        return orjson.loads(text) if text is not None and len(text) <= _LONGEST_MESSAGE else None
    except orjson.JSONDecodeError:  # also for JSON that is nested too deeply, and for lone surrogates
        return None
