import pytest
from tests.support.engine.slot_in_memory import *
from tests.unit.replication.tasks.partition.test_leaving_partitions import _batch


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize("case", ["lost", "lost_answer", "truncated", "recreated"])
def test_x(delivery, gone, case):
    slot = SlotInMemory(delivery=delivery, gap_policy="stop")
    if case == "lost":
        slot.close()
        slot.target.topics[REMOTE_TOPIC].append(0, bytes(_batch(b"x")))
        slot.restart()
        slot.run_until(lambda: slot.task.live["cause"] is not None)
    elif case == "truncated":
        slot.store(_batch(b"a"))
        slot.store(_batch(b"b"))
        slot.run_until_committed(2)
        slot.target.log(REMOTE_TOPIC).truncate(1)
        slot.target.log(REMOTE_TOPIC).elect(1)
        slot.store(_batch(b"c"))
        slot.run_until(lambda: slot.task.live["cause"] is not None)
    elif case == "recreated":
        slot.store(_batch(b"a"))
        slot.store(_batch(b"b"))
        slot.run_until_committed(2)
        slot.target.create(REMOTE_TOPIC)
        slot.store(_batch(b"c"))
        slot.run_until(lambda: slot.task.live["cause"] is not None)
    else:
        from replication.memory.broker import ProduceFault

        slot.store(_batch(b"a"))
        slot.run_until_committed(1)
        slot.target.produce_faults.append(ProduceFault(is_lost=True))
        slot.store(_batch(b"b"))
        slot.run_until(lambda: not slot.target.produce_faults)
    if gone:
        slot.target.delete(REMOTE_TOPIC)
    slot.plan()
    slot.run_until(lambda: slot.task.live["partitions"] == 0)
    slot.run_until(lambda: slot.task.live["cause"] is None)
    slot.close()
