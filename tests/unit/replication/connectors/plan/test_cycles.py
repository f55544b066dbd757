"""Flows that keep names and could send records round for ever are held back until a person decides."""

import pytest

from replication.domain.desired.desired_document import PolicyChoice
from replication.domain.errors import PreflightError
from replication.domain.plan.plan_document import PlanDocument
from replication.memory.broker import MemoryCluster
from tests.support.engine.planning import connect, flow

IDENTITY = PolicyChoice(kind="identity")


def close_a_ring(east: MemoryCluster, west: MemoryCluster) -> None:
    """A flow north->east has run, and a flow west->north."""
    east.create("mm2-offsets.north.internal", partitions=25)
    west.create("mm2-offset-syncs.north.internal")


def copied(plan: PlanDocument) -> list[str]:
    return [topic.upstream for topic in plan.topics]


def test_an_undecided_ring_does_not_start(east: MemoryCluster, west: MemoryCluster) -> None:
    close_a_ring(east, west)

    ring = "through north->east, east->west, west->north"
    with pytest.raises(PreflightError, match=rf"{ring}; set srm\.loop\.origins=north"):
        connect(east, west, flow(IDENTITY)).run_once(None, 0)


@pytest.mark.parametrize(
    "settings",
    [
        {"srm_loop_origins": "north"},
        {"srm_loop_protection": "headers"},
        {"srm_loop_protection": "producer_ids"},
    ],
    ids=["named", "headers", "said by hand"],
)
def test_a_decided_ring_starts(east: MemoryCluster, west: MemoryCluster, settings: dict[str, str]) -> None:
    close_a_ring(east, west)
    east.create("orders")

    assert copied(connect(east, west, flow(IDENTITY, **settings)).run_once(None, 0)) == ["orders"]


def test_a_ring_that_closes_later_holds_back_what_keeps_its_name_until_it_is_decided(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("orders")
    connector = connect(east, west, flow(IDENTITY))
    plan = connector.run_once(None, 0)
    close_a_ring(east, west)

    held = connector.run_once(plan, 1)
    decided = connect(east, west, flow(IDENTITY, srm_loop_origins="north")).run_once(held, 2)

    assert (copied(plan), copied(held), copied(decided)) == (["orders"], [], ["orders"])
    assert "srm.loop.origins=north" in {skipped.topic: skipped.reason for skipped in held.skipped}["orders"]


def test_a_chain_that_ends_at_the_target_passes_everything_on(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("mm2-offsets.north.internal", partitions=25)
    east.create("orders")

    assert copied(connect(east, west, flow(IDENTITY)).run_once(None, 0)) == ["orders"]


def test_a_chain_whose_outflows_cannot_be_seen_must_be_decided(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("mm2-offsets.north.internal", partitions=25)

    with pytest.raises(PreflightError, match=r"srm\.loop\.origins"):
        connect(east, west, flow(IDENTITY, emit_offset__syncs_enabled="false")).run_once(None, 0)


def test_flows_there_and_back_need_no_decision(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("mm2-offsets.west.internal", partitions=25)
    west.create("mm2-offset-syncs.east.internal")
    east.create("orders")

    assert copied(connect(east, west, flow(IDENTITY)).run_once(None, 0)) == ["orders"]


def test_prefixed_flows_in_a_ring_need_no_decision(east: MemoryCluster, west: MemoryCluster) -> None:
    close_a_ring(east, west)
    east.create("orders")

    assert copied(connect(east, west).run_once(None, 0)) == ["orders"]


def test_what_a_prefixing_flow_back_has_made_is_not_copied_home(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("mm2-offsets.west.internal", partitions=25)
    for cluster in (east, west):
        cluster.create("orders")
    east.create("west.orders")
    east.create("west.of.their.own")

    plan = connect(east, west, flow(IDENTITY)).run_once(None, 0)

    assert copied(plan) == ["orders", "west.of.their.own"]
    assert "copy of orders" in {skipped.topic: skipped.reason for skipped in plan.skipped}["west.orders"]


def test_a_prefixing_flow_does_not_rename_its_own_copies_again(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("mm2-offsets.west.internal", partitions=25)
    for name in ("orders", "east.orders"):
        east.create(name)
    west.create("east.orders")  # and the flow back, which keeps names, brought it to east

    plan = connect(east, west).run_once(None, 0)

    assert copied(plan) == ["orders"]
    assert "topics.exclude" in {skipped.topic: skipped.reason for skipped in plan.skipped}["east.orders"]
