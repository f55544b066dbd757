"""Our engine in a separate process, until it is told to stop.

The argument is JSON, or `@` and the file that holds it: {source, target, alias, topics: {name: partitions}, slots,
report: file that the partition states are written to}.
"""

import json
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.worker.engine.data_engine import open_data_engine
from tests.support.kafka.kafka_records import topic_id


def main() -> None:
    argument = sys.argv[1]
    order = json.loads(Path(argument[1:]).read_text() if argument.startswith("@") else argument)
    engine = open_data_engine()
    engine.start()
    handles = [engine.start_slot(spec, driver="bench", boot="bench") for spec in _specs(order)]

    def stop(*_: object) -> None:
        for handle in handles:
            handle.stop()

    signal.signal(signal.SIGTERM, stop)
    while not all(handle.wait(0) for handle in handles):
        time.sleep(0.25)
        if order.get("report"):
            _report(Path(order["report"]), [handle.live() for handle in handles])
    engine.stop(5)
    failed = [handle.error() for handle in handles if handle.error() is not None]
    if failed:
        raise SystemExit(f"a slot ended: {failed[0]!r}")


def _specs(order: dict[str, Any]) -> list[SlotSpec]:
    alias, slots = order["alias"], order.get("slots", 1)
    planned = [
        PlannedPartition(upstream=TopicPartition(topic, number), remote_topic=f"{alias}.{topic}", topic_id=identity)
        for topic, count in order["topics"].items()
        for identity in [topic_id(order["source"], topic)]
        for number in range(count)
    ]
    return [
        SlotSpec(
            flow=FlowId(alias, f"{alias}-target"),
            slot=slot,
            generation=1,
            plan_version=1,
            source=ClusterClient(alias=alias, bootstrap=(order["source"],)),
            target=ClusterClient(alias=f"{alias}-target", bootstrap=(order["target"],)),
            partitions=tuple(planned[slot::slots]),
            offset_syncs_topic=f"mm2-offset-syncs.{alias}-target.internal",
        )
        for slot in range(slots)
    ]


def _report(path: Path, lives: list[dict[str, Any]]) -> None:
    states: Counter[str] = Counter()
    for live in lives:
        states.update(live.get("states", {}))
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps({"states": states}))
    fresh.replace(path)


main()
