"""Asking the coordinators of groups: each about its own, again where they move, and never for long."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from replication.domain.errors import ClusterUnreachableError
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.wire.groups.coordinators import PATIENCE_S, Coordinators, Refusals
from tests.support.engine.virtual_loop import VirtualLoop

Answers = tuple[dict[str, int], Refusals]


class Brokers:
    """Some brokers that answer what they are told to; a part of the `ClusterLink`."""

    def __init__(self, nodes: Mapping[str, int]) -> None:
        self.nodes = dict(nodes)
        self.codes: dict[str, list[int]] = {}  # of the next answers about a group
        self.dead: set[int] = set()
        self.asked: list[tuple[int, tuple[str, ...]]] = []
        self.lookups = 0
        self.silent_lookups = 0

    async def send(self, request: Any, node: int | None, *, doing: str, timeout_ms: int) -> Any:
        self.lookups += 1
        if self.silent_lookups:
            self.silent_lookups -= 1
            raise ClusterUnreachableError("no answer")
        found = [
            SimpleNamespace(key=name, node_id=self.nodes.get(name, -1), error_code=0 if name in self.nodes else 15)
            for name in request.coordinator_keys
        ]
        return SimpleNamespace(coordinators=found)

    async def ask(self, node: int, names: Sequence[str]) -> Answers:
        self.asked.append((node, tuple(names)))
        if node in self.dead:
            raise ClusterUnreachableError("no answer")
        codes = {name: self._code(node, name) for name in names}
        refused = {name: code for name, code in codes.items() if code}
        return {name: node for name in names if name not in refused}, refused

    def _code(self, node: int, name: str) -> int:
        if self.codes.get(name):
            return self.codes[name].pop(0)
        return Code.NONE if self.nodes[name] == node else Code.NOT_COORDINATOR


class Cluster:
    """Coordinators over such brokers, on a virtual clock."""

    def __init__(self, nodes: Mapping[str, int]) -> None:
        self.loop = VirtualLoop()
        self.brokers = Brokers(nodes)
        self.coordinators = Coordinators(cast("Any", SimpleNamespace(loop=self.loop, link=self.brokers)))

    def ask(self, *groups: str, portion: int = 10, in_flight: int = 1) -> Answers:
        found: list[Answers] = []

        async def asking() -> None:
            ask = self.coordinators.ask(groups, self.brokers.ask, portion=portion, in_flight=in_flight)
            found.append(await ask)

        task = self.loop.spawn(asking())
        self.loop.run_until(lambda: task.done)
        if task.error is not None:
            raise task.error
        return found[0]


@pytest.fixture
def cluster() -> Cluster:
    return Cluster({"a": 1, "b": 2, "c": 1})


def test_each_coordinator_is_asked_about_its_own_groups_and_remembered(cluster: Cluster) -> None:
    assert cluster.ask("a", "b", "c") == ({"a": 1, "b": 2, "c": 1}, {})
    assert cluster.ask("a", "b", "c") == ({"a": 1, "b": 2, "c": 1}, {})

    assert cluster.brokers.asked == [(1, ("a", "c")), (2, ("b",))] * 2
    assert cluster.brokers.lookups == 1


def test_a_request_names_no_more_groups_than_a_portion(cluster: Cluster) -> None:
    cluster.ask("a", "b", "c", portion=1)

    assert sorted(cluster.brokers.asked) == [(1, ("a",)), (1, ("c",)), (2, ("b",))]


def test_a_group_that_moved_is_found_at_its_new_coordinator(cluster: Cluster) -> None:
    cluster.ask("a", "b")
    cluster.brokers.nodes["a"] = 2

    assert cluster.ask("a", "b") == ({"a": 2, "b": 2}, {})


@pytest.mark.parametrize("code", [Code.COORDINATOR_LOAD_IN_PROGRESS, Code.COORDINATOR_NOT_AVAILABLE])
def test_a_coordinator_that_is_not_ready_is_asked_again(cluster: Cluster, code: int) -> None:
    cluster.brokers.codes["a"] = [code, code]

    assert cluster.ask("a", "b") == ({"a": 1, "b": 2}, {})


def test_a_coordinator_that_loads_for_long_is_a_problem_of_its_groups(cluster: Cluster) -> None:
    cluster.brokers.codes["a"] = [Code.COORDINATOR_LOAD_IN_PROGRESS] * 1_000
    began_s = cluster.loop.monotonic_s()

    assert cluster.ask("a", "b") == ({"b": 2}, {"a": Code.COORDINATOR_LOAD_IN_PROGRESS})
    assert cluster.loop.monotonic_s() - began_s < PATIENCE_S + 2


def test_a_dead_coordinator_is_a_problem_of_its_groups_and_no_others(cluster: Cluster) -> None:
    cluster.brokers.dead = {1}

    answers, refused = cluster.ask("a", "b", "c", portion=1)

    assert (answers, set(refused)) == ({"b": 2}, {"a", "c"})
    assert set(refused.values()) == {Code.COORDINATOR_NOT_AVAILABLE}


def test_a_silent_broker_is_not_asked_about_its_other_portions(cluster: Cluster) -> None:
    cluster.brokers.dead = {1}

    cluster.ask("a", "b", "c", portion=1)

    rounds = cluster.brokers.lookups
    assert len([node for node, _ in cluster.brokers.asked if node == 1]) == rounds


def test_a_refusal_for_good_is_not_asked_again(cluster: Cluster) -> None:
    cluster.brokers.codes["a"] = [Code.GROUP_AUTHORIZATION_FAILED]

    assert cluster.ask("a", "b") == ({"b": 2}, {"a": Code.GROUP_AUTHORIZATION_FAILED})
    assert len(cluster.brokers.asked) == 2
    cluster.ask("a")
    assert cluster.brokers.lookups == 1


def test_a_group_without_a_coordinator_is_refused_alone(cluster: Cluster) -> None:
    assert cluster.ask("a", "nowhere") == ({"a": 1}, {"nowhere": Code.COORDINATOR_NOT_AVAILABLE})


def test_a_question_to_any_broker_is_asked_again_when_none_answers(cluster: Cluster) -> None:
    cluster.brokers.silent_lookups = 1

    assert cluster.ask("a") == ({"a": 1}, {})


def test_without_any_broker_the_cluster_is_unreachable(cluster: Cluster) -> None:
    cluster.brokers.silent_lookups = 1_000

    with pytest.raises(ClusterUnreachableError):
        cluster.ask("a")


def test_requests_run_side_by_side_up_to_the_limit(cluster: Cluster) -> None:
    running = most = 0

    async def slow(node: int, names: Sequence[str]) -> Answers:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await cluster.loop.sleep(1)
        running -= 1
        return dict.fromkeys(names, node), {}

    cluster.brokers.nodes = {f"g{number}": 1 for number in range(9)}
    cluster.brokers.ask = slow  # type: ignore[method-assign]
    began_s = cluster.loop.monotonic_s()

    answers, _ = cluster.ask(*cluster.brokers.nodes, portion=1, in_flight=3)

    assert (len(answers), most) == (9, 3)
    assert cluster.loop.monotonic_s() - began_s == pytest.approx(3)
