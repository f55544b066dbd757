"""Measures how long the service takes to answer from a full metrics store.

`python -m tests.benchmarks.metrics.queries <series>` prints milliseconds by name as JSON; the databases are those of
the environment, empty at the start.
"""

import json
import sys
import time
from typing import Any

import django

TOPICS = 1_000
ROUNDS = 40
_HOUR_MS, _DAY_MS = 3_600_000, 86_400_000
_BUCKETS = json.dumps({str(bucket): 7 * bucket for bucket in range(5, 17)})
_FLOW = "/api/v2/replications/us-east/eu-central"


def main() -> None:
    django.setup()
    from django.core.management import call_command

    call_command("prepare")
    _fill(int(sys.argv[1]), time.time_ns() // 1_000_000)
    print(json.dumps(_answers()))


def _fill(series: int, now_ms: int) -> None:
    from replication.config import ClusterDefinition, FlowDefinition, ReplicationConfig
    from srm_service.monitoring.models import LEVEL_WIDTHS, PartitionNow, Rollup, Series
    from tests.component.service.conftest import config_import

    clusters = tuple(ClusterDefinition(alias=each, bootstrap=("127.0.0.1:9",)) for each in ("us-east", "eu-central"))
    flow = FlowDefinition(source="us-east", target="eu-central", enabled=True, heartbeats=True, topics_allow=(".*",))
    config_import(ReplicationConfig(clusters=clusters, flows=(flow,)))
    names = [f"topic-{number:04}" for number in range(TOPICS)]
    keys = [("", -1), *((name, number) for name in names for number in range(-1, series // TOPICS - 1))]
    Series.objects.bulk_create(
        (
            Series(source="us-east", target="eu-central", topic=name, remote_topic=f"us-east.{name}", partition=number)
            for name, number in keys
        ),
        batch_size=5_000,
    )
    ids = {(name, number): row for name, number, row in Series.objects.values_list("topic", "partition", "id")}
    PartitionNow.objects.bulk_create(
        (
            PartitionNow(series_id=row, state="replicating", lag=4, last_ms=now_ms, records_per_second=5.0)
            for row in ids.values()
        ),
        batch_size=5_000,
    )
    fine, wide = LEVEL_WIDTHS["topic", "10s"], LEVEL_WIDTHS["flow", "1h"]
    start_ms = now_ms - now_ms % 10_000
    fine._default_manager.bulk_create(
        (fine(**tile(ids[name, -1], start_ms - 10_000 * n)) for name in names for n in range(-30, 6)), batch_size=2_000
    )
    hour_ms = now_ms - now_ms % _HOUR_MS
    wide._default_manager.bulk_create(wide(**tile(ids["", -1], hour_ms - _HOUR_MS * n)) for n in range(90 * 24))
    for width in ("1m", "1h"):
        Rollup.objects.create(target="eu-central", width=width, rolled_to_ms=start_ms)


def tile(series_id: int, time_ms: int) -> dict[str, Any]:
    """Return the columns of a tile with a hundred records."""
    counts = dict.fromkeys(
        ("records", "bytes", "wire_bytes", "lag_max", "lag_last", "hole_offsets", "overlap_offsets"), 100
    )
    histograms = {
        f"{prefix}_{name}": value
        for prefix in ("latency", "age")
        for name, value in (
            *(("count", 100), ("min_ms", 1), ("max_ms", 40)),
            *(("sum_ms", 900), ("negative_count", 0), ("hist", _BUCKETS)),
        )
    }
    return {"id": series_id, "time_ms": time_ms, "covered_offsets": 100, "throttled_ms": 0, **counts, **histograms}


def _answers() -> dict[str, float]:
    from django.contrib.auth.models import User
    from rest_framework.test import APIClient

    client = APIClient()
    client.force_authenticate(User.objects.create_superuser("bench"))
    now_ms = time.time_ns() // 1_000_000
    week = {"metric": "replication_latency_ms", "from_ms": now_ms - 7 * _DAY_MS, "to_ms": now_ms, "step_ms": _HOUR_MS}
    return {
        "list": _p95(client, f"{_FLOW}/topics", {"limit": TOPICS}),
        "week": _p95(client, f"{_FLOW}/series", week),
    }


def _p95(client: Any, url: str, query: dict[str, Any]) -> float:
    """Of the rounds after the first one, in ms."""
    from srm_service.monitoring.models import Writer

    took_ms = []
    for _ in range(ROUNDS + 1):
        now_ms = time.time_ns() // 1_000_000
        fresh = {"epoch": 1, "owner": "bench", "started_ms": 0, "heartbeat_ms": now_ms, "last_batch_ms": now_ms}
        Writer.objects.update_or_create(target="eu-central", defaults=fresh)
        started_s = time.perf_counter()
        answer = client.get(url, query)
        took_ms.append((time.perf_counter() - started_s) * 1_000)
        assert answer.status_code == 200, answer.content
    return sorted(took_ms[1:])[int(0.95 * (ROUNDS - 1))]


if __name__ == "__main__":
    main()
