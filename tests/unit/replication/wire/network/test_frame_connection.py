"""Requests of ours share one timer per connection, and none is forgotten by it."""

from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import kafka.errors as kafka_errors
import pytest
from kafka.future import Future

from replication.wire.network import frame_connection
from replication.wire.network.frame_connection import FrameConnection
from replication.wire.network.negotiation import NegotiatedRequest


class Ours(NegotiatedRequest):
    API_KEY = 1
    name = "Ours"
    min_version = 0

    def __init__(self) -> None:
        super().__init__(4)

    def expect_response(self) -> bool:
        return True

    def decode_answer(self, _body: Any, _frame: Any) -> None:
        return None


class Versions:
    asked = 0

    def api_version(self, _request: Any) -> int:
        self.asked += 1
        return 3


class Net:
    def __init__(self) -> None:
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def call_at(self, when: float, call: Callable[[], None]) -> None:
        self.timers.append((when, call))


class Wire:
    """Parser and transport in one: takes everything, answers nothing."""

    sent = 0

    def send_request(self, _request: Any) -> int:
        self.sent += 1
        return self.sent

    def send_bytes(self) -> list[bytes]:
        return []

    def write(self, _data: Any) -> None:
        return None


class Connection(FrameConnection):
    """One that is open, without a socket."""

    def __init__(self, clock: "Clock") -> None:
        self.clock = clock
        self.net, self.wire = Net(), Wire()
        self.parser: Any = self.wire
        self.transport = self.wire
        self.broker_version_data = Versions()
        self._versions = {}
        self.in_flight_requests: deque[Any] = deque()
        self._request_buffer: deque[Any] = deque()
        self._timeout_secs = 30.0
        self._reauth = SimpleNamespace(is_reauthenticating=False)
        self.paused: set[str] = set()
        self.overdue: list[Future] = []
        self.is_closed = False

    @property
    def closed(self) -> bool:
        return self.is_closed

    def _request_timed_out(self, future: Future, _sent_at: float, _timeout_at: float) -> None:
        self.overdue.append(future)

    def ask(self, until: float) -> Future:
        return self._send_request(Ours(), timeout_at=until)

    def ring_until(self, now: float) -> None:
        """Every timer that is due by then, in order."""
        while due := [timer for timer in self.net.timers if timer[0] <= now]:
            first = min(due, key=lambda timer: timer[0])
            self.net.timers.remove(first)
            self.clock.now = first[0]
            first[1]()
        self.clock.now = now


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch) -> Connection:
    clock = Clock()
    monkeypatch.setattr(frame_connection, "time", clock)
    return Connection(clock)


def test_answered_requests_cost_no_timer_of_their_own(connection: Connection) -> None:
    for _ in range(50):
        connection.ask(connection.clock.now + 30)
        connection.in_flight_requests.popleft()
        connection.clock.now += 0.1

    assert len(connection.net.timers) == 1
    connection.ring_until(200)
    assert connection.overdue == []
    assert connection.net.timers == []


def test_the_oldest_request_without_an_answer_is_overdue_in_time(connection: Connection) -> None:
    connection.ask(130)
    connection.in_flight_requests.popleft()
    lost = connection.ask(135)
    connection.ask(140)

    connection.ring_until(134.9)
    assert connection.overdue == []
    connection.ring_until(135)

    assert connection.overdue == [lost]


def test_a_request_that_may_wait_less_than_those_before_it_is_watched_as_well(connection: Connection) -> None:
    connection.ask(130)
    hasty = connection.ask(101)

    connection.ring_until(101)

    assert connection.overdue == [hasty]


def test_one_that_is_overdue_when_it_is_sent_and_one_on_a_closed_connection_fail(connection: Connection) -> None:
    late = connection.ask(99)
    connection.is_closed = True
    closed = connection.ask(130)

    assert isinstance(late.exception, kafka_errors.KafkaTimeoutError)
    assert isinstance(closed.exception, kafka_errors.KafkaConnectionError)
    assert connection.wire.sent == 0


def test_the_version_of_a_kind_of_request_is_chosen_once(connection: Connection) -> None:
    for _ in range(3):
        connection.ask(130)

    assert connection.broker_version_data.asked == 1


class Answer:
    throttle_time_ms = 20_000


def test_a_broker_that_mutes_us_for_its_quota_is_waited_for(connection: Connection) -> None:
    asked = connection.ask(130)
    connection._maybe_throttle(Answer())

    later = connection.ask(131)
    connection.ring_until(149)

    assert not connection.paused
    assert not later.is_done
    assert connection.overdue == []
    connection.ring_until(151)
    assert connection.overdue == [asked]


def test_requests_of_a_connection_that_is_held_are_sent_in_their_order_when_it_is_let_go(
    connection: Connection,
) -> None:
    connection.is_held, connection.connected, connection.initializing = True, True, False
    answers = [connection.send_request(Ours()) for _ in range(3)]
    connection.send_buffered()
    assert connection.wire.sent == 0

    connection.let_go()

    assert connection.wire.sent == 3
    assert [future for _number, future, *_ in connection.in_flight_requests] == answers
