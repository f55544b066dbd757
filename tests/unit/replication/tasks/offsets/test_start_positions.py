"""The start of a partition without a position: never silently at the beginning of what was copied before."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Literal

import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.domain.offsets.start_position import StartAt
from replication.domain.plan.topic_join import TopicJoin
from replication.ports.fetch.metadata import OffsetAt
from replication.ports.offsets.target_history import LastRun
from replication.tasks.offsets.start_positions import Beginnings, StartPositions
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, planned

EARLIEST, LATEST, AT_MS = 3, 90, 50


class Source:
    """Offsets by what is asked; a timestamp beyond all records has none."""

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        known: dict[OffsetAt, int] = {"earliest": EARLIEST, "latest": LATEST, 1_000: AT_MS, 9_999: -1}
        return {upstream: known[wanted] for upstream, wanted in at.items() if upstream.topic != "leaderless"}


class History:
    """The target's history, as the test sets it."""

    def __init__(
        self,
        ends: dict[TopicPartition, int],
        runs: dict[TopicPartition, LastRun],
        syncs: dict[TopicPartition, int] | None,
    ) -> None:
        self._ends, self._runs, self._syncs = ends, runs, syncs
        self.runs_were_read = False

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        remotes = [remote for remote, wanted in at.items() if wanted == "latest"]
        return {remote: self._ends[remote] for remote in remotes if remote in self._ends}

    async def last_runs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, LastRun]:
        assert topic == "srm-offset-runs.a.internal"
        self.runs_were_read = True
        return {upstream: run for upstream, run in self._runs.items() if upstream in upstreams}

    async def last_syncs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, int] | None:
        assert topic == "syncs"
        if self._syncs is None:
            return None
        return {upstream: offset for upstream, offset in self._syncs.items() if upstream in upstreams}


def begin(
    partition: Any,
    *,
    end: int | None,
    runs: dict[TopicPartition, LastRun] | None = None,
    syncs: dict[TopicPartition, int] | Literal["denied"] | None = None,
    stored: dict[TopicPartition, Position] | None = None,
    **spec: Any,
) -> tuple[Beginnings, History]:
    loop = VirtualLoop()
    remote = TopicPartition(partition.remote_topic, partition.upstream.partition)
    history = History({} if end is None else {remote: end}, runs or {}, None if syncs == "denied" else syncs or {})
    context = a_context(loop, {"source": Source(), "target": history, "history": history}, **spec)
    found: list[Beginnings] = []

    async def ask() -> None:
        found.append(await StartPositions(context).of([partition], stored or {}))

    loop.spawn(ask())
    loop.run_for(1)
    return found[0], history


def stored(generation: int) -> dict[TopicPartition, Position]:
    """Another partition of the topic has a position of this generation."""
    return {TopicPartition("orders", 1): Position(next_offset=5, generation=generation)}


@pytest.mark.parametrize(
    ("spec", "offset"),
    [
        ({}, EARLIEST),
        ({"start": "latest"}, LATEST),
        ({"start": 1_000}, AT_MS),
        ({"start": 9_999}, LATEST),
        ({"start": "latest", "start_offsets": ((TopicPartition("orders", 0), 42),)}, 42),
    ],
    ids=["earliest", "latest", "timestamp", "behind the end", "told exactly"],
)
def test_a_new_partition_begins_as_the_flow_says(spec: dict[str, Any], offset: int) -> None:
    found, history = begin(planned("orders"), end=0, **spec)

    assert found.positions[TopicPartition("orders", 0)].next_offset == offset
    assert not history.runs_were_read


@pytest.mark.parametrize("start", ["latest", 1_000])
def test_a_partition_that_the_topic_had_from_the_start_begins_as_the_flow_says_however_late(start: StartAt) -> None:
    """Other slots, or the same one, may have begun with the topic's other partitions a moment before."""
    partition = replace(planned("orders"), joined=TopicJoin(partitions=2, generation=3))

    found, _history = begin(partition, end=0, stored=stored(generation=3), start=start)

    assert found.positions[partition.upstream].next_offset == (LATEST if start == "latest" else AT_MS)


@pytest.mark.parametrize(
    ("joined", "generation"),
    [(TopicJoin(2, 3), 3), (TopicJoin(3, 3), 2), (TopicJoin(3, 3), 0), (None, 3)],
    ids=["added later", "copied before the plan was lost", "copied by MirrorMaker", "a plan of an older release"],
)
def test_a_partition_that_came_later_begins_at_its_beginning(joined: TopicJoin | None, generation: int) -> None:
    partition = replace(planned("orders", 2), joined=joined)

    found, _history = begin(partition, end=0, stored=stored(generation), start="latest")

    assert found.positions[partition.upstream].next_offset == EARLIEST


def test_a_lost_position_is_taken_from_the_newest_offset_run() -> None:
    other_id = bytes([9] * 16)
    run = LastRun(other_id, upstream_end=70, downstream_end=65)

    found, _history = begin(planned("orders"), end=66, runs={TopicPartition("orders", 0): run})

    position = found.positions[TopicPartition("orders", 0)]
    assert (position.next_offset, position.topic_id, position.downstream_next) == (70, other_id, 65)


def test_a_lost_position_without_a_run_waits_for_a_person_and_tells_the_remedy() -> None:
    found, _history = begin(planned("orders", 2), end=1, gap_policy="record_and_continue")

    assert found.positions == {}
    lost = found.lost[TopicPartition("orders", 2)]
    assert (lost.cause.code, lost.cause.topic, lost.cause.partition) == ("positions_lost", "orders", 2)
    assert "srm.start.offsets = orders:2=<offset>" in lost.cause.text
    assert lost.copied_to == 0


def test_a_person_who_has_to_set_the_position_is_told_how_far_an_offset_sync_reaches() -> None:
    found, _history = begin(planned("orders"), end=1, syncs={TopicPartition("orders", 0): 41})

    lost = found.lost[TopicPartition("orders", 0)]
    assert lost.copied_to == 42
    assert "at least to offset 42" in lost.cause.text


@pytest.mark.parametrize("policy", ["record_and_continue", "stop"])
def test_under_equal_names_an_offset_sync_proves_that_a_position_was_lost(policy: str) -> None:
    found, _history = begin(
        planned("orders", remote="orders"), end=5, syncs={TopicPartition("orders", 0): 3}, gap_policy=policy
    )

    assert found.positions == {}
    assert found.lost[TopicPartition("orders", 0)].copied_to == 4


def test_under_equal_names_a_lost_position_starts_again_where_the_policy_says_so() -> None:
    found, _history = begin(
        planned("orders", remote="orders"),
        end=5,
        syncs={TopicPartition("orders", 0): 3},
        gap_policy="restart_generation",
    )

    assert found.positions[TopicPartition("orders", 0)].next_offset == EARLIEST
    assert found.again == {TopicPartition("orders", 0)}


@pytest.mark.parametrize(
    "why", [{"writes_offset_syncs": False}, {"syncs": "denied"}], ids=["none are written", "denied"]
)
def test_under_equal_names_a_start_is_told_where_no_offset_sync_could_prove_anything(why: dict[str, Any]) -> None:
    found, _history = begin(planned("orders", remote="orders"), end=5, **why)

    assert found.positions[TopicPartition("orders", 0)].next_offset == EARLIEST
    assert found.again == {TopicPartition("orders", 0)}


@pytest.mark.parametrize(
    ("remote", "spec", "offset", "again"),
    [
        ("orders", {}, EARLIEST, False),
        ("a.orders", {"start_offsets": ((TopicPartition("orders", 0), 42),)}, 42, False),
        ("a.orders", {"gap_policy": "restart_generation"}, EARLIEST, True),
    ],
    ids=["records of others under the same name", "told by a person", "the policy is to start again"],
)
def test_records_in_the_remote_topic_do_not_stop_what_is_meant(
    remote: str, spec: dict[str, Any], offset: int, again: bool
) -> None:
    found, _history = begin(planned("orders", remote=remote), end=5, **spec)

    assert found.lost == {}
    assert found.positions[TopicPartition("orders", 0)].next_offset == offset
    assert (TopicPartition("orders", 0) in found.again) is again


@pytest.mark.parametrize(("topic", "end"), [("orders", None), ("leaderless", 0)], ids=["remote away", "source away"])
def test_a_partition_that_cannot_be_asked_for_is_tried_again(topic: str, end: int | None) -> None:
    found, _history = begin(planned(topic), end=end)

    assert (found.positions, found.lost) == ({}, {})


def test_a_new_position_belongs_to_the_planned_topic() -> None:
    found, _history = begin(planned("orders"), end=0)

    assert found.positions[TopicPartition("orders", 0)].topic_id == TOPIC_ID
