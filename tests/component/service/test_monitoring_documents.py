"""Alert rules and dashboard: each metric, label and value that they use is in a scrape of a service and its driver."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
import redis
from prometheus_client.parser import text_string_to_metric_families
from rest_framework.test import APIClient

from replication.domain.health.flow_facts import FLOW_STATUS_WORDS, TaskState
from replication.domain.health.partition_state import PARTITION_STATES
from replication.ports.data_engine import DataEngine
from replication.worker.http.driver_report import DriverReport
from replication.worker.http.metrics_page import metrics_page
from replication.worker.http.process_health import ProcessHealth
from replication.worker.jobs.self_ping import SelfPing
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.reporting.raw_metrics import RawMetrics
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.clock import StoppedClock
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles
from tests.support.monitoring import documents
from tests.support.monitoring.promql import Selector, parsed

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")
_OF_PROMETHEUS = {"instance", "job"}  # labels of every scraped series
_WORDS = {"state": {*PARTITION_STATES, *TaskState.__args__}}  # type: ignore[attr-defined] # of Literal
Scraped = Mapping[str, list[Mapping[str, str]]]  # labels of the samples of each name


@pytest.fixture
def scraped(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> Scraped:
    """The samples of all pages of a service in use and of its driver."""
    now = at_ms()
    put(
        live_redis,
        live.source_task(*_FLOW, now, catch_up_ms=1_000, time_to_loss_ms=9_000_000),
        live.plan_task(*_FLOW, now),
        live.heartbeat_task(*_FLOW, now),
        live.checkpoint_task(*_FLOW, now),
        live.plan_document(*_FLOW, now),
    )
    tiles.writer(_FLOW[1], now)
    figures: dict[str, int] = {"raw_lag_offsets": 1, "batch_p50_ms": 2, "batch_max_ms": 3}
    tiles.query_status(_FLOW[1], now, "Executor 3 is slow.", **figures)
    tiles.tile(tiles.series(*_FLOW, "orders"), now - now % 10_000 - 20_000, level="topic", latencies_ms=[5, 50])
    tiles.now_row(tiles.series(*_FLOW, "orders", partition=0), now, covered_to=93, log_end=100)
    pages = [viewer.get("/metrics", {"per": per}).content.decode() for per in ("flow", "topic", "partition")]
    samples: dict[str, list[Mapping[str, str]]] = {}
    for page in (*pages, _driver_page()):
        for family in text_string_to_metric_families(page):
            for sample in family.samples:
                samples.setdefault(sample.name, []).append(sample.labels)
    return samples


def _driver_page() -> str:
    process = DriverProcess(
        driver="d1-2", parent="d1", role="data", boot="b1", host="h", pid=1, version="0.1", started_ms=1_000
    )
    report = DriverReport(
        process=process,
        load=ProcessLoad(lambda: 12),
        health=ProcessHealth(StoppedClock(), SelfPing(), None),
        engine=cast("DataEngine", SimpleNamespace(partition_figures=lambda: ())),
        raw_metrics=cast("RawMetrics", SimpleNamespace(dropped_records=1)),
    )
    report.load.measure()
    task = {"source": "a", "target": "b", "task": "t", "kind": "source", "state": "failed", "cause": None}
    totals = {"refused_total": 1, "resent_total": 2}
    report.replace_states([{**task, "since_ms": 1, "sent_ms": 2, "generation": 1, **totals}])
    return metrics_page(report).body.decode()


def _missing(selector: Selector, scraped: Scraped) -> list[str]:
    """Return what of a selector no scrape has."""
    if selector.metric not in scraped:
        return [selector.metric]
    known = {name for labels in scraped[selector.metric] for name in labels} | _OF_PROMETHEUS
    wrong = [f"{selector.metric}{{{label}}}" for label, _, _ in selector.matchers if label not in known]
    for label, _, value in selector.matchers:
        words = _WORDS.get(label) or {labels[label] for labels in scraped[selector.metric] if label in labels}
        if not value.startswith("$"):
            wrong += [f"{selector.metric}{{{label}={word}}}" for word in value.split("|") if word not in words]
    return wrong


def test_alert_rules_use_what_is_scraped(scraped: Scraped) -> None:
    missing = []
    for rule in documents.alert_rules():
        found = parsed(rule["expr"])
        labels = {name for each in found.selectors for sample in scraped.get(each.metric, ()) for name in sample}
        missing += [each for selector in found.selectors for each in _missing(selector, scraped)]
        missing += [f"{rule['alert']}: {name}" for name in found.labels - labels - _OF_PROMETHEUS]
        shown = documents.template_labels(rule["annotations"])
        kept = found.labels or labels | _OF_PROMETHEUS
        missing += [f"{rule['alert']} shows {name}" for name in shown - kept]

    assert missing == []


def test_the_dashboard_uses_what_is_scraped(scraped: Scraped) -> None:
    board = documents.dashboard()
    missing = []
    for expression, shown in documents.panel_expressions(board):
        found = parsed(expression)
        labels = {name for each in found.selectors for sample in scraped.get(each.metric, ()) for name in sample}
        missing += [each for selector in found.selectors for each in _missing(selector, scraped)]
        missing += [f"{expression}: {name}" for name in found.labels - labels - _OF_PROMETHEUS]
        missing += [f"{expression} shows {name}" for name in shown - (found.labels or labels | _OF_PROMETHEUS)]
    for name, series, label in documents.variable_expressions(board):
        (selector,) = parsed(series).selectors
        missing += _missing(selector, scraped)
        missing += [name] if not any(label in labels for labels in scraped.get(selector.metric, ())) else []

    assert missing == []


def test_a_metric_label_or_word_that_no_one_has_is_noticed(scraped: Scraped) -> None:
    wrong = 'srm_flow_speed + srm_flow_status{flow="x"} + srm_flow_status{status="happy"} + srm_flow_status'

    assert [each for selector in parsed(wrong).selectors for each in _missing(selector, scraped)] == [
        "srm_flow_speed",
        "srm_flow_status{flow}",
        "srm_flow_status{flow=x}",
        "srm_flow_status{status=happy}",
    ]


def test_rules_are_whole_and_named_once() -> None:
    rules = documents.alert_rules()

    names = [rule["alert"] for rule in rules]
    assert len(names) == len(set(names)) >= 15
    for rule in rules:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, rule["alert"]
        assert rule["labels"]["severity"] in ("critical", "warning"), rule["alert"]
        assert rule["annotations"]["summary"], rule["alert"]
        assert documents.is_duration(rule.get("for", "0s")), rule["alert"]


def test_panels_have_places_that_do_not_overlap() -> None:
    board: Mapping[str, Any] = documents.dashboard()

    assert board["uid"]
    assert board["schemaVersion"]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert panel["type"] in documents.PANELS, panel["title"]
        assert not taken & cells, panel["title"]
        assert max(x for x, _ in cells) < documents.GRID_WIDTH, panel["title"]
        taken |= cells


def test_statuses_of_flows_are_alerted_on_or_wanted() -> None:
    """A status that is added needs a decision: is it a reason to wake someone up?"""
    alerted = {
        word
        for rule in documents.alert_rules()
        for selector in parsed(rule["expr"]).selectors
        for label, _, value in selector.matchers
        if (selector.metric, label) == ("srm_flow_status", "status")
        for word in value.split("|")
    }

    assert set(FLOW_STATUS_WORDS) - alerted == {"disabled", "paused", "idle", "starting", "healthy"}
