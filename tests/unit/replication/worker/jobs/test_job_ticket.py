"""Start messages: one job at a time, stale and doubled messages turned away."""

from replication.worker.jobs.job_ticket import JobTicket


def test_a_job_begins_once_with_the_epoch_it_was_asked_for() -> None:
    ticket = JobTicket("boot")
    epoch = ticket.issue(0)
    assert epoch is not None

    assert ticket.begin(epoch)
    assert not ticket.begin(epoch)


def test_a_message_of_an_earlier_boot_is_turned_away() -> None:
    earlier = JobTicket("boot-1").issue(0)
    ticket = JobTicket("boot-2")
    ticket.issue(0)

    assert earlier is not None
    assert not ticket.begin(earlier)


def test_a_lost_message_is_sent_again_after_a_while_and_the_late_one_is_turned_away() -> None:
    ticket = JobTicket("boot")
    first = ticket.issue(0)

    assert ticket.issue(9_999) is None
    second = ticket.issue(10_000)
    assert first is not None
    assert second is not None
    assert not ticket.begin(first)
    assert ticket.begin(second)


def test_nothing_is_sent_while_the_job_runs_and_again_at_once_when_it_ended() -> None:
    ticket = JobTicket("boot")
    epoch = ticket.issue(0)
    assert epoch is not None
    ticket.begin(epoch)

    assert ticket.issue(60_000) is None
    ticket.end()
    assert ticket.issue(60_001) is not None
