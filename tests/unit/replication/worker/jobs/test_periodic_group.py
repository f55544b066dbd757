"""Planner and heartbeat: repeated, shown, renewed with their order, given up when fenced."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import ClusterUnreachableError, FencedError
from replication.domain.plan.slot import ClusterClient
from replication.worker.assignment.task_status import TaskReport
from replication.worker.jobs.periodic_group import PeriodicGroup
from replication.worker.jobs.task_group import FlowOrder
from srm_cli.machine.processes import wait_until
from tests.support.clock import StoppedClock

ORDER = FlowOrder(
    flow=DesiredFlow(source="east"),
    target_alias="west",
    source=ClusterClient(alias="east", bootstrap=("e:1",)),
    target=ClusterClient(alias="west", bootstrap=("w:1",)),
    revision=1,
)


class Work:
    """Counts its runs; fails as long as it holds an error."""

    interval_ms = 10
    takes = False

    def __init__(self, order: FlowOrder, error: Exception | None) -> None:
        self.order = order
        self.error = error
        self.runs = 0
        self.taken = 0
        self.is_closed = False

    def run_once(self, now_ms: int) -> None:
        self.runs += 1
        if self.error is not None:
            raise self.error

    def take(self, order: FlowOrder) -> bool:
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
        self.group = PeriodicGroup("plan", self._open, StoppedClock(), boot="b1")

    def _open(self, order: FlowOrder) -> Work:
        self.works.append(Work(order, self.error))
        return self.works[-1]

    @contextmanager
    def running(self, order: FlowOrder = ORDER) -> Iterator[None]:
        self.group.set_orders({0: order})
        thread = threading.Thread(target=self.group.run)
        thread.start()
        yield
        self.group.set_orders({})
        thread.join(5.0)
        assert not thread.is_alive()


def test_the_work_is_repeated_over_the_same_connections() -> None:
    bench = Bench()

    with bench.running():
        assert wait_until(lambda: bool(bench.works) and bench.works[0].runs >= 3, 5.0)
        assert bench.group.status(0).state == "running"

    assert len(bench.works) == 1
    assert bench.works[0].is_closed
    assert bench.group.is_idle(0)


def test_another_order_starts_afresh() -> None:
    bench = Bench()

    with bench.running():
        assert wait_until(lambda: len(bench.works) == 1, 5.0)
        bench.group.set_orders({0: replace(ORDER, flow=DesiredFlow(source="east", tasks_max=9))})
        assert wait_until(lambda: len(bench.works) == 2, 5.0)
        assert bench.works[0].is_closed


def test_an_order_that_the_work_takes_over_restarts_nothing() -> None:
    bench = Bench()

    with bench.running():
        assert wait_until(lambda: len(bench.works) == 1, 5.0)
        bench.works[0].takes = True
        bench.group.set_orders({0: replace(ORDER, flow=DesiredFlow(source="east", tasks_max=9))})
        assert wait_until(lambda: bench.works[0].taken == 1, 5.0)
        runs = bench.works[0].runs
        assert wait_until(lambda: bench.works[0].runs > runs, 5.0)

    assert (len(bench.works), bench.works[0].taken) == (1, 1)


def test_a_group_runs_the_order_of_its_own_slot_only() -> None:
    bench = Bench()
    second = PeriodicGroup("checkpoint", bench._open, StoppedClock(), boot="b1", slot=1)

    second.set_orders({0: ORDER})
    assert not second.needs_job()

    second.set_orders({1: ORDER})
    assert second.needs_job()


def test_a_later_revision_that_says_the_same_is_no_other_order() -> None:
    assert replace(ORDER, revision=2) == ORDER


def test_a_failure_is_shown_with_its_cause_until_a_run_succeeds() -> None:
    bench = Bench(ClusterUnreachableError("cluster east does not answer", cluster="east"))

    with bench.running():
        assert wait_until(lambda: bench.group.status(0).state == "failed", 5.0)
        cause = bench.group.status(0).cause
        assert cause is not None
        assert cause.code == "cluster_unreachable"
        bench.works[0].error = None
        assert wait_until(lambda: bench.group.status(0).state == "running", 5.0)
        assert bench.group.status(0).cause is None


def test_fenced_work_ends_and_needs_no_job_until_it_is_wanted_again() -> None:
    bench = Bench(FencedError("another owner"))
    bench.group.set_orders({0: ORDER})

    bench.group.run()

    assert bench.group.status(0).fenced
    assert not bench.group.needs_job()
    bench.group.set_orders({})
    bench.group.set_orders({0: ORDER})
    assert bench.group.needs_job()
