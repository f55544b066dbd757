"""Events of a cluster that no client can ask for: elections, lost logs, retention, and requests that fail."""

from collections import deque

import pytest

from replication.domain.errors import AuthorizationError, ClusterUnreachableError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.offsets.leader_epochs import EpochEnd
from replication.domain.offsets.positions import Position
from replication.memory.broker import MemoryCluster, ProduceFault
from replication.ports.fetch.batch_fetcher import FetchPosition
from replication.ports.produce.record_appender import OutgoingRecord
from tests.contract.data_plane_ports import NODE, MemoryPlane, batch, send

PLACE = TopicPartition("t", 0)


@pytest.fixture
def cluster() -> MemoryCluster:
    made = MemoryCluster("b")
    made.create("t")
    return made


def write(plane: MemoryPlane) -> int:
    slot = plane.slot()
    return plane.run(lambda: send(slot, "t", batch([b"a", b"b"]))).error_code


def fetch_code(plane: MemoryPlane, offset: int = 0, epoch: int = -1) -> tuple[int, EpochEnd | None]:
    fetcher = plane.fetcher()
    fetcher.want(NODE, FetchPosition("t", bytes(16), 0, offset, epoch))
    fetched = plane.run(lambda: fetcher.fetch(NODE, max_wait_ms=10, max_bytes=1_000, partition_max_bytes=1_000))
    return fetched.partitions[0].error_code, fetched.partitions[0].diverging


def test_a_broker_that_lost_an_election_neither_reads_nor_writes(cluster: MemoryCluster) -> None:
    plane = MemoryPlane(cluster)
    cluster.log("t").elect(NODE + 1)

    assert write(plane) == KafkaErrorCode.NOT_LEADER_OR_FOLLOWER
    assert fetch_code(plane) == (KafkaErrorCode.NOT_LEADER_OR_FOLLOWER, None)


def test_a_reader_is_told_where_a_truncated_log_and_its_own_part(cluster: MemoryCluster) -> None:
    plane = MemoryPlane(cluster)
    write(plane)
    write(plane)
    cluster.log("t").truncate(2)
    cluster.log("t").elect(NODE)

    assert fetch_code(plane, offset=4, epoch=0) == (0, EpochEnd(0, 2))


def test_a_lost_answer_leaves_the_batch_written_and_a_lost_request_does_not(cluster: MemoryCluster) -> None:
    plane = MemoryPlane(cluster)
    cluster.produce_faults.extend([ProduceFault(is_lost=True), ProduceFault(is_lost=True, is_written=True)])

    for end in (0, 2):
        with pytest.raises(ClusterUnreachableError):
            write(plane)
        assert cluster.log("t").end == end


def test_a_fetch_answers_the_codes_it_is_told_to_and_then_its_records(cluster: MemoryCluster) -> None:
    plane = MemoryPlane(cluster)
    write(plane)
    cluster.fetch_faults[PLACE] = deque([56])

    assert [fetch_code(plane)[0] for _ in range(2)] == [56, 0]


def test_a_producer_that_was_forgotten_may_begin_at_any_sequence(cluster: MemoryCluster) -> None:
    plane = MemoryPlane(cluster)
    slot = plane.slot()
    identity = plane.run(lambda: slot.transactions.fence("id"))
    plane.run(lambda: send(slot, "t", batch([b"a"], identity, 0)))
    late = batch([b"b"], identity, 7)
    assert plane.run(lambda: send(slot, "t", late)).error_code == KafkaErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER

    cluster.log("t").forget_producers()

    assert plane.run(lambda: send(slot, "t", late)).error_code == 0


def test_a_topic_that_may_not_be_written_or_read_says_so(cluster: MemoryCluster) -> None:
    plane = MemoryPlane(cluster)
    cluster.unwritable.add("t")
    cluster.unreadable.add("t")

    assert write(plane) == KafkaErrorCode.TOPIC_AUTHORIZATION_FAILED
    with pytest.raises(AuthorizationError):
        plane.run(lambda: plane.appender().append("t", [OutgoingRecord(b"k", b"v")]))
    assert plane.run(lambda: plane.history().last_syncs("t", [PLACE])) is None


def test_a_commit_that_fails_leaves_no_position(cluster: MemoryCluster) -> None:
    plane = MemoryPlane(cluster)
    slot = plane.slot()
    cluster.commit_faults.append(TransactionAbortedError("the coordinator lost it"))
    plane.run(lambda: slot.transactions.fence("id"))

    with pytest.raises(TransactionAbortedError):
        plane.run(lambda: slot.positions.commit("t", "a", {PLACE: Position(next_offset=1)}, transactional=True))

    assert plane.run(lambda: slot.positions.read("t", "a")) == {}
