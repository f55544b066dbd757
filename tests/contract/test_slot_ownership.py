"""Sealed partitions and fenced ids of other slots, in memory and on a real broker."""

import pytest

from replication.domain.errors import FencedError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.ports.produce.record_appender import OutgoingRecord
from tests.contract.data_plane_ports import DataPlane, batch, send

FENCED_EPOCH = 47
ORDERS = TopicPartition("orders", 0)


def test_leaders_of_sealed_partitions_refuse_what_older_epochs_write(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    plane.create(topic)
    old, new = plane.slot(), plane.slot()
    sealed, missing = TopicPartition(topic, 0), TopicPartition(f"{topic}-missing", 0)

    async def sealing() -> tuple[int, int]:
        before = await old.transactions.fence(slot_id)
        await new.transactions.fence(slot_id)
        now = await new.transactions.seal([sealed, missing])
        late = await send(old, topic, batch([b"late"], before, 0))
        return late.error_code, (await send(new, topic, batch([b"new"], now, 0))).error_code

    assert plane.run(sealing) == (FENCED_EPOCH, 0)


def test_without_partitions_nothing_is_sealed_and_the_epoch_stays(plane: DataPlane, topic: str, slot_id: str) -> None:
    slot = plane.slot()

    async def sealing() -> bool:
        return await slot.transactions.fence(slot_id) == await slot.transactions.seal([])

    assert plane.run(sealing)


def test_a_fenced_slot_commits_nothing_while_who_fenced_it_keeps_its_own_id(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    positions = f"mm2-offsets.{topic}.internal"
    plane.create(positions)
    old, new = plane.slot(), plane.slot()
    guarded = TopicPartition(positions, 0)

    async def fencing() -> None:
        before = await old.transactions.fence(f"{slot_id}.old")
        await new.transactions.fence(slot_id)
        fenced = await new.transactions.fence_other(f"{slot_id}.old", [guarded])
        assert fenced.producer_id == before.producer_id
        for transactional in (True, False):
            with pytest.raises(FencedError):
                await old.positions.commit(
                    positions, topic, {ORDERS: Position(next_offset=1)}, transactional=transactional
                )
        await new.positions.commit(positions, topic, {ORDERS: Position(next_offset=2)}, transactional=True)

    plane.run(fencing)
    found = plane.run(lambda: new.positions.read(positions, topic))
    assert {upstream: position.next_offset for upstream, position in found.items()} == {ORDERS: 2}


def test_after_an_owner_has_written_as_such_the_leader_refuses_former_owners(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    plane.create(topic, cleanup_policy="compact")
    old, new = plane.slot(), plane.slot()
    record = OutgoingRecord(b"key", b"value")

    async def claiming() -> None:
        await old.transactions.fence(slot_id)
        await old.claims.append(topic, record)
        await new.transactions.fence(slot_id)
        await new.transactions.seal([TopicPartition(f"{topic}-missing", 0)])
        await old.claims.append(topic, record)  # the leader knows of no newer epoch yet
        await new.claims.append(topic, record)
        await new.claims.append(topic, record)
        with pytest.raises(FencedError):
            await old.claims.append(topic, record)

    plane.run(claiming)
    partition = TopicPartition(topic, 0)
    metadata = plane.metadata()
    assert plane.run(lambda: metadata.offsets({partition: "latest"})) == {partition: 4}
