"""The settings that the flow applied to remote topics, as records."""

import pytest

from replication.codecs.applied_records import AppliedSettings, decode_applied, encode_applied
from replication.domain.errors import MalformedRecordError
from replication.domain.plan.acl import AclEntry

ENTRY = AclEntry(principal="User:ann", host="*", operation="read", permission="allow")


def test_settings_are_read_back_as_written() -> None:
    settings = AppliedSettings(configs={"retention.ms": "5"}, acls=frozenset({ENTRY}))

    assert decode_applied(*encode_applied("a.t", settings)) == ("a.t", settings)


def test_the_bytes_are_stable() -> None:
    _, value = encode_applied("a.t", AppliedSettings(configs={"b": "1", "a": "2"}, acls=frozenset({ENTRY})))

    assert value == b'{"v":1,"configs":{"a":"2","b":"1"},"acls":[["User:ann","*","read","allow"]]}'


def test_a_tombstone_means_nothing_is_set() -> None:
    assert decode_applied(b"a.t", None) == ("a.t", AppliedSettings())


@pytest.mark.parametrize("value", [b"", b"[]", b"\xff", b'{"acls":[["x"]]}', b'{"acls":[["p","h","o","maybe"]]}'])
def test_other_bytes_are_a_malformed_record(value: bytes) -> None:
    with pytest.raises(MalformedRecordError):
        decode_applied(b"a.t", value)
