"""The pages for Prometheus: flows, topics or partitions. No page repeats the metrics of another."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import structlog
from django.db import DatabaseError
from prometheus_client.core import Metric

from replication.domain.identifiers import FlowId
from srm_service.core.clock import now_ms
from srm_service.flows.selectors import flow_list
from srm_service.monitoring.drivers import drivers_now
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.partitions import partitions_of_flow
from srm_service.monitoring.flows.query_status import QueryNow, queries_now
from srm_service.monitoring.flows.topics import topic_names, topics_now
from srm_service.monitoring.prometheus.families import rendered
from srm_service.monitoring.prometheus.flow_metrics import driver_families, flow_families
from srm_service.monitoring.prometheus.process_metrics import process_families
from srm_service.monitoring.prometheus.target_metrics import target_families
from srm_service.monitoring.prometheus.topic_metrics import (
    FlowPartition,
    FlowTopic,
    partition_families,
    topic_families,
)

Per = Literal["flow", "topic", "partition"]
PER_WORDS: tuple[Per, ...] = get_args(Per)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScope:
    """The flows and the topic that a page of topics or partitions is about; empty is all."""

    source: str = ""
    target: str = ""
    topic: str = ""

    def has(self, source: str, target: str) -> bool:
        return self.source in ("", source) and self.target in ("", target)


def page_of_metrics(per: Per, scope: PageScope) -> bytes:
    """Return a page. A source of data that does not answer leaves its metrics out."""
    return rendered(_PAGES[per](scope))


def _flow_page(_: PageScope) -> Iterator[Metric]:
    yield from flow_families(overview())
    yield from driver_families(drivers_now(live_snapshot()))
    yield from target_families(_queries())
    yield from process_families()


def _topic_page(scope: PageScope) -> Iterator[Metric]:
    live, at_ms = live_snapshot(), now_ms()
    return topic_families([row for flow in _flows(scope) for row in _topics(flow, scope, live, at_ms)])


def _partition_page(scope: PageScope) -> Iterator[Metric]:
    live, at_ms = live_snapshot(), now_ms()
    return partition_families([row for flow in _flows(scope) for row in _partitions(flow, scope, live, at_ms)])


def _flows(scope: PageScope) -> list[FlowId]:
    return [FlowId(flow.source, flow.target) for flow in flow_list() if scope.has(flow.source, flow.target)]


def _topics(flow: FlowId, scope: PageScope, live: LiveSnapshot, at_ms: int) -> Iterator[FlowTopic]:
    names = [name for name in topic_names(flow, live)[0] if scope.topic in ("", name)]
    return ((flow, topic) for topic in topics_now(flow, names, live, at_ms))


def _partitions(flow: FlowId, scope: PageScope, live: LiveSnapshot, at_ms: int) -> Iterator[FlowPartition]:
    try:
        topics = partitions_of_flow(flow, live, at_ms, topic=scope.topic)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return
    for name, rows in topics.items():
        for row in rows:
            yield flow, name, row


def _queries() -> tuple[QueryNow, ...]:
    try:
        return queries_now(now_ms())
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return ()


_PAGES: Mapping[Per, Callable[[PageScope], Iterator[Metric]]] = {
    "flow": _flow_page,
    "topic": _topic_page,
    "partition": _partition_page,
}
