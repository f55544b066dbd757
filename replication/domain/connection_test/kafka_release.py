"""The release of a Kafka broker, from the versions of the APIs that it knows. Brokers do not tell it themselves."""

from collections.abc import Mapping
from typing import NamedTuple


class _Sign(NamedTuple):
    """The version of an API that came with a release."""

    release: str
    api: int
    version: int


_PRODUCE, _FETCH, _LIST_OFFSETS, _LEADER_AND_ISR, _JOIN_GROUP = 0, 1, 2, 4, 11
_ADD_PARTITIONS_TO_TXN, _DESCRIBE_ACLS, _DESCRIBE_LOG_DIRS, _DESCRIBE_CLIENT_QUOTAS = 24, 29, 35, 48
_SIGNS = (  # newest first; patch releases do not differ
    _Sign("4.3", _DESCRIBE_LOG_DIRS, 5),
    _Sign("4.2", _LIST_OFFSETS, 11),
    _Sign("4.1", _PRODUCE, 13),
    _Sign("4.0", _LIST_OFFSETS, 10),
    _Sign("3.9", _FETCH, 17),
    _Sign("3.8", _PRODUCE, 11),
    _Sign("3.7", _FETCH, 16),
    _Sign("3.6", _ADD_PARTITIONS_TO_TXN, 4),
    _Sign("3.5", _FETCH, 15),
    _Sign("3.4", _LEADER_AND_ISR, 7),
    _Sign("3.3", _DESCRIBE_ACLS, 3),
    _Sign("3.2", _JOIN_GROUP, 9),
    _Sign("3.1", _FETCH, 13),
    _Sign("3.0", _LIST_OFFSETS, 7),
    _Sign("2.8", _PRODUCE, 9),
    _Sign("2.7", _FETCH, 12),
    _Sign("2.6", _DESCRIBE_CLIENT_QUOTAS, 0),
    _Sign("2.5", _DESCRIBE_ACLS, 2),
    _Sign("2.4", _PRODUCE, 8),
    _Sign("2.3", _FETCH, 11),
    _Sign("2.2", _LIST_OFFSETS, 5),
    _Sign("2.1", _FETCH, 10),
    _Sign("2.0", _FETCH, 8),
)


def kafka_release(newest: Mapping[int, int]) -> str | None:
    """Return the newest release that `newest`, the highest version of each API, shows; None if older than 2.0."""
    return next((sign.release for sign in _SIGNS if newest.get(sign.api, -1) >= sign.version), None)
