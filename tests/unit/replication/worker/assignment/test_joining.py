"""The first rounds of a process: its first membership names its targets, and queues are deleted once it is ours."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import pytest
from cryptography.fernet import Fernet

from replication.domain.desired.desired_drivers import Drain
from replication.worker.assignment.exchange import Exchange
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.assignment.namesake import NamesakeError
from replication.worker.assignment.own_membership import OwnMembership
from replication.worker.assignment.target_tasks import TargetTasks
from replication.worker.assignment.target_views import TargetViews
from replication.worker.clock import Clock
from replication.worker.jobs.group_registry import Group, GroupKey, GroupRegistry
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.settings import WorkerSettings
from replication.worker.state import keys
from replication.worker.state.desired_cache import DesiredCache
from replication.worker.state.orders_cache import OrdersCache
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.redis_store import Membership, RedisStore
from replication.worker.state.state_folder import StateFolder
from tests.support.clock import StoppedClock
from tests.support.drivers.driver_orders import orders_document

KEY = Fernet.generate_key().decode()
PROCESS = DriverProcess(driver="d1", role="data", boot="b2", host="h", pid=1, version="1", started_ms=0)


@dataclass
class MemoryStore:
    """Two targets without documents; answers each renewal with the next state in line, then with "held"."""

    states: list[Literal["held", "new", "taken"]] = field(default_factory=list)
    memberships: list[dict[str, Any]] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    values: dict[str, bytes] = field(default_factory=dict)
    nudges: list[str] = field(default_factory=list)
    other: dict[str, Any] = field(default_factory=lambda: {"boot": "b9", "sent_ms": 1, "host": "h", "pid": 1})

    def targets(self) -> frozenset[str]:
        return frozenset({"west", "north", "south"})

    def renew_membership(self, key: str, value: str, life_ms: int, boots: Sequence[str]) -> Membership:
        self.memberships.append(json.loads(value))
        return Membership(state=self.states.pop(0) if self.states else "held", document=json.dumps(self.other).encode())

    def renew(self, values: dict[str, str], life_ms: int) -> dict[str, str]:
        return {}

    def get(self, names: Sequence[str]) -> list[bytes | None]:
        return [self.values.get(name) for name in names]

    def read(self, names: Iterable[str]) -> dict[str, bytes | None]:
        return {name: self.values.get(name) for name in names}

    def assignments(self, targets: Sequence[str]) -> dict[str, dict[str, str]]:
        return {target: {} for target in targets}

    def nudge(self, text: str) -> None:
        self.nudges.append(text)

    def publish(self, values: Iterable[object]) -> None:
        return

    def delete(self, *names: str) -> None:
        self.deleted.extend(names)


def no_group(key: GroupKey) -> Group:
    raise AssertionError(f"a process without documents has no tasks: {key}")


def exchange_of(memory: MemoryStore, home: Path) -> Exchange:
    settings = WorkerSettings(
        driver="d1",
        role="data",
        boot="b2",
        targets=frozenset({"west", "north"}),
        redis_url="redis://unused",
        home=home,
        transport_keys=(KEY,),
    )
    folder = StateFolder(home, "d1", "data", [KEY])
    folder.lock()
    store, load, clock = cast("RedisStore", memory), ProcessLoad(), cast("Clock", StoppedClock())
    keeper = LeaseKeeper(store, clock, driver="d1", boot="b2", earlier_boots={"b1"})
    desired, groups = DesiredCache(folder, [KEY]), GroupRegistry(no_group)
    member = OwnMembership(
        settings=settings,
        process=PROCESS,
        load=load,
        clock=clock,
        store=store,
        keeper=keeper,
        desired=desired,
        orders=OrdersCache(folder, [KEY], driver="d1", parent="d1"),
        earlier_boots=["b1"],
    )
    plans = PlanCache(folder)
    return Exchange(
        settings=settings,
        load=load,
        clock=clock,
        store=store,
        keeper=keeper,
        groups=groups,
        desired=desired,
        plans=plans,
        views=TargetViews(store, desired, plans),
        tasks=TargetTasks("data", "d1", keeper, groups, clock),
        member=member,
    )


def test_the_first_membership_names_the_targets_that_the_process_serves(tmp_path: Path) -> None:
    memory = MemoryStore()

    exchange_of(memory, tmp_path).round(was_away=False, nudged=False)

    assert [document["targets"] for document in memory.memberships] == [["north", "west"]]


def test_queues_of_earlier_starts_are_deleted_once_when_the_membership_is_ours(tmp_path: Path) -> None:
    memory = MemoryStore(states=["taken"])
    exchange = exchange_of(memory, tmp_path)

    exchange.round(was_away=False, nudged=False)
    assert memory.deleted == []
    for _ in range(2):
        exchange.round(was_away=False, nudged=False)

    assert memory.deleted == list(keys.celery_queue("srm.driver.d1.data.b1"))


def test_a_namesake_seen_before_the_membership_was_ours_proves_nothing_later(tmp_path: Path) -> None:
    memory = MemoryStore(states=["taken", "held", "taken", "taken"])
    member = exchange_of(memory, tmp_path).member
    member.renew()
    member.renew()

    memory.other["sent_ms"] = 2
    assert member.renew() == "taken"
    memory.other["sent_ms"] = 3
    with pytest.raises(NamesakeError, match="already runs on host h"):
        member.renew()


def test_a_drain_is_in_the_membership_in_the_round_that_reads_it_and_the_leader_is_woken(tmp_path: Path) -> None:
    memory = MemoryStore()
    exchange = exchange_of(memory, tmp_path)
    exchange.round(was_away=False, nudged=False)
    assert (memory.memberships[-1]["drain"], memory.nudges) == (False, [])

    drain = Drain(reason="new disks", by="ann", since_ms=0)
    memory.values[keys.DRIVER_ORDERS] = orders_document(KEY, 1, {"d1": drain}, {})
    exchange.round(was_away=False, nudged=True)
    exchange.round(was_away=False, nudged=False)

    assert [document["drain"] for document in memory.memberships] == [False, False, True, True]
    assert len(memory.nudges) == 1
