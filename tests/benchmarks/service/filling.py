"""Fills the databases of a service that runs: `python -m tests.benchmarks.service.filling` in its environment.

There are 200 flows between clusters, one of them with 1,000 topics, all with tiles of the last minutes.
"""

import random
import time

import django

FLOWS, TOPICS = 200, 1_000
SOURCES, TARGETS = 20, 10
BUSY = ("s00", "t0")


def flows() -> list[tuple[str, str]]:
    return [(f"s{source:02}", f"t{target}") for source in range(SOURCES) for target in range(TARGETS)]


def main() -> None:
    django.setup()
    from replication.config import ClusterDefinition, FlowDefinition, ReplicationConfig
    from srm_service.monitoring.models import LEVEL_WIDTHS, PartitionNow, Rollup, Series
    from tests.benchmarks.metrics.queries import tile
    from tests.support.configuration import config_import

    aliases = sorted({end for flow in flows() for end in flow})
    config_import(
        ReplicationConfig(
            clusters=tuple(ClusterDefinition(alias=alias, bootstrap=("127.0.0.1:9",)) for alias in aliases),
            flows=tuple(
                FlowDefinition(source=source, target=target, enabled=True, heartbeats=True, topics_allow=(".*",))
                for source, target in flows()
            ),
        )
    )
    names = [f"topic-{number:04}" for number in range(TOPICS)]
    rows = [(source, target, "", "") for source, target in flows()]
    rows += [(*BUSY, name, f"{BUSY[0]}.{name}") for name in names]
    Series.objects.bulk_create(
        (
            Series(source=source, target=target, topic=topic, remote_topic=remote, partition=-1)
            for source, target, topic, remote in rows
        ),
        batch_size=2_000,
    )
    numbers = random.Random(1)
    now_ms = time.time_ns() // 1_000_000
    start_ms = now_ms - now_ms % 10_000
    of_flows = list(Series.objects.filter(topic="").values_list("id", flat=True))
    of_topics = list(Series.objects.exclude(topic="").values_list("id", flat=True))
    PartitionNow.objects.bulk_create(
        (
            PartitionNow(
                series_id=row,
                state="replicating",
                lag=numbers.randrange(1_000),
                last_ms=now_ms + 600_000,
                records_per_second=numbers.random() * 1_000,
                bytes_per_second=numbers.random() * 1_000_000,
            )
            for row in (*of_flows, *of_topics)
        ),
        batch_size=2_000,
    )
    # Tiles of ten seconds lie in the future, too, so that the store is as full in the last minute of the measurement as
    # in the first. Those of a minute end where the measurement begins, as after a roll-up.
    minute_ms = start_ms - start_ms % 60_000
    levels = (
        (LEVEL_WIDTHS["flow", "10s"], of_flows, range(start_ms - 600_000, start_ms + 600_000, 10_000)),
        (LEVEL_WIDTHS["flow", "1m"], of_flows, range(minute_ms - 900_000, minute_ms, 60_000)),
        (LEVEL_WIDTHS["topic", "10s"], of_topics, range(start_ms - 60_000, start_ms + 600_000, 10_000)),
    )
    for model, series, times in levels:
        model._default_manager.bulk_create(
            (
                model(**{**tile(row, time_ms), "records": numbers.randrange(10_000)})
                for row in series
                for time_ms in times
            ),
            batch_size=2_000,
        )
    for target in range(TARGETS):
        for width, rolled_to_ms in (("1m", minute_ms), ("1h", minute_ms - 900_000)):
            Rollup.objects.create(target=f"t{target}", width=width, rolled_to_ms=rolled_to_ms)


if __name__ == "__main__":
    main()
