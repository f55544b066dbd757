"""A gateway moves brokers to its own addresses and hides versions it does not understand; all else stays."""

import struct

import pytest

from replication.kerberos.answers import (
    API_VERSIONS,
    DESCRIBE_CLUSTER,
    FIND_COORDINATOR,
    METADATA,
    PRODUCE,
    Address,
    rewritten,
)


def redirect(broker: Address) -> Address:
    return "127.0.0.1", broker[1] + 1


def compact(text: str | None) -> bytes:
    return b"\0" if text is None else bytes([len(text) + 1]) + text.encode()


def brokers(*addresses: Address) -> bytes:
    each = (
        struct.pack(">i", number) + compact(host) + struct.pack(">i", port) + compact("rack") + b"\1\5\2ab"
        for number, (host, port) in enumerate(addresses)
    )
    return bytes([len(addresses) + 1]) + b"".join(each)


OLD = brokers(("broker-one.example", 9_092), ("b2", 9_093))
NEW = brokers(("127.0.0.1", 9_093), ("127.0.0.1", 9_094))


def test_metadata_names_the_gateways_ports() -> None:
    head = struct.pack(">ixi", 7, 0)
    assert rewritten(METADATA, 12, head + OLD + b"the rest", redirect) == head + NEW + b"the rest"


def test_a_described_cluster_has_the_gateways_ports() -> None:
    head = struct.pack(">ixih", 7, 0, 0) + compact(None) + compact("the-id") + struct.pack(">i", 1)
    assert rewritten(DESCRIBE_CLUSTER, 0, head + OLD + b"rest", redirect) == head + NEW + b"rest"


@pytest.mark.parametrize(("host", "new"), [("broker.example", b"127.0.0.1"), ("", b"")])
def test_a_coordinator_is_found_at_the_gateway_where_there_is_one(host: str, new: bytes) -> None:
    head = struct.pack(">iihhi", 7, 0, 0, -1, 2)
    port = 9_092 if host else -1
    answer = head + struct.pack(">h", len(host)) + host.encode() + struct.pack(">i", port)

    expected = head + struct.pack(">h", len(new)) + new + struct.pack(">i", port + 1 if host else -1)
    assert rewritten(FIND_COORDINATOR, 2, answer, redirect) == expected


def test_newer_versions_than_we_know_are_hidden() -> None:
    entries = [(PRODUCE, 0, 13), (METADATA, 0, 13), (50, 0, 99)]
    body = b"".join(struct.pack(">hhhx", *entry) for entry in entries)
    answer = struct.pack(">ih", 7, 0) + bytes([len(entries) + 1]) + body + b"tail"

    kept = b"".join(struct.pack(">hhhx", *entry) for entry in [(PRODUCE, 0, 9), (METADATA, 0, 12), (50, 0, 99)])
    assert rewritten(API_VERSIONS, 3, answer, redirect) == answer[:7] + kept + b"tail"


def test_answers_without_addresses_pass_as_they_are() -> None:
    assert rewritten(PRODUCE, 9, b"anything", redirect) == b"anything"


def test_half_an_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="ends too early"):
        rewritten(METADATA, 12, struct.pack(">ixi", 7, 0) + OLD[:9], redirect)
