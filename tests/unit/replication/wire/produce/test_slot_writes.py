"""Sealing partitions, plain writes and the requests behind them, as brokers see them."""

from collections import deque
from typing import Any, cast

import pytest

from replication.codecs.record_batch import read_header
from replication.domain.errors import AuthorizationError, ClusterUnreachableError, FencedError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_errors import TRANSACTION_TIMEOUT_MS
from replication.ports.fetch.metadata import TopicLeaders
from replication.wire.produce.produce_request import ProduceRequest
from replication.wire.produce.transactions import COMMIT_PATIENCE_S, PARTITIONS_AT_ONCE, SlotTransactions
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.wire.produce.test_transactions import (
    CONCURRENT,
    DENIED,
    FENCED,
    INVALID_STATE,
    LEADERS,
    NOT_LEADER,
    POSITIONS,
    RECORDS,
    ScriptedLink,
)

MISSING, NOT_COORDINATOR = 3, 16


class Link(ScriptedLink):
    """Also notes the requests and the brokers they went to."""

    def __init__(self, **codes: Any) -> None:
        super().__init__(**codes)
        self.requests: list[tuple[Any, Any]] = []
        self.leaders = dict(LEADERS)

    async def send(self, request: Any, node: Any = None, *, doing: str, timeout_ms: int | None = None) -> Any:
        self.requests.append((request, node))
        return await super().send(request, node, doing=doing, timeout_ms=timeout_ms)

    async def describe(self, topics: list[str]) -> dict[str, TopicLeaders]:
        return {POSITIONS: TopicLeaders(POSITIONS, bytes(16), self.leaders, None)}

    def of(self, kind: str) -> list[Any]:
        return [request for request, _node in self.requests if type(request).__name__ == f"{kind}Request"]

    @property
    def produced(self) -> list[tuple[ProduceRequest, int]]:
        return [(request, node) for request, node in self.requests if isinstance(request, ProduceRequest)]


class Slot:
    def __init__(self, **codes: Any) -> None:
        self.loop, self.link = VirtualLoop(), Link(**codes)
        self.transactions = SlotTransactions(cast("Any", self.loop), cast("Any", self.link))
        self.run(self.transactions.fence("id"))

    def run(self, coroutine: Any) -> Any:
        found: list[Any] = []

        async def keep() -> None:
            found.append(await coroutine)

        done = self.loop.spawn(keep())
        self.loop.run_until(lambda: done.done, limit_s=500)
        if done.error is not None:
            raise done.error
        return found[0]


def test_an_id_is_taken_over_without_a_known_producer() -> None:
    slot = Slot()

    [request] = slot.link.of("InitProducerId")
    assert (request.transactional_id, request.producer_id, request.producer_epoch) == ("id", -1, -1)
    slot.run(slot.transactions.renew())
    assert (slot.link.of("InitProducerId")[1].producer_id, slot.link.of("InitProducerId")[1].producer_epoch) == (7, 0)


def test_sealing_aborts_an_empty_transaction_in_every_partition_and_renews() -> None:
    slot = Slot()
    partitions = [TopicPartition(POSITIONS, number) for number in range(PARTITIONS_AT_ONCE + 2)]

    identity = slot.run(slot.transactions.seal(partitions))

    assert slot.link.asked[2:] == ["AddPartitionsToTxn", "Abort"] * 2 + ["InitProducerId"]
    assert [place for added in slot.link.added for place in added] == [
        (POSITIONS, each.partition) for each in partitions
    ]
    assert identity.epoch == 1


def test_nothing_to_seal_costs_nothing() -> None:
    slot = Slot()

    identity = slot.run(slot.transactions.seal([]))

    assert (identity.epoch, slot.link.asked) == (0, ["FindCoordinator", "InitProducerId"])


@pytest.mark.parametrize(("code", "raises"), [(MISSING, False), (DENIED, True)])
def test_only_a_partition_that_is_gone_need_not_be_sealed(code: int, raises: bool) -> None:
    slot = Slot(AddPartitionsToTxn=[code])
    sealing = slot.transactions.seal([TopicPartition(POSITIONS, 0)])

    if raises:
        with pytest.raises(AuthorizationError, match="grant WRITE"):
            slot.run(sealing)
    else:
        assert slot.run(sealing).epoch == 1


def test_another_id_is_fenced_as_its_owner() -> None:
    slot = Slot()

    slot.run(slot.transactions.fence_other("other", [TopicPartition(POSITIONS, 0)]))

    assert [each.transactional_id for each in slot.link.of("InitProducerId")] == ["id", "other", "other"]
    assert slot.transactions.transactional_id == "id"


@pytest.mark.parametrize("transactional", [True, False])
def test_records_are_part_of_the_transaction_or_plain(transactional: bool) -> None:
    slot = Slot()
    write = slot.transactions.write if transactional else slot.transactions.write_outside_transaction

    slot.run(write(POSITIONS, RECORDS, LEADERS))

    for request, node in slot.link.produced:
        assert request._transactional_id == ("id" if transactional else None)
        for batch in request._batches:
            header = read_header(memoryview(batch.data), 0)
            assert (header.is_transactional, header.producer_id) == (transactional, 7)
            assert node == LEADERS[batch.partition]
    assert ("EndTxn" in {type(request).__name__.removesuffix("Request") for request, _ in slot.link.requests}) is (
        transactional
    )


def test_a_plain_write_waits_for_the_marker_of_the_last_commit() -> None:
    slot = Slot(Produce=[INVALID_STATE, INVALID_STATE])

    slot.run(slot.transactions.write_outside_transaction(POSITIONS, RECORDS, LEADERS))

    assert len(slot.link.sequences) == 2


def test_but_not_for_ever() -> None:
    slot = Slot(Produce=[INVALID_STATE] * 1_000)
    began_s = slot.loop.monotonic_s()

    with pytest.raises(Exception, match="INVALID_TXN_STATE"):
        slot.run(slot.transactions.write_outside_transaction(POSITIONS, RECORDS, LEADERS))

    assert COMMIT_PATIENCE_S <= slot.loop.monotonic_s() - began_s < COMMIT_PATIENCE_S + 5


def test_sequences_start_again_at_0_after_the_largest() -> None:
    slot = Slot()
    slot.transactions._sequences = {TopicPartition(POSITIONS, 3): 2**31 - 1, TopicPartition(POSITIONS, 0): 2**31 - 2}

    slot.run(slot.transactions.write_outside_transaction(POSITIONS, RECORDS, LEADERS))

    assert slot.transactions._sequences == {
        TopicPartition(POSITIONS, 0): 2**31 - 1,
        TopicPartition(POSITIONS, 3): 1,
    }


def test_a_batch_follows_its_leader_and_stays_where_there_is_none() -> None:
    slot = Slot(Produce=[NOT_LEADER, NOT_LEADER])
    slot.link.leaders = {0: 0, 3: -1}

    slot.run(slot.transactions.write_outside_transaction(POSITIONS, RECORDS, LEADERS))

    nodes = {batch.partition: node for request, node in slot.link.produced for batch in request._batches}
    assert nodes == {0: 0, 3: LEADERS[3]}


@pytest.mark.parametrize(("code", "searches"), [(CONCURRENT, 1), (NOT_COORDINATOR, 2)])
def test_the_coordinator_is_searched_again_if_it_has_moved(code: int, searches: int) -> None:
    slot = Slot()
    slot.link._codes["AddPartitionsToTxn"] = deque([code])

    slot.run(slot.transactions.add_partitions([TopicPartition(POSITIONS, 0)]))

    assert slot.link.asked.count("FindCoordinator") == searches


@pytest.mark.parametrize(("committed", "patience_s"), [(True, COMMIT_PATIENCE_S - 30), (False, COMMIT_PATIENCE_S)])
def test_a_commit_has_what_is_left_of_its_time_and_an_abort_all(committed: bool, patience_s: float) -> None:
    slot = Slot(**{"Commit" if committed else "Abort": [ClusterUnreachableError("away")] * 1_000})
    slot.run(slot.transactions.add_partitions([TopicPartition(POSITIONS, 0)]))
    slot.run(slot.loop.sleep(30))
    began_s = slot.loop.monotonic_s()

    with pytest.raises(RetriableError):
        slot.run(slot.transactions._end(committed=committed))

    assert patience_s <= slot.loop.monotonic_s() - began_s < patience_s + 5


@pytest.mark.parametrize(("age_s", "is_fenced"), [(TRANSACTION_TIMEOUT_MS / 1000 - 1, True), (61, False)])
def test_an_abort_that_is_fenced_past_the_time_out_is_an_expiry(age_s: float, is_fenced: bool) -> None:
    slot = Slot(Abort=[FENCED])
    slot.run(slot.transactions.add_partitions([TopicPartition(POSITIONS, 0)]))
    slot.run(slot.loop.sleep(age_s))

    if is_fenced:
        with pytest.raises(FencedError):
            slot.run(slot.transactions.abort())
    else:
        slot.run(slot.transactions.abort())
        slot.run(slot.transactions.add_partitions([TopicPartition(POSITIONS, 0)]))
        assert slot.link.asked.count("InitProducerId") == 2
