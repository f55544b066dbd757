"""Leases and documents in a real Redis."""

import json
import uuid
from collections.abc import Iterator

import pytest

from replication.domain.identifiers import TaskId
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.state import keys
from replication.worker.state.redis_store import CoordinatorLostError, RedisStore
from srm_cli.machine.ports import free_port
from tests.support.clock import StoppedClock
from tests.support.servers.redis import RunningRedis

pytestmark = pytest.mark.redis


@pytest.fixture
def store(redis_server: RunningRedis) -> Iterator[RedisStore]:
    made = RedisStore(redis_server.url)
    yield made
    made.close()


@pytest.fixture
def key() -> str:
    return f"test:{uuid.uuid4().hex}"


def test_of_two_takers_who_saw_the_lease_free_one_gets_it(store: RedisStore, key: str) -> None:
    assert store.acquire(key, None, "a|1|0", 5_000)
    assert not store.acquire(key, None, "b|1|0", 5_000)


def test_a_lease_is_taken_over_only_as_it_was_seen(store: RedisStore, key: str) -> None:
    store.acquire(key, None, "a|1|0", 5_000)

    assert not store.acquire(key, "a|0|0", "a|2|0", 5_000)
    assert store.acquire(key, "a|1|0", "a|2|0", 5_000)


def test_renewal_tells_what_is_held_what_vanished_and_what_is_lost(store: RedisStore, key: str) -> None:
    held, vanished, lost = (f"{key}:{name}" for name in ("held", "vanished", "lost"))
    store.acquire(held, None, "me", 5_000)
    store.acquire(lost, None, "other", 5_000)

    answers = store.renew({held: "me", vanished: "me", lost: "me"}, 5_000)

    assert answers == {held: "held", vanished: "retaken", lost: "lost"}
    assert store.get([vanished, lost]) == [b"me", b"other"]


def test_only_the_holder_releases_a_lease(store: RedisStore, key: str) -> None:
    store.acquire(key, None, "me", 5_000)

    store.release({key: "other"})
    assert store.get([key]) == [b"me"]
    store.release({key: "me"})
    assert store.get([key]) == [None]


def test_a_released_lease_takes_its_live_state_along(store: RedisStore) -> None:
    task, target = TaskId("a", "source", 0), uuid.uuid4().hex
    keeper = LeaseKeeper(store, StoppedClock(), driver="d", boot="b", earlier_boots=())
    assert keeper.acquire((target, task), 1, None)
    store.publish([(keys.live(target, task), "{}", 15_000)])

    keeper.release([(target, task)])

    assert store.get([keys.lease(target, task), keys.live(target, task)]) == [None, None]


def test_a_plan_is_published_by_the_holder_of_its_lease_only(store: RedisStore, key: str) -> None:
    store.acquire(key, None, "me", 5_000)

    assert not store.set_while_held(key, "other", f"{key}:plan", "theirs")
    assert store.set_while_held(key, "me", f"{key}:plan", "ours")
    assert store.get([f"{key}:plan"]) == [b"ours"]


def test_the_assignment_is_replaced_as_a_whole_and_by_the_leader_only(store: RedisStore, key: str) -> None:
    store.delete(keys.LEADER)
    store.renew({keys.LEADER: "d1"}, 5_000)
    store.replace_assignment(key, "d1", {"east/source/0": "d1", "east/source/1": "d2"})

    assert store.replace_assignment(key, "d1", {"east/source/1": "d1"})
    assert not store.replace_assignment(key, "d2", {})
    store.delete(keys.LEADER)
    assert store.assignments([key, f"{key}-other"]) == {key: {"east/source/1": "d1"}, f"{key}-other": {}}


def test_a_membership_tells_when_it_had_vanished(store: RedisStore, key: str) -> None:
    mine = json.dumps({"boot": "one"})

    assert store.renew_membership(key, mine, 5_000, ["one"]).state == "new"
    assert store.renew_membership(key, mine, 5_000, ["one"]).state == "held"


def test_a_membership_of_another_start_is_not_taken(store: RedisStore, key: str) -> None:
    theirs, mine = json.dumps({"boot": "other"}), json.dumps({"boot": "one"})
    store.renew_membership(key, theirs, 5_000, ["other"])

    taken = store.renew_membership(key, mine, 5_000, ["one"])
    store.delete_membership(key, "one")

    assert (taken.state, taken.document) == ("taken", theirs.encode())
    assert store.get([key]) == [theirs.encode()]


@pytest.mark.parametrize(
    ("left", "boots"),
    [({"boot": "earlier"}, ["one", "earlier"]), ({"boot": "other", "leaving": True}, ["one"]), ("damaged", ["one"])],
    ids=["of our own earlier start", "of a process that stops", "damaged"],
)
def test_a_membership_that_was_left_behind_is_taken(
    store: RedisStore, key: str, left: object, boots: list[str]
) -> None:
    store.publish([(key, json.dumps(left), 5_000)])

    assert store.renew_membership(key, json.dumps({"boot": "one"}), 5_000, boots).state == "held"
    store.delete_membership(key, "one")
    assert store.get([key]) == [None]


def test_members_are_listed_with_the_life_that_is_left_to_them(store: RedisStore, key: str) -> None:
    name = keys.member(key, "data")
    store.publish([(name, "here", 5_000)])

    (member,) = [one for one in store.members() if one.document == b"here"]
    assert 0 < member.remaining_ms <= 5_000
    store.delete(name)


def test_a_publication_wakes_whoever_waits(store: RedisStore, redis_server: RunningRedis) -> None:
    assert not store.wait_for_nudge(0.05)
    other = RedisStore(redis_server.url)
    other._redis.publish(keys.NUDGE_CHANNEL, "west 1")
    other.close()

    assert store.wait_for_nudge(5.0)


def test_a_redis_that_is_not_there_is_told_by_one_error() -> None:
    store = RedisStore(f"redis://127.0.0.1:{free_port()}/0", timeout_s=0.2)

    with pytest.raises(CoordinatorLostError):
        store.get(["anything"])
    with pytest.raises(CoordinatorLostError):
        store.wait_for_nudge(0.1)
    with pytest.raises(CoordinatorLostError):
        store.members()
