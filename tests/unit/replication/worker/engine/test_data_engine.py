"""The engine of a data worker: slots share its memory for frames."""

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient, SlotSpec
from replication.wire.network.buffers import FrameBuffer
from replication.worker.engine.data_engine import WireDataEngine
from replication.worker.engine.slot_spec import build_slot_spec

MIB = 1024 * 1024
NODE = 1


def spec(source: str) -> SlotSpec:
    plan = PlanDocument(
        target="west",
        source=source,
        generation=1,
        version=1,
        desired_revision=1,
        planned_ms=0,
        tasks_max=1,
        topics=(),
        slots=((),),
        older_slots=0,
    )
    source_cluster = ClusterClient(alias=source, bootstrap=(f"{source}:1",))
    target_cluster = ClusterClient(alias="west", bootstrap=("w:1",))
    return build_slot_spec(DesiredFlow(source=source), plan, 0, source_cluster, target_cluster)


def test_a_slot_that_fills_its_frames_leaves_room_for_its_neighbour() -> None:
    engine = WireDataEngine()
    slow, neighbour = (engine._ports(spec(source), engine._links(spec(source))).fetcher for source in ("east", "north"))
    held: list[FrameBuffer] = []

    while slow.claim_room(NODE):
        held.append(slow._pool.acquire(MIB))  # type: ignore[attr-defined]

    assert len(held) > 40
    assert neighbour.has_room(NODE)
