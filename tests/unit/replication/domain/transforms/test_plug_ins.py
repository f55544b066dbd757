"""Transforms of somebody else's package."""

import pytest

from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.domain.transforms.catalogue import make_transform
from replication.domain.transforms.contract import TransformError, TransformSettingsError
from replication.domain.transforms.settings import TransformSettings
from tests.support.engine.transform_contract import check_transform

ORDERS = TopicPartition("orders", 0)
RECORD = Record(5, 1_000, b"k", b"v", [])
SETTINGS = TransformSettings(name="mine", type="upper", options=(("suffix", "!"),))


class Upper:
    def __init__(self, options: dict[str, str]) -> None:
        self.suffix = options["suffix"].encode()

    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        if record.value is None:
            return None
        return record._replace(value=record.value.upper() + self.suffix)


class Careless(Upper):
    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        return record._replace(offset=record.offset + 1)


class Broken(Upper):
    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        raise ZeroDivisionError("division by zero")


def test_a_plug_in_gets_its_options_and_transforms() -> None:
    made = make_transform(SETTINGS, {"upper": lambda: Upper}).apply(ORDERS, RECORD)

    assert made == RECORD._replace(value=b"V!")


def test_what_a_plug_in_raises_is_named_and_refuses_one_record() -> None:
    with pytest.raises(TransformError) as refused:
        make_transform(SETTINGS, {"upper": lambda: Broken}).apply(ORDERS, RECORD)
    assert str(refused.value) == "transform 'mine' failed with ZeroDivisionError"  # its text may quote the record


def test_a_plug_in_may_not_move_records() -> None:
    with pytest.raises(TransformError, match="changed the offset"):
        make_transform(SETTINGS, {"upper": lambda: Careless}).apply(ORDERS, RECORD)


def test_a_plug_in_that_cannot_be_made_says_why() -> None:
    def missing() -> type[Upper]:
        raise ImportError("no module named upper")

    with pytest.raises(TransformSettingsError, match=r"transforms\.mine \(upper\) cannot be made: ImportError"):
        make_transform(SETTINGS, {"upper": missing})
    with pytest.raises(TransformSettingsError, match="KeyError"):
        make_transform(TransformSettings(name="mine", type="upper"), {"upper": lambda: Upper})


def test_the_contract_kit_finds_a_careless_transform() -> None:
    check_transform(Upper({"suffix": "!"}))
    with pytest.raises(AssertionError, match="offset"):
        check_transform(Careless({"suffix": ""}))
    with pytest.raises(ZeroDivisionError):
        check_transform(Broken({"suffix": ""}))
