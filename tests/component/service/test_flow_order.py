"""The order of the list of flows across its pages, which the service makes in memory."""

from functools import reduce
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.monitoring.api.queries import FlowListQuery
from srm_service.monitoring.flow_columns import FLOW_COLUMNS
from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

_LIST = "/api/v2/replications"
_PLACES = {column.name: column.place for column in FLOW_COLUMNS}
_FLOWS = [("hub", f"site-{number}") for number in range(6)] + [("site-3", "hub")]
_DISABLED, _SILENT = _FLOWS[2], _FLOWS[5]
# the list shows the percentile of its window, and orders by that of now
_LATENCY_MS = {
    f"{flow[0]}->{flow[1]}": None if flow in (_DISABLED, _SILENT) else 2 ** (7 - number)
    for number, flow in enumerate(_FLOWS)
}


@pytest.fixture
def flows(live_redis: redis.Redis) -> list[str]:
    """Seven flows: some with equal numbers, one that is disabled, one without a report."""
    config_import(configured(*(flow_definition(*flow, enabled=flow != _DISABLED) for flow in _FLOWS)))
    now = at_ms()
    for number, flow in enumerate(_FLOWS):
        latency_ms = _LATENCY_MS["->".join(flow)]
        if latency_ms is not None:
            rate = (number * 5) % 3  # the same of several flows
            put(
                live_redis,
                live.source_task(
                    *flow,
                    now,
                    records_per_second=10.0 + rate,
                    bytes_per_second=9_000.0 - number,
                    lag_offsets=rate,
                    latency=live.histogram(*[latency_ms] * 20),
                    since_ms=now - 1_000 * ((number * 3) % 7),
                ),
                live.plan_task(*flow, now),
            )
    return [f"{source}->{target}" for source, target in _FLOWS]


@pytest.mark.parametrize("sign", ["", "-"], ids=["ascending", "descending"])
def test_pages_in_every_order_have_each_flow_once_and_unknown_values_last(
    viewer: APIClient, flows: list[str], sign: str
) -> None:
    values = {}
    for name in FlowListQuery.orderings:
        rows = _rows(viewer, f"{sign}{name}")
        assert sorted(key for key, _ in _placed(rows, name)) == sorted(flows), name
        values[name] = [value for _, value in _placed(rows, name)]
        assert _placed(rows, name) == _expected(_placed(rows, name), descending=sign == "-"), name

    several = {name for name, found in values.items() if len(set(found)) > 1}
    assert several == FlowListQuery.orderings.keys() - {"service"}, "the flows differ in each column"
    assert None in values["lag_offsets"]


def _rows(viewer: APIClient, ordering: str) -> list[dict[str, Any]]:
    """All rows, in pages of two."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    for _ in range(len(_FLOWS)):
        page = viewer.get(_LIST, {"ordering": ordering, "limit": "2", "cursor": cursor}).json()
        assert 1 <= len(page["items"]) <= 2
        rows += page["items"]
        cursor = page["next_cursor"]
        if not cursor:
            return rows
    raise AssertionError("the pages have no end")


def _placed(rows: list[dict[str, Any]], name: str) -> list[tuple[str, Any]]:
    """The flow and its value in this column, per row."""
    if name == "latency_p95_ms":
        return [(key, _LATENCY_MS[key]) for key, _ in _placed(rows, "source")]
    places = (_PLACES[name] or "").split(".")
    return [(f"{row['source']}->{row['target']}", reduce(lambda found, key: found[key], places, row)) for row in rows]


def _expected(placed: list[tuple[str, Any]], *, descending: bool) -> list[tuple[str, Any]]:
    """By value, then by name, those without a value last."""
    known = sorted(row for row in placed if row[1] is not None)
    known.sort(key=lambda row: row[1], reverse=descending)
    return known + sorted(row for row in placed if row[1] is None)
