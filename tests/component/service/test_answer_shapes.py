"""Every answer has the shape which the OpenAPI document promises."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import redis
from rest_framework.test import APIClient

from srm_service.flows.orders import hold_set, resets_request
from tests.component.service.conftest import at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.drivers.group_summaries import publish, summary
from tests.support.metrics import tiles

_DOCUMENT = Path(__file__).parents[3] / "frontend" / "openapi.json"
_FLOW = "/api/v2/replications/us-east/eu-central"


@pytest.mark.redis
@pytest.mark.django_db(databases=["default", "metrics"])
@pytest.mark.parametrize(
    ("address", "schema"),
    [
        ("/api/v2/me", "Me"),
        ("/api/v2/clusters", "ClusterList"),
        ("/api/v2/clusters/us-east", "Cluster"),
        ("/api/v2/clusters/discovered", "DiscoveredList"),
        ("/api/v2/drivers", "DriverList"),
        ("/api/v2/drivers/d", "DriverDetail"),
        ("/api/v2/tasks", "TaskList"),
        ("/api/v2/metrics/summary", "Summary"),
        ("/api/v2/replications", "FlowList"),
        (_FLOW, "FlowDetail"),
        (f"{_FLOW}/topics", "TopicList"),
        (f"{_FLOW}/series?metric=replication_latency_ms", "Series"),
        ("/api/v2/topic-metrics/us-east/eu-central/orders/byte-rate", "TopicMetric"),
        ("/api/v2/topic-metrics/eu-central/us-east.orders/lag_offsets", "TopicMetric"),
        ("/api/v2/cluster-metrics/us-east/eu-central/replication-latency-ms", "ClusterMetric"),
        ("/api/v2/remote-topics", "RemoteTopicList"),
        ("/api/v2/remote-topics/us-east/eu-central", "RemoteTopicList"),
        ("/api/v2/group-metrics/us-east/eu-central/billing/lag_offsets", "GroupMetric"),
        ("/api/v1/cluster-metrics/us-east/byte-rate", "ClusterMetric"),
        ("/api/v1/admin/replication-stats", "ReplicationStatsList"),
        ("/api/v1/admin/replication-stats/is-configured", "IsConfigured"),
        ("/api/v1/admin/replication-stats/topics/us-east/eu-central", "TopicStatsList"),
        ("/api/v1/admin/replication-stats/topics/us-east/eu-central/orders", "TopicStatsDetail"),
        ("/api/v1/admin/replication-stats/topics/us-east.orders", "TopicStatsList"),
        ("/api/v2/topology", "Topology"),
        ("/api/v2/search?q=orders", "Search"),
        ("/api/v2/gaps", "GapList"),
        ("/api/v2/marks", "Marks"),
        (f"{_FLOW}/plan", "PlanNow"),
        (f"{_FLOW}/skipped-topics", "SkippedTopicList"),
        (f"{_FLOW}/groups", "GroupList"),
        (f"{_FLOW}/groups/zahlung%2Fgr%C3%B6%C3%9Fe%201", "ConsumerGroupNow"),
        (f"{_FLOW}/series?metric=lag_offsets&group=billing", "Series"),
        (f"{_FLOW}/audits", "AuditList"),
        (f"{_FLOW}/audits/state", "AuditStanding"),
        (f"{_FLOW}/throttle", "Throttle"),
        (f"{_FLOW}/effective?limit=1000", "EffectiveList"),
        ("/api/v2/settings?limit=1000", "KeyList"),
        ("/api/v2/properties", "PropertyList"),
        ("/api/v2/properties/export?format=mm2", "Export"),
        ("/api/v2/config/versions", "VersionList"),
        ("/api/v2/config/versions/1", "VersionDetail"),
        ("/api/v2/config/diff?from=0&to=1", "VersionDiff"),
        ("/api/v2/config/drafts", "DraftList"),
        (f"{_FLOW}/holds", "HoldList"),
        (f"{_FLOW}/resets", "ResetList"),
        (f"{_FLOW}/actions", "ActionList"),
        (f"{_FLOW}/series?metric=nonsense", "Problem"),
        ("/api/v2/replications/us-east/nowhere", "Problem"),
    ],
)
def test_an_answer_has_the_documented_shape(
    address: str,
    schema: str,
    viewer: APIClient,
    one_flow: str,
    live_redis: redis.Redis,
) -> None:
    now = at_ms()
    flow = ("us-east", "eu-central")
    tiles.tile(tiles.series(*flow), now - now % 10_000 - 60_000, latencies_ms=[5])
    tiles.tile(tiles.series(*flow, "orders"), now - now % 10_000 - 60_000, level="topic", latencies_ms=[5])
    hold_set(source=flow[0], target=flow[1], topic="orders", partition=None, until=None, reason="", by="me")
    resets_request(source=flow[0], target=flow[1], topic="orders", partitions=[1], to={"offset": 7}, by="me")
    tiles.series(*flow, group="billing")
    tiles.gap(*flow, "orders", now)
    publish(live_redis, *flow, summary(*flow, now))
    put(
        live_redis,
        live.source_task(*flow, now),
        live.checkpoint_task(*flow, now),
        live.plan_document(*flow, now),
        live.driver("d", "data", now),
    )

    answer = viewer.get(address).json()

    _validate(answer, schema)


def _validate(answer: Any, schema: str) -> None:
    document = json.loads(_DOCUMENT.read_text())
    jsonschema.Draft202012Validator(
        {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    ).validate(answer)
