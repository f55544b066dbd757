"""Planner and heartbeat: repeated when due, shown, renewed with their order, ended when fenced."""

import threading
from dataclasses import dataclass, replace
from typing import Any

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow
from replication.domain.errors import ClusterUnreachableError, FencedError
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.registry.drivers import RETRY_COUNT, RETRY_DELAY
from replication.worker.assignment.task_status import TaskReport
from replication.worker.jobs.task_group import FlowOrder
from replication.worker.periodic.current_run import LONG_RUN_MS
from replication.worker.periodic.periodic_group import PeriodicGroup
from tests.support.clock import StoppedClock

ORDER = FlowOrder(
    flow=DesiredFlow(source="east"),
    target_alias="west",
    source=ClusterClient(alias="east", bootstrap=("e:1",)),
    target=ClusterClient(alias="west", bootstrap=("w:1",)),
    revision=1,
)
OTHER_ORDER = replace(ORDER, flow=DesiredFlow(source="east", tasks_max=9))


@dataclass
class Work:
    """Counts its runs; fails as long as it holds an error."""

    order: FlowOrder
    error: Exception | None
    interval_ms: int = 5_000
    takes: bool = False
    runs: int = 0
    taken: int = 0
    is_closed: bool = False

    def run_once(self, now_ms: int) -> None:
        self.runs += 1
        if self.error is not None:
            raise self.error

    def apply_order(self, order: FlowOrder) -> bool:
        self.taken += self.takes
        return self.takes

    def report(self) -> TaskReport | None:
        return None

    def live(self) -> dict[str, Any]:
        return {"runs": self.runs}

    def close(self) -> None:
        self.is_closed = True


class Bench:
    def __init__(self, error: Exception | None = None) -> None:
        self.works: list[Work] = []
        self.error = error
        self.clock = StoppedClock()
        self.group = PeriodicGroup("plan", self._open, self.clock)

    def _open(self, order: FlowOrder) -> Work:
        self.works.append(Work(order, self.error))
        return self.works[-1]

    def order(self, order: FlowOrder | None) -> None:
        self.group.set_orders({} if order is None else {0: order})

    def is_due(self) -> bool:
        return self.group.due(self.clock.monotonic_ms()) is not None

    def run(self) -> None:
        assert self.is_due()
        self.group.run()


def test_the_work_is_repeated_at_its_interval_over_the_same_connections() -> None:
    bench = Bench()
    assert not bench.is_due()

    bench.order(ORDER)
    bench.run()
    assert (bench.group.status(0).state, bench.is_due()) == ("running", False)
    bench.clock.move(4_999)
    assert not bench.is_due()
    bench.clock.move(1)
    bench.run()

    assert [work.runs for work in bench.works] == [2]


def test_without_an_order_the_connections_are_closed_before_the_slot_is_idle() -> None:
    bench = Bench()
    bench.order(ORDER)
    bench.run()

    bench.order(None)
    assert (bench.group.status(0).state, bench.group.is_idle(0)) == ("stopping", False)
    due = bench.group.due(bench.clock.monotonic_ms())
    assert due is not None
    assert (due.what, due.clusters) == ("end", frozenset())
    bench.run()

    assert bench.works[0].is_closed
    assert bench.group.is_idle(0)
    assert not bench.is_due()


def test_another_order_runs_at_once_over_new_connections() -> None:
    bench = Bench()
    bench.order(ORDER)
    bench.run()

    bench.order(OTHER_ORDER)
    bench.run()

    assert [work.is_closed for work in bench.works] == [True, False]


def test_an_order_that_the_work_takes_over_runs_at_once_and_opens_nothing() -> None:
    bench = Bench()
    bench.order(ORDER)
    bench.run()
    bench.works[0].takes = True

    bench.order(OTHER_ORDER)
    bench.run()

    assert (len(bench.works), bench.works[0].taken, bench.works[0].runs) == (1, 1, 2)


def test_an_order_that_comes_during_a_run_runs_after_it() -> None:
    bench = Bench()
    bench.order(ORDER)
    bench.run()
    work = bench.works[0]
    work.takes = True

    class Slow:
        """Replaces the run: an order arrives meanwhile."""

        def __call__(self, now_ms: int) -> None:
            bench.order(OTHER_ORDER)

    bench.clock.move(5_000)
    work.run_once = Slow()  # type: ignore[method-assign]
    bench.run()

    assert bench.is_due()


def test_a_group_runs_the_order_of_its_own_slot_only() -> None:
    bench = Bench()
    second = PeriodicGroup("checkpoint", bench._open, bench.clock, slot=1)

    second.set_orders({0: ORDER})
    assert second.due(bench.clock.monotonic_ms()) is None

    second.set_orders({1: ORDER})
    assert second.due(bench.clock.monotonic_ms()) is not None


def test_a_run_names_the_clusters_that_it_needs() -> None:
    bench = Bench()
    beats = PeriodicGroup("heartbeat", bench._open, bench.clock)
    for group in (bench.group, beats):
        group.set_orders({0: ORDER})

    found = [group.due(bench.clock.monotonic_ms()) for group in (bench.group, beats)]

    assert [set() if due is None else set(due.clusters) for due in found] == [{"east", "west"}, {"west"}]


def test_a_later_revision_that_says_the_same_is_no_other_order() -> None:
    assert replace(ORDER, revision=2) == ORDER


def test_a_failure_is_repeated_with_back_off_and_shown_until_a_run_succeeds() -> None:
    bench = Bench(ClusterUnreachableError("cluster east does not answer", cluster="east"))
    bench.order(ORDER)
    bench.run()

    cause = bench.group.status(0).cause
    assert (bench.group.status(0).state, cause and cause.code) == ("failed", "cluster_unreachable")
    assert not bench.is_due()
    for pause_ms in (1_000, 2_000, 4_000):
        bench.clock.move(pause_ms - 1)
        assert not bench.is_due()
        bench.clock.move(1)
        bench.run()
    bench.works[0].error = None
    bench.clock.move(8_000)
    bench.run()

    assert (bench.group.status(0).state, bench.group.status(0).cause) == ("running", None)


def test_a_flow_with_a_retry_count_stays_failed_until_it_changes() -> None:
    bench = Bench(ClusterUnreachableError("cluster east does not answer", cluster="east"))
    settings = ConnectorSettings(source={RETRY_COUNT.key: "1", RETRY_DELAY.key: "2000"})
    limited = replace(ORDER, flow=replace(ORDER.flow, connectors=settings))
    bench.order(limited)
    bench.run()
    bench.clock.move(2_000)
    bench.run()

    bench.clock.move(3_600_000)
    assert not bench.is_due()
    cause = bench.group.status(0).cause
    assert cause is not None
    assert "retried 1 time" in cause.text
    bench.order(replace(limited, flow=replace(limited.flow, tasks_max=9)))
    assert bench.is_due()


def test_fenced_work_ends_and_runs_again_when_it_is_wanted_again() -> None:
    bench = Bench(FencedError("another owner"))
    bench.order(ORDER)
    bench.run()
    bench.run()  # closes the connections

    assert bench.group.status(0).fenced
    assert bench.works[0].is_closed
    assert not bench.is_due()
    bench.order(None)
    bench.order(ORDER)
    assert bench.is_due()


def test_a_run_that_does_not_end_is_named_with_the_place_where_it_waits() -> None:
    bench = Bench()
    begun, released = threading.Event(), threading.Event()

    def hang_in_a_library(now_ms: int) -> None:
        begun.set()
        released.wait(30)

    bench.order(ORDER)
    bench.run()
    bench.works[0].run_once = hang_in_a_library  # type: ignore[method-assign]
    bench.clock.move(5_000)
    thread = threading.Thread(target=bench.group.run)
    thread.start()
    assert begun.wait(10)
    assert bench.group.status(0).cause is None

    bench.clock.move(LONG_RUN_MS)
    cause = bench.group.status(0).cause
    released.set()
    thread.join(10)

    assert cause is not None
    assert cause.code == "long_run"
    assert "for 60 s and waits in wait (threading.py" in cause.text


def test_what_waits_for_room_says_so_until_it_runs() -> None:
    bench = Bench()
    bench.order(ORDER)

    bench.group.wait_for_room("no thread is free")
    cause = bench.group.status(0).cause
    assert (bench.group.status(0).state, cause and (cause.code, cause.text)) == (
        "starting",
        ("no_room", "no thread is free"),
    )
    bench.run()

    assert bench.group.status(0).cause is None
