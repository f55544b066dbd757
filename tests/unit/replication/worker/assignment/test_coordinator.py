"""The coordinator thread: survives everything, and ends the process when Celery takes no more jobs."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from replication.domain.assignment.stop_reason import StopReason
from replication.worker.assignment.coordinator import Coordinator
from replication.worker.assignment.exchange import Exchange
from replication.worker.assignment.namesake import NamesakeError
from replication.worker.assignment.stop_request import StopRequest
from replication.worker.clock import SystemClock
from replication.worker.hang_watch import HangWatch
from replication.worker.http.driver_report import DriverReport
from replication.worker.http.process_health import ProcessHealth
from replication.worker.jobs.process_jobs import Jobs
from replication.worker.jobs.self_ping import PING_EVERY_MS, SelfPing
from replication.worker.state.redis_store import CoordinatorLostError
from srm_cli.machine.processes import wait_until
from tests.support.clock import StoppedClock


@dataclass(slots=True)
class StubMember:
    """The membership: what it said at the end."""

    stop_request: StopRequest | None = None
    said: list[StopRequest] = field(default_factory=list)

    def renew(self, stop: StopRequest) -> None:
        self.said.append(stop)

    def grace_ms(self) -> int:
        return 45_000

    @property
    def orders(self) -> Any:
        return SimpleNamespace(load_from_disk=lambda: None)


@dataclass(slots=True)
class StubGroup:
    """A group of tasks: why it has no orders any more."""

    told: list[str] = field(default_factory=list)

    def set_orders(self, orders: dict[int, Any], why_stopped: Callable[[int], StopReason]) -> None:
        assert orders == {}
        self.told.append(why_stopped(0).code)


@dataclass(slots=True)
class StubExchange:
    """Rounds that answer or raise what the test put in line."""

    outcomes: list[Exception | None] = field(default_factory=list)
    rounds: list[bool] = field(default_factory=list)  # was_away of each
    clock: Any = field(default_factory=SystemClock)
    has_left: bool = False
    is_handing_over: bool = False
    member: StubMember = field(default_factory=StubMember)
    live: dict[Any, Any] = field(default_factory=dict)
    in_round: Callable[[], None] = field(default=lambda: None)
    has_resigned: bool = False
    group: StubGroup = field(default_factory=StubGroup)
    loss_is_due: bool = False

    def resign(self) -> None:
        assert not self.member.said
        self.has_resigned = True

    def measure_live(self) -> None:
        return

    def round(self, *, was_away: bool, nudged: bool) -> None:
        self.rounds.append(was_away)
        self.in_round()
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if outcome is not None:
            raise outcome

    def leave(self, stop: StopRequest) -> None:
        self.has_left = True

    @property
    def settings(self) -> Any:
        return SimpleNamespace(on_coordinator_loss="continue")

    @property
    def keeper(self) -> Any:
        return SimpleNamespace(holding=list, release=lambda keys: None, stop_is_due=lambda on_loss: self.loss_is_due)

    @property
    def groups(self) -> Any:
        return SimpleNamespace(items=lambda: [(None, self.group)])

    @property
    def tasks(self) -> Any:
        return SimpleNamespace(forget_orders=lambda: None)

    @property
    def desired(self) -> Any:
        return SimpleNamespace(load_from_disk=lambda: None)

    @property
    def store(self) -> Any:
        return SimpleNamespace(wait_for_nudge=lambda timeout_s: True, close=lambda: None)


def coordinator(
    exchange: StubExchange,
    ping: SelfPing,
    gave_up: threading.Event,
    codes: list[int] | None = None,
    started: list[str] | None = None,
) -> Coordinator:
    calls = [] if started is None else started
    idle = SimpleNamespace(
        start_parked=lambda: calls.append("parked"),
        start_due=lambda *, is_away: calls.append("here" if is_away else "sent"),
        ping=lambda: None,
        is_running=False,
    )
    ended = [] if codes is None else codes
    health = ProcessHealth(exchange.clock, ping, None)
    stub = SimpleNamespace(health=health, raw_metrics=None, replace_states=lambda states: None)
    report, jobs = cast("DriverReport", stub), cast("Jobs", idle)
    return Coordinator(cast("Exchange", exchange), jobs, ping, gave_up.set, HangWatch(0), ended.append, report)


def test_neither_an_outage_nor_an_error_ends_the_thread() -> None:
    exchange = StubExchange(outcomes=[RuntimeError("boom"), CoordinatorLostError("gone"), None])
    made = coordinator(exchange, SelfPing(), threading.Event())

    made.start()

    assert wait_until(lambda: len(exchange.rounds) >= 4, 10.0)
    made.begin_stop()
    made.join(5.0)
    assert exchange.rounds[:4] == [False, False, True, False]
    assert made.failures == 1
    assert exchange.has_left


def test_tasks_are_told_why_all_of_them_stop() -> None:
    exchange = StubExchange(outcomes=[CoordinatorLostError("gone")], loss_is_due=True)
    made = coordinator(exchange, SelfPing(), threading.Event())

    made.start()
    assert wait_until(lambda: len(exchange.rounds) >= 2, 10.0)
    made.begin_stop()
    made.join(5.0)

    assert exchange.group.told == ["coordinator_lost", "driver_stops"]


def test_a_dead_consumer_ends_the_process_after_winding_up() -> None:
    clock = StoppedClock()
    exchange = StubExchange()
    ping = SelfPing()
    for number in range(4):
        ping.start_if_due(clock.monotonic_ms() + (number - 4) * PING_EVERY_MS)
    gave_up = threading.Event()

    made = coordinator(exchange, ping, gave_up)
    made.start()

    assert gave_up.wait(5.0)
    made.join(5.0)
    assert exchange.has_left


def test_a_stop_during_a_round_sends_no_more_messages_and_resigns_first() -> None:
    exchange, started = StubExchange(), list[str]()
    made = coordinator(exchange, SelfPing(), threading.Event(), started=started)
    exchange.in_round = made.begin_stop

    made.start()
    made.join(10.0)

    assert started == ["here"]
    assert exchange.has_resigned
    assert exchange.has_left


def test_a_second_process_with_the_same_id_ends_with_the_code_of_a_configuration_error() -> None:
    codes: list[int] = []
    exchange = StubExchange(outcomes=[NamesakeError("already runs")])

    made = coordinator(exchange, SelfPing(), threading.Event(), codes)
    made.start()
    made.join(10.0)

    assert codes == [78]
    assert exchange.has_left


def test_an_ordered_restart_stops_the_process_and_says_that_it_returns() -> None:
    exchange, terminated = StubExchange(member=StubMember(StopRequest(returns_in_ms=30_000))), threading.Event()

    made = coordinator(exchange, SelfPing(), terminated)
    made.start()
    made.join(10.0)

    assert terminated.is_set()
    assert exchange.member.said == [StopRequest(returns_in_ms=30_000)]


def test_a_restart_by_a_signal_keeps_the_tasks_for_the_grace_of_their_flows() -> None:
    exchange = StubExchange()

    made = coordinator(exchange, SelfPing(), threading.Event())
    made.start()
    made.begin_restart()
    made.join(10.0)

    assert exchange.member.said == [StopRequest(returns_in_ms=45_000)]
