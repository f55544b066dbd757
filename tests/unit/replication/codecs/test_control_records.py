"""Records of control topics."""

import json

import pytest

from replication.codecs.control_records import decode_author, decode_place, encode_listed
from replication.domain.desired.name_lists import LIST_KINDS, LIST_SIDES, ListPlace
from replication.domain.errors import MalformedRecordError

PLACES = [ListPlace(kind=kind, side=side, pattern="a:b.*,ü") for kind in LIST_KINDS for side in LIST_SIDES]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.kind}-{place.side}")
def test_a_record_reads_back_as_it_was_written(place: ListPlace) -> None:
    key, value = encode_listed(place, by="ann")

    assert (decode_place(key), decode_author(value)) == (place, "ann")


def test_a_name_that_no_database_stores_loses_its_odd_characters() -> None:
    assert decode_author(b'{"by":"a\\u0000b"}') == "ab"


def test_the_bytes_are_those_of_the_contract() -> None:
    key, value = encode_listed(ListPlace(kind="topics", side="allow", pattern="orders.*"), by="ann")

    assert (key, value) == (b"topics:allow:orders.*", b'{"v":1,"by":"ann"}')


@pytest.mark.parametrize(
    "key",
    [None, b"", b"topics", b"topics:allow", b"topic:allow:x", b"topics:Allow:x", b"\xff:a:b", b"topics:allow:a\0"],
)
def test_what_is_no_key_is_malformed(key: bytes | None) -> None:
    with pytest.raises(MalformedRecordError):
        decode_place(key)


@pytest.mark.parametrize("value", [b"", b"1", b"x", b"[]", b"{}", b'{"by":3}', b"\xff"])
def test_a_record_written_by_hand_needs_no_value_of_ours(value: bytes) -> None:
    assert decode_author(value) == ""


@pytest.mark.parametrize("version", [2, "1", None])
def test_a_later_version_is_not_guessed(version: object) -> None:
    with pytest.raises(MalformedRecordError, match="upgrade"):
        decode_author(json.dumps({"v": version}).encode())
