"""A view of a target is the same object until something of it changes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from replication.config.security.signed_document import signed
from replication.domain.desired.desired_document import DesiredCluster, DesiredDocument, DesiredFlow, desired_to_json
from replication.domain.desired.desired_drivers import Drain
from replication.domain.identifiers import TaskId
from replication.domain.plan.plan_document import plan_to_json
from replication.worker.assignment.target_tasks import TargetView
from replication.worker.assignment.target_views import TargetViews
from replication.worker.state import keys
from replication.worker.state.desired_cache import DesiredCache
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.redis_store import RedisStore
from replication.worker.state.state_folder import StateFolder
from tests.component.worker.target_bench import Bench
from tests.support.plans import plan_of

pytestmark = pytest.mark.redis
KEY = Fernet.generate_key().decode()
DOCUMENT = DesiredDocument(
    target="west",
    revision=1,
    published_ms=1,
    clusters={alias: DesiredCluster(bootstrap=("x:1",)) for alias in ("east", "west")},
    flows=(DesiredFlow(source="east"),),
)
DRAIN = Drain(reason="", by="", since_ms=0)


class Reading:
    """The views of the driver's one target."""

    def __init__(self, store: RedisStore, home: Path) -> None:
        folder = StateFolder(home, "d1", "data", [KEY])
        folder.lock()
        self.store, self.plans = store, PlanCache(folder)
        self._views = TargetViews(store, DesiredCache(folder, [KEY]), self.plans)
        self.drain: Drain | None = None

    def publish(self, document: DesiredDocument) -> None:
        text = signed([KEY], desired_to_json(document))
        self.store.publish([(keys.desired(document.target), text, 60_000)])

    def view(self) -> TargetView:
        [found] = self._views.read(["west"], frozenset({"west"}), self.drain)
        return found

    def plan_text(self) -> bytes | None:
        return self._views.plan_text("west", "east")


@pytest.fixture
def reading(bench: Bench, tmp_path: Path) -> Reading:
    made = Reading(bench.store, tmp_path)
    made.publish(DOCUMENT)
    return made


def _plan_in_redis(reading: Reading) -> None:
    text = plan_to_json(plan_of(slots=((),)))
    reading.store.publish([(keys.plan("west", "east"), text, 60_000)])


def _assigned(reading: Reading) -> None:
    reading.store.renew({keys.LEADER: "d1|b"}, 60_000)
    assert reading.store.replace_assignment("west", "d1|b", {"east/heartbeat/0": "d1"})


def _drained(reading: Reading) -> None:
    reading.drain = DRAIN


CHANGES: dict[str, tuple[Callable[[Reading], object], Callable[[TargetView], object], object]] = {
    "document": (
        lambda reading: reading.publish(replace(DOCUMENT, revision=2, published_ms=2)),
        lambda view: view.applied.document.revision,
        2,
    ),
    "way back": (
        lambda reading: reading.publish(replace(DOCUMENT, target="east", flows=(DesiredFlow(source="west"),))),
        lambda view: list(view.reverse),
        ["east"],
    ),
    "plan of another driver": (_plan_in_redis, lambda view: len(view.plans["east"].slots), 1),
    "plan of this process": (
        lambda reading: reading.plans.store(plan_of(slots=((), ()))),
        lambda view: len(view.plans["east"].slots),
        2,
    ),
    "assignment": (_assigned, lambda view: view.assignment, {"east/heartbeat/0": "d1"}),
    "lease": (
        lambda reading: reading.store.acquire("srm:lease:west:east/heartbeat/0", None, "d2|b|0", 60_000),
        lambda view: str(view.leases[TaskId("east", "heartbeat", 0)]),
        "d2|b|0",
    ),
    "drain": (_drained, lambda view: view.drain, DRAIN),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_in_the_next_view_and_nothing_else_makes_another_one(reading: Reading, name: str) -> None:
    change, look, wanted = CHANGES[name]
    reading.view()
    before = reading.view()
    assert reading.view() is before

    change(reading)

    assert look(reading.view()) == wanted
    after = reading.view()
    assert reading.view() is after


def test_the_text_of_a_plan_is_the_one_in_redis(reading: Reading) -> None:
    reading.view()
    assert reading.plan_text() is None

    _plan_in_redis(reading)
    reading.view()

    assert reading.plan_text() == plan_to_json(plan_of(slots=((),))).encode()
