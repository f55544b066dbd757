"""The requests of the slot's producer to its coordinator, and the handling of the answers."""

from collections import deque
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kafka.protocol.producer import AddPartitionsToTxnResponse

from replication.codecs.record_batch import read_header
from replication.domain.batches.record import Record
from replication.domain.errors import (
    AuthorizationError,
    ClusterUnreachableError,
    FatalError,
    FencedError,
    ReplicationError,
    TransactionAbortedError,
)
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_errors import TRANSACTION_TIMEOUT_MS
from replication.ports.fetch.metadata import TopicLeaders
from replication.ports.produce.batch_producer import ProduceResult
from replication.wire.network.error_translation import for_code
from replication.wire.produce.produce_request import ProduceAnswer, ProduceRequest
from replication.wire.produce.transactions import BETWEEN_OWNERS, SlotTransactions
from tests.support.engine.virtual_loop import VirtualLoop

POSITIONS = "mm2-offsets.east.internal"
RECORDS = {0: [Record(0, 1, b"k", b"v", ())], 3: [Record(0, 1, b"k", b"v", ()), Record(1, 1, b"l", b"w", ())]}
LEADERS = {0: 1, 3: 2}
ABORTABLE, FENCED, CONCURRENT, NOT_LEADER, INVALID_STATE, NOT_ATTEMPTED, DENIED = 120, 90, 51, 6, 48, 55, 29


class ScriptedLink:
    """Answers with the scripted codes of a request's kind, then with success; notes what it was asked."""

    alias = "west"

    def __init__(self, **codes: list[int | ReplicationError]) -> None:
        self._codes = {kind: deque(each) for kind, each in codes.items()}
        self.asked: list[str] = []
        self.added: list[list[tuple[str, int]]] = []
        self.sequences: list[tuple[int, int]] = []
        self._epoch = -1

    async def send(self, request: Any, node: Any = None, *, doing: str, timeout_ms: int | None = None) -> Any:
        kind = type(request).__name__.removesuffix("Request")
        if kind == "EndTxn":
            kind = "Commit" if request.committed else "Abort"
        codes = self._codes.get(kind)
        code = codes.popleft() if codes else 0
        self.asked.append(kind)
        if isinstance(code, ReplicationError):
            raise code
        if isinstance(request, ProduceRequest):
            return self._produced(request, code)
        if kind == "AddPartitionsToTxn":
            return self._added(request, code)
        if kind == "InitProducerId" and code == 0:
            self._epoch += 1
        return SimpleNamespace(error_code=code, node_id=1, producer_id=7, producer_epoch=self._epoch)

    def _added(self, request: Any, code: int) -> AddPartitionsToTxnResponse:
        """The code is that of the first partition; Kafka does not attempt the others then."""
        topic_type = AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult
        places = [(topic.name, number) for topic in request.v3_and_below_topics for number in topic.partitions]
        self.added.append(places)
        return AddPartitionsToTxnResponse(
            results_by_topic_v3_and_below=[
                topic_type(
                    name=name,
                    results_by_partition=[
                        topic_type.AddPartitionsToTxnPartitionResult(
                            partition_index=number,
                            partition_error_code=code if index == 0 or not code else NOT_ATTEMPTED,
                        )
                    ],
                )
                for index, (name, number) in enumerate(places)
            ]
        )

    def _produced(self, request: ProduceRequest, code: int) -> ProduceAnswer:
        results = []
        for batch in request._batches:
            if code == 0:
                self.sequences.append((batch.partition, read_header(memoryview(batch.data), 0).base_sequence))
            results.append(ProduceResult(batch.topic, batch.partition, code, 0, None))
        return ProduceAnswer(0, tuple(results))

    async def describe(self, topics: list[str]) -> dict[str, TopicLeaders]:
        return {POSITIONS: TopicLeaders(POSITIONS, bytes(16), LEADERS, None)}

    def check(self, code: int, doing: str) -> None:
        if code:
            raise for_code(code, cluster=self.alias, doing=doing)


def run(link: ScriptedLink, *steps: str) -> SlotTransactions:
    """Fence, then `write` or others; raises what the last one raised."""
    loop = VirtualLoop()
    transactions = SlotTransactions(cast("Any", loop), cast("Any", link))

    async def each() -> None:
        await transactions.fence("srm.west.east.0")
        for step in steps:
            if step == "write":
                await transactions.write(POSITIONS, RECORDS, LEADERS)
            elif step == "try":
                with pytest.raises(TransactionAbortedError):
                    await transactions.write(POSITIONS, RECORDS, LEADERS)
            elif step == "data":
                await transactions.add_partitions([TopicPartition("orders", 0)])
            else:
                await getattr(transactions, step)()

    task = loop.spawn(each())
    loop.run_until(lambda: task.done)
    if task.error is not None:
        raise task.error
    return transactions


def test_positions_go_to_each_leader_in_one_request_and_are_committed() -> None:
    link = ScriptedLink()

    run(link, "write", "write")

    once = ["AddPartitionsToTxn", "Produce", "Produce", "Commit"]
    assert link.asked == ["FindCoordinator", "InitProducerId", *once, *once]
    assert link.sequences == [(0, 0), (3, 0), (0, 1), (3, 2)]


@pytest.mark.parametrize(
    "codes",
    [
        pytest.param({"Produce": [ABORTABLE]}, id="a leader does not know the transaction"),
        pytest.param({"Produce": [NOT_LEADER, ABORTABLE]}, id="the new leader does not know it"),
        pytest.param({"Commit": [ABORTABLE]}, id="the coordinator cannot commit"),
        pytest.param({"AddPartitionsToTxn": [INVALID_STATE]}, id="the coordinator cannot add"),
    ],
)
def test_a_lost_transaction_is_aborted_and_written_again(codes: dict[str, list[int | ReplicationError]]) -> None:
    link = ScriptedLink(**codes)

    run(link, "try", "write")

    assert link.asked.count("Abort") == 1
    assert link.asked[-1] == "Commit"
    assert link.asked.count("InitProducerId") == 1


def test_an_abort_without_a_transaction_is_none() -> None:
    link = ScriptedLink(Abort=[INVALID_STATE])

    run(link, "data", "abort", "write")

    assert link.asked[-1] == "Commit"


def test_a_renewed_producer_counts_from_the_beginning() -> None:
    link = ScriptedLink()

    run(link, "write", "renew", "write")

    assert link.sequences == [(0, 0), (3, 0), (0, 0), (3, 0)]


def test_partitions_are_added_once_per_transaction() -> None:
    link = ScriptedLink()

    run(link, "data", "data", "write", "data")

    assert link.asked.count("AddPartitionsToTxn") == 3  # the data, the positions, the data of the next transaction


def test_a_partition_that_may_not_be_written_does_not_keep_the_others_out() -> None:
    link, loop = ScriptedLink(AddPartitionsToTxn=[DENIED]), VirtualLoop()
    transactions = SlotTransactions(cast("Any", loop), cast("Any", link))
    wanted = [TopicPartition("orders", number) for number in range(3)]
    refused: list[dict[TopicPartition, int]] = []

    async def each() -> None:
        await transactions.fence("srm.west.east.0")
        refused.append(await transactions.add_partitions(wanted))

    loop.spawn(each())
    loop.run_until(lambda: bool(refused))

    assert refused == [{wanted[0]: DENIED}]
    assert link.added == [[("orders", 0), ("orders", 1), ("orders", 2)], [("orders", 1), ("orders", 2)]]


@pytest.mark.parametrize(
    "codes",
    [
        {"AddPartitionsToTxn": [CONCURRENT, CONCURRENT]},
        {"Commit": [ClusterUnreachableError("gone")]},
        {"Commit": [BETWEEN_OWNERS]},
        {"Produce": [ClusterUnreachableError("gone"), NOT_LEADER]},
        {"InitProducerId": [14, 15, 16, CONCURRENT]},
    ],
)
def test_what_passes_by_itself_is_asked_again(codes: dict[str, list[int | ReplicationError]]) -> None:
    link = ScriptedLink(**codes)

    run(link, "write")

    assert link.asked[-1] == "Commit"


@pytest.mark.parametrize(
    ("codes", "error"),
    [
        ({"AddPartitionsToTxn": [DENIED]}, AuthorizationError),
        ({"Commit": [FENCED]}, FencedError),
        ({"Commit": [BETWEEN_OWNERS, FENCED]}, FencedError),
        ({"Commit": [BETWEEN_OWNERS] * 200}, FatalError),
        ({"AddPartitionsToTxn": [47]}, FencedError),
        ({"Produce": [-1]}, FatalError),
        ({"Commit": [ClusterUnreachableError("gone")] * 200}, ClusterUnreachableError),
    ],
)
def test_what_cannot_be_mended_is_raised(
    codes: dict[str, list[int | ReplicationError]], error: type[ReplicationError]
) -> None:
    with pytest.raises(error):
        run(ScriptedLink(**codes), "write")


@pytest.mark.parametrize(
    ("codes", "step", "doing"),
    [({"Commit": [FENCED]}, "write", "committing"), ({"Abort": [FENCED]}, "abort", "aborting a transaction")],
)
def test_an_error_says_whether_it_was_a_commit_or_an_abort(
    codes: dict[str, list[int | ReplicationError]], step: str, doing: str
) -> None:
    with pytest.raises(FencedError) as caught:
        run(ScriptedLink(**codes), step)

    assert doing in caught.value.text


def test_everything_in_a_transaction_shares_one_deadline() -> None:
    link, loop = ScriptedLink(Produce=[ClusterUnreachableError("gone")] * 200), VirtualLoop()
    transactions = SlotTransactions(cast("Any", loop), cast("Any", link))

    async def each() -> None:
        await transactions.fence("srm.west.east.0")
        await transactions.add_partitions([TopicPartition("orders", 0)])
        await loop.sleep(30)
        await transactions.write(POSITIONS, RECORDS, LEADERS)

    began_s, task = loop.monotonic_s(), loop.spawn(each())
    loop.run_until(lambda: task.done)

    assert isinstance(task.error, ClusterUnreachableError)
    assert loop.monotonic_s() - began_s < 50


def test_a_transaction_the_coordinator_timed_out_is_aborted_not_taken_for_another_owner() -> None:
    link, loop = ScriptedLink(AddPartitionsToTxn=[0, FENCED], Abort=[FENCED]), VirtualLoop()
    transactions = SlotTransactions(cast("Any", loop), cast("Any", link))

    async def each() -> None:
        await transactions.fence("srm.west.east.0")
        await transactions.add_partitions([TopicPartition("orders", 0)])
        await loop.sleep(61)
        with pytest.raises(TransactionAbortedError):
            await transactions.write(POSITIONS, RECORDS, LEADERS)
        await transactions.renew()
        await transactions.write(POSITIONS, RECORDS, LEADERS)

    task = loop.spawn(each())
    loop.run_until(lambda: task.done)

    assert task.error is None
    assert link.asked[-1] == "Commit"


class SlowLink:
    """Lets a transaction grow old while the first request of one kind is on its way."""

    def __init__(self, loop: VirtualLoop, link: ScriptedLink, slow: str) -> None:
        self._loop, self._link, self._slow = loop, link, slow

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    async def send(self, request: Any, node: Any = None, *, doing: str, timeout_ms: int | None = None) -> Any:
        answer = await self._link.send(request, node, doing=doing, timeout_ms=timeout_ms)
        if self._link.asked[-1] == self._slow:
            self._slow = ""
            await self._loop.sleep(TRANSACTION_TIMEOUT_MS / 1000 + 1)
        return answer


def writes_after_a_hang(link: ScriptedLink, slow: str) -> tuple[BaseException | None, list[str]]:
    """Positions are written while one request takes too long, and once more; how that ended and what was asked."""
    loop = VirtualLoop()
    transactions = SlotTransactions(cast("Any", loop), cast("Any", SlowLink(loop, link, slow)))

    async def each() -> None:
        await transactions.fence("srm.west.east.0")
        with pytest.raises(TransactionAbortedError):
            await transactions.write(POSITIONS, RECORDS, LEADERS)
        await transactions.write(POSITIONS, RECORDS, LEADERS)

    task = loop.spawn(each())
    loop.run_until(lambda: task.done)
    return task.error, link.asked


def test_positions_are_written_under_a_new_epoch_after_a_transaction_expired() -> None:
    error, asked = writes_after_a_hang(ScriptedLink(Commit=[FENCED]), "Produce")

    assert error is None
    assert asked.count("InitProducerId") == 2
    assert asked[-4:] == ["AddPartitionsToTxn", "Produce", "Produce", "Commit"]


def test_another_owner_after_an_expired_transaction_is_told_when_our_producer_is_not_renewed() -> None:
    error, asked = writes_after_a_hang(ScriptedLink(Commit=[FENCED], InitProducerId=[0, FENCED]), "Produce")

    assert isinstance(error, FencedError)
    assert asked[-1] == "InitProducerId"


def test_a_partition_that_joins_an_expired_transaction_is_not_fenced() -> None:
    link, loop = ScriptedLink(AddPartitionsToTxn=[0, FENCED]), VirtualLoop()
    transactions = SlotTransactions(cast("Any", loop), cast("Any", link))

    async def each() -> None:
        await transactions.fence("srm.west.east.0")
        await transactions.add_partitions([TopicPartition("orders", 0)])
        await loop.sleep(TRANSACTION_TIMEOUT_MS / 1000 + 1)
        with pytest.raises(TransactionAbortedError):
            await transactions.add_partitions([TopicPartition("orders", 1)])
        await transactions.abort()
        await transactions.renew()
        await transactions.add_partitions([TopicPartition("orders", 1)])

    task = loop.spawn(each())
    loop.run_until(lambda: task.done)

    assert task.error is None
    assert "Abort" not in link.asked
