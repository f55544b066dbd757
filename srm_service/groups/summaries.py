"""The summaries that checkpoint tasks keep in Redis. A summary that has not changed is not read again."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import redis
import structlog
from redis.client import NEVER_DECODE

from replication.domain.groups.group_summary import GroupsSummary, SummaryError, summary_from_bytes
from replication.domain.identifiers import FlowId
from srm_service.wiring import REDIS_PREFIX, redis_client

_KEPT = 64  # summaries that are kept; one of 10,000 groups takes about 20 MB
_log = structlog.get_logger(__name__)


class NoSummariesError(Exception):
    """Redis does not answer."""


class _Kept:
    """The last summaries by key, each with the bytes that it was read from."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: OrderedDict[str, tuple[bytes, GroupsSummary]] = OrderedDict()

    def read(self, key: str, data: bytes) -> GroupsSummary:
        """Raises SummaryError."""
        with self._lock:
            known = self._by_key.get(key)
        if known is not None and known[0] == data:
            return known[1]
        summary = summary_from_bytes(data)
        with self._lock:
            self._by_key[key] = (data, summary)
            self._by_key.move_to_end(key)
            while len(self._by_key) > _KEPT:
                self._by_key.popitem(last=False)
        return summary


_kept = _Kept()


def flow_summaries(flow: FlowId) -> Mapping[int, GroupsSummary]:
    """Return the summary of each checkpoint slot that has one. Raises NoSummariesError.

    One that cannot be read is logged and absent.
    """
    prefix = f"{REDIS_PREFIX}groups:{flow.target}:{flow.source}:"
    found: dict[int, GroupsSummary] = {}
    for key, data in _values(prefix).items():
        slot = key.removeprefix(prefix)
        try:
            if slot.isdecimal():
                found[int(slot)] = _kept.read(key, data)
        except SummaryError as error:
            _log.warning("a summary of groups in Redis is malformed", key=key, error=str(error))
    return dict(sorted(found.items()))


def _values(prefix: str) -> Mapping[str, bytes]:
    try:
        client = redis_client()
        keys = sorted(client.scan_iter(match=f"{_escaped(prefix)}*", count=1_000))
        if not keys:
            return {}
        raw: dict[str, Any] = {NEVER_DECODE: []}  # the values are compressed
        values = client.execute_command("MGET", *keys, **raw)  # type: ignore[no-untyped-call]
    except (redis.RedisError, OSError) as error:
        raise NoSummariesError("Redis does not answer") from error
    return {key: value for key, value in zip(keys, values, strict=True) if value is not None}


def _escaped(text: str) -> str:
    """Return the text as a pattern of Redis that matches only itself."""
    return "".join(f"\\{letter}" if letter in "*?[]\\" else letter for letter in text)
