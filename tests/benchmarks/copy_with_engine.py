"""One slot of our engine in a process of its own, until it is told to stop."""

import json
import signal
import sys

from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.worker.data_engine import open_data_engine
from tests.support.kafka_records import topic_id


def main() -> None:
    order = json.loads(sys.argv[1])
    alias, topic = order["alias"], order["topic"]
    identity = topic_id(order["source"], topic)
    spec = SlotSpec(
        flow=FlowId(alias, f"{alias}-target"),
        slot=0,
        generation=1,
        plan_version=1,
        source=ClusterClient(alias=alias, bootstrap=(order["source"],)),
        target=ClusterClient(alias=f"{alias}-target", bootstrap=(order["target"],)),
        partitions=tuple(
            PlannedPartition(upstream=TopicPartition(topic, number), remote_topic=f"{alias}.{topic}", topic_id=identity)
            for number in range(order["partitions"])
        ),
        offset_syncs_topic=f"mm2-offset-syncs.{alias}-target.internal",
    )
    engine = open_data_engine()
    engine.start()
    handle = engine.start_slot(spec, driver="bench", boot="bench")
    signal.signal(signal.SIGTERM, lambda *_: handle.stop())
    while not handle.wait(0.5):
        pass
    engine.stop(5)
    if handle.error() is not None:
        raise SystemExit(f"the slot ended: {handle.error()!r}")


main()
