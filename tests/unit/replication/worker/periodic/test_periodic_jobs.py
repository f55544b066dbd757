"""Due runs become messages: one in flight per task, batches of heartbeats, room for each cluster, local runs."""

import threading
from dataclasses import dataclass, field
from typing import Any

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import ClusterUnreachableError, ConfigurationError
from replication.domain.identifiers import TaskKind
from replication.domain.plan.slot import ClusterClient
from replication.worker.assignment.task_status import TaskReport
from replication.worker.jobs.group_registry import GroupKey, GroupRegistry
from replication.worker.jobs.task_group import FlowOrder
from replication.worker.periodic.periodic_group import PeriodicGroup
from replication.worker.periodic.periodic_jobs import HEARTBEATS_PER_JOB, RESEND_MS, SAY_WAITING_MS, PeriodicJobs
from tests.support.clock import StoppedClock
from tests.support.eventually import eventually

CAPACITY = 32
Message = tuple[TaskKind, str, list[str], str]


@dataclass
class Work:
    """Fails while its target is dead."""

    bench: "Bench"
    order: FlowOrder
    interval_ms: int = 5_000

    def prepare(self, now_ms: int) -> None:
        if self.order.flow.source in self.bench.unprepared:
            raise ConfigurationError("not allowed", cluster=self.order.target_alias)
        self.bench.events.append(f"prepare {self.order.flow.source}")

    def run_once(self, now_ms: int) -> None:
        self.bench.events.append(f"run {self.order.flow.source}")
        self.bench.runs.append(self.order.flow.source)
        if self.order.target_alias in self.bench.dead:
            raise ClusterUnreachableError("it does not answer", cluster=self.order.target_alias)

    def apply_order(self, order: FlowOrder) -> bool:
        return False

    def report(self) -> TaskReport | None:
        return None

    def live(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        self.bench.closed.append(self.order.flow.source)


@dataclass
class Bench:
    clock: StoppedClock = field(default_factory=StoppedClock)
    runs: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)
    unprepared: set[str] = field(default_factory=set)
    events: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    refusal: Exception | None = None

    def __post_init__(self) -> None:
        self.groups = GroupRegistry(lambda key: PeriodicGroup(key.kind, lambda order: Work(self, order), self.clock))
        self.jobs = PeriodicJobs(self.groups, self._send, self.clock, driver="d1", boot="b1", capacity=CAPACITY)

    def _send(self, kind: TaskKind, target: str, sources: list[str], batch: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.messages.append((kind, target, sources, batch))

    def order(self, kind: TaskKind, source: str, target: str = "west", *, wanted: bool = True) -> None:
        clients = [ClusterClient(alias=alias, bootstrap=(f"{alias}:1",)) for alias in (source, target)]
        order = FlowOrder(flow=DesiredFlow(source=source), target_alias=target, source=clients[0], target=clients[1])
        group: Any = self.groups.get(GroupKey(kind, target, source))
        group.set_orders({0: order} if wanted else {})

    def send_due(self, *, is_away: bool = False) -> list[Message]:
        self.messages.clear()
        self.jobs.send_due(is_away=is_away)
        return list(self.messages)

    def deliver(self, messages: list[Message]) -> None:
        for *_, batch in messages:
            self.jobs.run(batch)

    def cause(self, kind: TaskKind, source: str, target: str = "west") -> str | None:
        cause = self.groups.get(GroupKey(kind, target, source)).status(0).cause
        return None if cause is None else f"{cause.code}: {cause.text}"


def test_a_due_run_is_sent_once_and_runs_once() -> None:
    bench = Bench()
    bench.order("plan", "east")

    sent = bench.send_due()
    assert [message[:3] for message in sent] == [("plan", "west", ["east"])]
    assert bench.send_due() == []
    bench.deliver(sent)
    bench.deliver(sent)  # a second delivery

    assert bench.runs == ["east"]
    bench.clock.move(5_000)
    assert len(bench.send_due()) == 1


def test_a_lost_message_is_sent_again_and_the_first_that_arrives_runs() -> None:
    bench = Bench()
    bench.order("plan", "east")
    late = bench.send_due()

    bench.clock.move(RESEND_MS)
    again = bench.send_due()
    assert again == late
    bench.deliver(late)
    bench.deliver(again)

    assert bench.runs == ["east"]


def test_heartbeats_of_a_target_share_messages() -> None:
    bench = Bench()
    for number in range(HEARTBEATS_PER_JOB + 1):
        bench.order("heartbeat", f"s{number:02}")
    bench.order("heartbeat", "east", "north")

    sent = bench.send_due()

    assert sorted((target, len(sources)) for _, target, sources, _ in sent) == [
        ("north", 1),
        ("west", 1),
        ("west", HEARTBEATS_PER_JOB),
    ]


def test_a_batch_is_prepared_before_its_first_run() -> None:
    bench = Bench()
    for number in range(2):
        bench.order("heartbeat", f"s{number}")

    bench.deliver(bench.send_due())

    assert bench.events == ["prepare s0", "prepare s1", "run s0", "run s1"]


def test_a_heartbeat_that_cannot_be_prepared_fails_alone() -> None:
    bench = Bench(unprepared={"s1"})
    for number in range(3):
        bench.order("heartbeat", f"s{number}")

    bench.deliver(bench.send_due())

    assert bench.runs == ["s0", "s2"]
    assert [bench.cause("heartbeat", f"s{number}") for number in range(3)] == [
        None,
        "configuration: not allowed",
        None,
    ]


def test_a_dead_cluster_fails_a_whole_batch_by_one_run() -> None:
    bench = Bench(dead={"west"})
    for number in range(3):
        bench.order("heartbeat", f"s{number}")

    bench.deliver(bench.send_due())

    assert bench.runs == ["s0"]
    assert {bench.cause("heartbeat", f"s{number}") for number in range(3)} == {
        "cluster_unreachable: it does not answer"
    }
    assert bench.send_due() == []
    bench.clock.move(1_000)
    assert [message[2] for message in bench.send_due()] == [["s0", "s1", "s2"]]


def test_runs_that_hang_leave_room_for_other_clusters_and_the_others_say_why_they_wait() -> None:
    bench = Bench()
    bench.order("plan", "east")
    bench.deliver(bench.send_due())
    for number in range(100):
        bench.order("plan", f"dead{number:02}", "hung")
    assert len(bench.send_due()) == CAPACITY // 2

    bench.clock.move(5_000)
    sent = bench.send_due()
    assert [message[:3] for message in sent] == [("plan", "west", ["east"])]
    bench.deliver(sent)

    assert str(bench.cause("plan", "dead99", "hung")).startswith("no_room: waits until other runs over cluster ")


def test_a_full_control_worker_names_its_capacity_and_the_remedy() -> None:
    bench = Bench()
    for number in range(CAPACITY):
        bench.order("heartbeat", "east", f"t{number:02}")
    while sent := bench.send_due():
        bench.deliver(sent)
    bench.clock.move(5_000)
    assert len(bench.send_due()) == CAPACITY
    for number in range(CAPACITY):
        bench.order("heartbeat", "north", f"t{number:02}")

    bench.clock.move(SAY_WAITING_MS)
    bench.send_due()

    text = str(bench.cause("heartbeat", "north", "t00"))
    assert text.startswith("no_room: has no room: control worker d1 runs 32 periodic jobs at once")
    assert "SRM_PERIODIC_CAPACITY" in text


def test_without_redis_runs_continue_on_threads_of_the_process() -> None:
    bench = Bench()
    bench.order("plan", "east")

    assert bench.send_due(is_away=True) == []

    eventually(lambda: bench.runs == ["east"], 20, "the run")


def test_a_message_that_cannot_be_sent_runs_here() -> None:
    bench = Bench(refusal=OSError("gone"))
    bench.order("plan", "east")

    bench.send_due()

    eventually(lambda: bench.runs == ["east"], 20, "the run")


def test_a_message_that_no_one_takes_does_not_delay_a_stop() -> None:
    bench = Bench()
    bench.order("plan", "east")
    bench.deliver(bench.send_due())
    bench.clock.move(5_000)
    unread = bench.send_due()
    assert len(unread) == 1

    bench.order("plan", "east", wanted=False)
    bench.send_due(is_away=True)

    eventually(lambda: bench.closed == ["east"], 20, "the end")
    eventually(lambda: not bench.jobs.is_running, 20, "the job has ended")
    bench.deliver(unread)
    assert bench.runs == ["east"]


def test_ends_need_neither_redis_nor_room() -> None:
    bench = Bench()
    bench.order("plan", "east")
    bench.deliver(bench.send_due())

    bench.order("plan", "east", wanted=False)
    assert bench.send_due() == []

    eventually(lambda: bench.closed == ["east"], 20, "the end")
    eventually(lambda: not bench.jobs.is_running, 20, "the job has ended")
    assert bench.groups.get(GroupKey("plan", "west", "east")).is_idle(0)


def test_one_task_never_runs_on_two_threads() -> None:
    bench = Bench()
    bench.order("plan", "east")
    sent = bench.send_due()
    threads = [threading.Thread(target=bench.deliver, args=(sent,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert bench.runs == ["east"]
