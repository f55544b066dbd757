"""The network loop of a control worker beats, so that one that hangs is noticed."""

import threading

from replication.domain.plan.slot import ClusterClient
from replication.worker.wiring import KafkaClients
from tests.support.eventually import eventually

EAST = ClusterClient(alias="east", bootstrap=("127.0.0.1:1",))


def test_the_shared_loop_beats_from_its_start_to_its_end_until_something_holds_it() -> None:
    clients, hold, held = KafkaClients(), threading.Event(), threading.Event()

    def hold_the_loop() -> None:
        held.set()
        hold.wait(60)

    assert clients.loop_silent_s() == 0
    clients.own_groups(EAST)
    try:
        beat = clients._loop_beat
        assert beat is not None
        eventually(lambda: len(beat._late_s) > 1, 30, "two beats")
        clients._loop().call_threadsafe(hold_the_loop)
        assert held.wait(30)
        eventually(lambda: clients.loop_silent_s() > 2.5, 60, "silence of a held loop")
        hold.set()
        eventually(lambda: clients.loop_silent_s() < 2.5, 30, "the next beat")
    finally:
        hold.set()
        clients.close()
    assert clients.loop_silent_s() == 0
