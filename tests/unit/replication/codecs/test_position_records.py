"""The header of a position record that names leader epochs."""

import pytest

from replication.codecs.position_records import EPOCHS, position_records, read_position
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.leader_epochs import Epochs, EpochStart
from replication.domain.offsets.positions import Position

ORDERS = TopicPartition("orders", 0)


def epochs_read(header: bytes | None) -> Epochs:
    """The epochs of a record with this header."""
    ((record,),) = position_records("a", {ORDERS: Position(next_offset=5)}, 1, 0).values()
    headers = [*record.headers, (EPOCHS, header)] if header is not None else record.headers
    found = read_position(record._replace(headers=headers), "a")
    assert found is not None
    assert found[1] is not None
    return found[1].epochs


def test_epochs_are_written_as_text() -> None:
    position = Position(next_offset=5, epochs=(EpochStart(0, 0), EpochStart(12, 4_000_000_000)))
    ((record,),) = position_records("a", {ORDERS: position}, 1, 0).values()

    assert dict(record.headers)[EPOCHS] == b"0:0,12:4000000000"
    assert epochs_read(b"0:0,12:4000000000") == position.epochs


@pytest.mark.parametrize("header", [None, b"", b"x", b"1", b"1:2,", b"-1:2", b"1:2;3:4", b"\xff:1", b"1:" + b"9" * 30])
def test_what_cannot_be_read_is_unknown(header: bytes | None) -> None:
    assert epochs_read(header) == ()
