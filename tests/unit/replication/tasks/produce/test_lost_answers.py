"""A batch whose answer was lost, and which is rejected when it goes out again, is on the target once."""

import pytest

from replication.memory.broker import ProduceFault
from replication.wire.batches.record_codec import Record, build_batch
from tests.support.engine.slot_in_memory import REMOTE_TOPIC, SlotInMemory

VALUES = [b"%d" % number * 100 for number in range(8)]
LOST = ProduceFault(is_lost=True, is_written=True)
NEVER_WRITTEN = ProduceFault(is_lost=True)


def _batch(values: list[bytes]) -> bytearray:
    return build_batch([Record(number, 1_000, None, value, []) for number, value in enumerate(values)])


@pytest.mark.parametrize("limit_bytes", [700, 300], ids=["halved once", "halved often"])
@pytest.mark.parametrize("fault", [LOST, NEVER_WRITTEN], ids=["written", "not written"])
def test_a_batch_that_is_too_large_for_a_new_limit_is_not_copied_twice(fault: ProduceFault, limit_bytes: int) -> None:
    slot = SlotInMemory()
    slot.store(_batch([b"before"]))
    slot.run_until_committed(1)
    slot.target.produce_faults.append(fault)
    slot.store(_batch(VALUES))
    slot.run_until(lambda: not slot.target.produce_faults)

    slot.target.topics[REMOTE_TOPIC].configs["max.message.bytes"] = str(limit_bytes)
    slot.store(_batch([b"behind"]))
    slot.run_until_committed(10)
    slot.close()

    assert slot.values() == [b"before", *VALUES, b"behind"]


@pytest.mark.parametrize("fault", [LOST, NEVER_WRITTEN], ids=["written", "not written"])
def test_under_exactly_once_its_transaction_is_aborted(fault: ProduceFault) -> None:
    slot = SlotInMemory(delivery="exactly_once")
    slot.store(_batch([b"before"]))
    slot.run_until_committed(1)
    slot.target.produce_faults.append(fault)
    slot.store(_batch(VALUES))
    slot.run_until(lambda: not slot.target.produce_faults)

    slot.target.topics[REMOTE_TOPIC].configs["max.message.bytes"] = "700"
    slot.run_until_committed(9)
    slot.close()

    assert slot.values() == [b"before", *VALUES]
