from replication.ports.fetch.batch_fetcher import FetchPosition
from replication.wire.fetch.fetch_request import FetchSession

ID = bytes([7] * 16)


def at(partition: int, offset: int) -> FetchPosition:
    return FetchPosition("t", ID, partition, offset, -1)


def test_the_first_request_names_everything_the_next_only_what_changed() -> None:
    session = FetchSession()
    session.want(at(0, 0))
    session.want(at(1, 0))
    assert session.request() == (0, 0, [at(0, 0), at(1, 0)], [])
    session.answered(99)

    session.want(at(1, 50))
    session.want(at(0, 0))

    assert session.request() == (99, 1, [at(1, 50)], [])
    session.answered(99)
    assert session.request() == (99, 2, [], [])


def test_a_forgotten_partition_is_named_once_and_may_come_back() -> None:
    session = FetchSession()
    session.want(at(0, 0))
    session.request()
    session.answered(5)

    session.forget("t", ID, 0)
    assert session.request() == (5, 1, [], [at(0, 0)])
    session.answered(5)
    session.want(at(0, 0))
    assert session.request() == (5, 2, [at(0, 0)], [])


def test_after_a_lost_session_everything_is_named_again() -> None:
    session = FetchSession()
    session.want(at(0, 0))
    session.request()
    session.answered(5)
    session.want(at(0, 9))
    session.request()

    session.lost()

    assert session.request() == (0, 0, [at(0, 9)], [])


def test_a_broker_that_keeps_no_session_gets_full_requests() -> None:
    session = FetchSession()
    session.want(at(0, 0))
    session.request()
    session.answered(0)

    assert session.request() == (0, 0, [at(0, 0)], [])
