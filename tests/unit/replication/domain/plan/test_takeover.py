import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.plan.takeover import PartitionEvidence, adopt, candidate

ORDERS = TopicPartition("orders", 0)


def evidence(
    *,
    stored: int | None = 500,
    start: int = 0,
    end: int = 1_000,
    last_remote: int | None = None,
    sync: tuple[int, int] | None = None,
) -> PartitionEvidence:
    return PartitionEvidence(
        upstream=ORDERS, stored=stored, log_start=start, log_end=end, last_remote=last_remote, sync=sync
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(evidence(last_remote=269, sync=(510, 260)), 519, id="the sync's shift leads to the last record"),
        pytest.param(evidence(last_remote=249, sync=(510, 260)), None, id="the sync is newer than the remote's end"),
        pytest.param(evidence(last_remote=269), None, id="no sync"),
        pytest.param(evidence(sync=(510, 260)), None, id="an empty remote partition"),
        pytest.param(evidence(stored=None, last_remote=1, sync=(0, 0)), None, id="no position"),
        pytest.param(evidence(last_remote=100, sync=(300, 50)), None, id="behind the stored position"),
        pytest.param(evidence(last_remote=5_000, sync=(510, 260)), None, id="beyond the source's end"),
        pytest.param(evidence(start=600, last_remote=269, sync=(510, 260)), None, id="deleted at the source"),
    ],
)
def test_the_last_copied_record_is_suspected_only_where_the_evidence_reaches(
    found: PartitionEvidence, expected: int | None
) -> None:
    assert candidate(found) == expected


def test_a_clean_stop_continues_at_the_stored_position() -> None:
    adopted = adopt(evidence(last_remote=249, sync=(499, 249)), proved_last=499)
    assert (adopted.standing, adopted.next_offset, adopted.lag, adopted.repeated) == ("stored", 500, 500, 0)


def test_after_a_crash_a_proved_last_record_moves_the_position_up() -> None:
    adopted = adopt(evidence(last_remote=269, sync=(510, 260)), proved_last=519)
    assert (adopted.standing, adopted.next_offset, adopted.lag) == ("refined", 520, 480)


def test_without_proof_the_repeated_records_are_counted() -> None:
    adopted = adopt(evidence(last_remote=269, sync=(510, 260)), proved_last=None)
    assert (adopted.standing, adopted.next_offset, adopted.repeated) == ("stored", 500, 20)


def test_what_retention_has_deleted_is_told() -> None:
    adopted = adopt(evidence(start=650), proved_last=None)
    assert (adopted.standing, adopted.next_offset, adopted.lost, adopted.lag) == ("expired", 500, 150, 350)


def test_a_position_behind_the_sources_end_is_another_topics() -> None:
    adopted = adopt(evidence(end=300), proved_last=None)
    assert (adopted.standing, adopted.lag) == ("beyond_end", 0)


def test_a_removed_position_leaves_the_start_to_the_flow() -> None:
    adopted = adopt(evidence(stored=None), proved_last=None)
    assert (adopted.standing, adopted.next_offset, adopted.lag) == ("not_started", None, 1_000)
