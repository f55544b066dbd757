"""The self-ping: three unanswered pings prove a dead consumer, an outage of Redis proves nothing."""

from replication.worker.jobs.self_ping import SelfPing


def missed(ping: SelfPing, times: int, start_ms: int = 0) -> None:
    for number in range(times + 1):
        assert ping.start_if_due(start_ms + number * 30_000)


def test_a_ping_is_due_each_thirty_seconds() -> None:
    ping = SelfPing()

    assert ping.start_if_due(0)
    assert not ping.start_if_due(29_999)
    assert ping.start_if_due(30_000)


def test_three_missed_pings_prove_a_dead_consumer() -> None:
    ping = SelfPing()

    missed(ping, 2)
    assert not ping.consumer_is_dead
    ping.start_if_due(90_000)
    assert ping.consumer_is_dead


def test_an_answer_forgives_what_was_missed() -> None:
    ping = SelfPing()
    missed(ping, 2)

    ping.record_answer()
    ping.start_if_due(90_000)

    assert not ping.consumer_is_dead


def test_an_outage_of_redis_excuses_the_consumer() -> None:
    ping = SelfPing()
    missed(ping, 2)

    ping.reset()
    ping.start_if_due(90_000)

    assert not ping.consumer_is_dead
