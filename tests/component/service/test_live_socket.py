"""The live socket: snapshot, deltas, sequence numbers, and who is turned away."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
import redis
from channels.db import database_sync_to_async
from django.test import Client
from django.test.utils import override_settings
from rest_framework.test import APIClient

from srm_service.asgi import application
from srm_service.live import consumers
from srm_service.live.publisher import publisher
from srm_service.live.tables import FLOW_COLUMNS
from tests.component.service.conftest import at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles
from tests.support.websocket import WebsocketCommunicator

pytestmark = [pytest.mark.django_db(databases=["default", "metrics"], transaction=True), pytest.mark.redis]

_FLOW = ("us-east", "eu-central")
Talk = Callable[[WebsocketCommunicator], Awaitable[None]]


def test_a_reader_gets_a_snapshot_and_then_deltas_that_follow_each_other(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    put(live_redis, live.source_task(*_FLOW, at_ms()))

    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": "flows"})
        snapshot = await socket.receive_json()
        first = await socket.receive_json()
        await asyncio.to_thread(put, live_redis, live.source_task(*_FLOW, at_ms(), records_per_second=7.0))
        changed = await _until(socket, lambda frame: _records(frame) == 7.0)

        assert snapshot["type"] == "snapshot"
        assert snapshot["columns"] == FLOW_COLUMNS
        assert dict(zip(snapshot["columns"], snapshot["rows"][0], strict=True))["status"] == "healthy"
        assert (first["type"], first["epoch"], first["seq"]) == ("delta", snapshot["epoch"], snapshot["seq"] + 1)
        assert changed["seq"] > first["seq"]

    _run(viewer, talk)


def test_a_flow_that_vanishes_is_told_as_removed(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    put(live_redis, live.driver("driver-1", "data", at_ms()))

    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": "drivers"})
        snapshot = await socket.receive_json()
        await asyncio.to_thread(live_redis.delete, "srm:driver:driver-1:data")
        gone = await _until(socket, lambda frame: frame["removed"] != [])

        assert [row[0] for row in snapshot["rows"]] == ["driver-1:data"]
        assert gone["removed"] == ["driver-1:data"]

    _run(viewer, talk)


def test_a_change_of_status_is_an_event(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    put(live_redis, live.source_task(*_FLOW, at_ms()))

    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": "flows"})
        await socket.send_json({"op": "sub", "topic": "events"})
        await _until(socket, lambda frame: frame["type"] == "delta")
        cause = {"code": "fatal", "text": "disk full", "topic": None, "partition": None, "since_ms": at_ms()}
        await asyncio.to_thread(put, live_redis, live.source_task(*_FLOW, at_ms(), state="failed", cause=cause))
        event = await _until(socket, lambda frame: frame["type"] == "event")

        row = dict(zip(event["columns"], event["rows"][0], strict=True))
        assert (row["before"], row["after"]) == ("healthy", "failed")
        assert "Disk full." in row["reason"]

    _run(viewer, talk)


def test_the_topics_of_a_flow_are_a_topic_of_their_own(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    put(live_redis, live.source_task(*_FLOW, at_ms()))

    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": "flow/us-east/eu-central"})
        snapshot = await socket.receive_json()

        assert [row[0] for row in snapshot["rows"]] == ["orders", "payments"]

    _run(viewer, talk)


def test_named_topics_of_a_flow_have_the_numbers_of_their_list(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    tiles.now_row(tiles.series(*_FLOW, "odd/name"), at_ms(), lag=5, state="stalled")
    put(live_redis, live.source_task(*_FLOW, at_ms()), live.plan_document(*_FLOW, at_ms()))
    listed = {row["topic"]: row for row in viewer.get("/api/v2/replications/us-east/eu-central/topics").json()["items"]}
    name = "flow/us-east/eu-central/topics?keys=payments,odd%2Fname"

    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": name})
        snapshot = await socket.receive_json()

        rows = {row[0]: dict(zip(snapshot["columns"], row, strict=True)) for row in snapshot["rows"]}
        assert list(rows) == ["payments", "odd/name"]
        for topic, row in rows.items():
            shown = {**listed[topic], "key": topic, "updated_ms": row["updated_ms"]}
            assert row == {column: shown[column] for column in snapshot["columns"]}
        await asyncio.to_thread(
            put, live_redis, live.source_task(*_FLOW, at_ms(), topic_rates=[["payments", 9, 1, 2, 1]])
        )
        changed = await _until(socket, lambda frame: frame["rows"] != [])
        assert dict(zip(changed["columns"], changed["rows"][0], strict=True))["lag_offsets"] == 2

    _run(viewer, talk)


def test_events_of_drivers_are_there_after_connect_and_follow(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    tiles.event(*_FLOW, at_ms() - 5_000, topic="orders")
    tiles.event(*_FLOW, at_ms() - 9_000)

    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": "events"})
        snapshot = await socket.receive_json()
        await database_sync_to_async(tiles.event)(*_FLOW, at_ms(), to_state="failed", text="disk full")
        event = await _until(socket, lambda frame: frame["type"] == "event")
        await socket.send_json({"op": "sub", "topic": "events"})
        again = await _until(socket, lambda frame: frame["type"] == "snapshot")

        every = [dict(zip(snapshot["columns"], row, strict=True)) for row in snapshot["rows"]]
        found = [row for row in every if row["kind"] != "status"]  # other tests change the status of flows
        assert [(row["kind"], row["topic"], row["after"]) for row in found] == [
            ("slot", None, "running"),
            ("partition", "orders", "stalled"),
        ]
        row = dict(zip(event["columns"], event["rows"][0], strict=True))
        assert (row["kind"], row["after"], row["reason"]) == ("slot", "failed", "disk full")
        assert [row[0] for row in again["rows"]] == [*(row["key"] for row in every), row["key"]]

    _run(viewer, talk)


def test_without_redis_the_socket_lives_and_says_unknown(viewer: APIClient, one_flow: str) -> None:
    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": "flows"})
        snapshot = await socket.receive_json()
        delta = await socket.receive_json()

        row = dict(zip(snapshot["columns"], snapshot["rows"][0], strict=True))
        assert (row["status"], row["records_per_second"]) == ("unknown", None)
        assert delta["type"] == "delta"

    _run(viewer, talk)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ('{"op": "sub", "topic": "nonsense"}', "unknown_topic"),
        ('{"op": "sub", "topic": "flow/only-one"}', "unknown_topic"),
        ('{"op": "sub", "topic": "flow/us-east/nowhere"}', "not_found"),
        ('{"op": "sub", "topic": "flow/us-east/nowhere/topics?keys=orders"}', "not_found"),
        ('{"op": "sub", "topic": "flow/us-east/eu-central/topics"}', "unknown_topic"),
        ('{"op": "sub", "topic": "flow/us-east/eu-central/topics?key=orders"}', "unknown_topic"),
        ('{"op": "dance"}', "bad_message"),
        ("not json", "bad_message"),
        ('{"op": "sub", "topic": 5}', "bad_message"),
        ("[" * 31_000, "bad_message"),
    ],
)
def test_nonsense_is_answered_with_an_error_and_the_socket_stays_open(
    viewer: APIClient, one_flow: str, message: str, code: str
) -> None:
    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_text(message)
        error = await socket.receive_json()
        await socket.send_json({"op": "sub", "topic": "flows"})
        snapshot = await socket.receive_json()

        assert (error["type"], error["code"]) == ("error", code)
        assert snapshot["type"] == "snapshot"

    _run(viewer, talk)


def test_a_socket_without_a_session_is_closed_with_4401() -> None:
    assert asyncio.run(_close_code({})) == consumers.SESSION_ENDED


def test_somebody_without_a_role_is_closed_with_4403(person: Callable[[str | None], APIClient]) -> None:
    assert asyncio.run(_close_code(_cookies(person(None)))) == consumers.NOT_ALLOWED


def test_a_logout_ends_the_socket(viewer: APIClient, one_flow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "PING_S", 0.05)

    async def talk(socket: WebsocketCommunicator) -> None:
        assert (await socket.receive_json())["type"] == "ping"
        await asyncio.to_thread(viewer.logout)
        while (message := await socket.receive())["type"] != "websocket.close":
            pass
        assert message["code"] == consumers.SESSION_ENDED

    _run(viewer, talk)


def test_a_foreign_page_cannot_open_the_socket(viewer: APIClient) -> None:
    async def attempt() -> bool:
        socket = _socket(_cookies(viewer), origin="http://evil.example")
        return await socket.connect()

    assert asyncio.run(attempt()) is False


def test_a_socket_that_is_refused_subscribes_to_nothing(one_flow: str, live_redis: redis.Redis) -> None:
    async def hurry() -> Mapping[str, Any]:
        socket = _socket({})
        assert await socket.connect()
        await socket.send_json({"op": "sub", "topic": "flow/no/flow"})  # before the refusal arrives
        message = await socket.receive()
        await socket.send_json({"op": "sub", "topic": "drivers"})
        await socket.disconnect()
        return message

    message = asyncio.run(hurry())

    assert (message["type"], message["code"]) == ("websocket.close", consumers.SESSION_ENDED)
    assert "flow/no/flow" not in publisher.topics


def test_a_topic_without_readers_is_forgotten(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_json({"op": "sub", "topic": "flow/us-east/eu-central"})
        assert (await socket.receive_json())["type"] == "snapshot"
        assert "flow/us-east/eu-central" in publisher.topics

    _run(viewer, talk)

    assert "flow/us-east/eu-central" not in publisher.topics


@pytest.mark.parametrize(
    "text",
    ["[" * 1_900 + "]" * 90, "[" * 999 + "]" * 999, '{"op": "sub", "topic": "\\ud800"}', "NaN"],
    ids=["not closed", "nested", "lone surrogate", "no number"],
)
def test_a_message_that_cannot_be_read_is_answered_and_the_socket_lives(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, text: str
) -> None:
    async def talk(socket: WebsocketCommunicator) -> None:
        await socket.send_text(text)
        assert (await socket.receive_json())["code"] == "bad_message"
        await socket.send_json({"op": "sub", "topic": "flows"})
        assert (await socket.receive_json())["type"] == "snapshot"

    _run(viewer, talk)


@pytest.mark.parametrize("origin", ["http://testserver:8443", "https://testserver", "http://testserver.example", ""])
def test_another_port_or_scheme_is_another_origin(viewer: APIClient, origin: str) -> None:
    async def attempt() -> bool:
        return await _socket(_cookies(viewer), origin=origin).connect()

    assert asyncio.run(attempt()) is False


@override_settings(CSRF_TRUSTED_ORIGINS=["https://console.example"])
def test_a_trusted_origin_may_open_the_socket(viewer: APIClient) -> None:
    async def attempt() -> bool:
        socket = _socket(_cookies(viewer), origin="https://console.example")
        connected = await socket.connect()
        await socket.disconnect()
        return connected

    assert asyncio.run(attempt()) is True


def test_all_readers_get_the_same_frame_of_a_second(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    async def listen() -> list[dict[int, str]]:
        sockets = [_socket(_cookies(viewer)) for _ in range(2)]
        for socket in sockets:
            await socket.connect()
            await socket.send_json({"op": "sub", "topic": "flows"})
            await socket.receive_json()
        heard = [[await socket.receive_text() for _ in range(3)] for socket in sockets]
        for socket in sockets:
            await socket.disconnect()
        return [{json.loads(frame)["seq"]: frame for frame in frames} for frames in heard]

    first, second = asyncio.run(listen())

    shared = first.keys() & second.keys()
    assert shared
    assert [first[seq] for seq in shared] == [second[seq] for seq in shared]


def _run(client: APIClient, talk: Talk) -> None:
    async def session() -> None:
        socket = _socket(_cookies(client))
        connected = await socket.connect()
        assert connected
        try:
            await talk(socket)
        finally:
            await socket.disconnect()

    asyncio.run(session())


async def _close_code(cookies: dict[str, str]) -> int:
    socket = _socket(cookies)
    await socket.connect()
    message = await socket.receive()
    assert message["type"] == "websocket.close"
    return int(message["code"])


async def _until(socket: WebsocketCommunicator, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    for _ in range(20):
        frame: dict[str, Any] = await socket.receive_json()
        if holds(frame):
            return frame
    raise AssertionError("the frame did not come")


def _records(frame: dict[str, Any]) -> float | None:
    if not frame["rows"]:
        return None
    value: float | None = dict(zip(frame["columns"], frame["rows"][0], strict=True))["records_per_second"]
    return value


def _cookies(client: Client) -> dict[str, str]:
    return {name: morsel.value for name, morsel in client.cookies.items()}


def _socket(cookies: dict[str, str], origin: str = "http://testserver") -> WebsocketCommunicator:
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    headers = [(b"origin", origin.encode()), (b"cookie", cookie.encode()), (b"host", b"testserver")]
    return WebsocketCommunicator(application, "/ws/v1/live", headers=headers)
