"""Builds and runs source task slots between two real clusters, without planner and worker."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.worker.engine.data_engine import WireDataEngine, WireSlotHandle
from tests.support.engine.auditor import committed_positions
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets, topic_id

_ALIASES = itertools.count(1)


class SlotLab:
    """One separate flow between the clusters, with the internal topics a planner would make."""

    def __init__(self, clusters: TwoClusters, *, replicas: int = 1, source_replicas: int = 1) -> None:
        self._replicas = replicas  # of topics in the target
        self._source_replicas = source_replicas
        number = next(_ALIASES)
        self.source = ClusterClient(alias=f"src{number}", bootstrap=tuple(clusters.source.bootstrap.split(",")))
        self.target = ClusterClient(alias=f"dst{number}", bootstrap=tuple(clusters.target.bootstrap.split(",")))
        self.source_bootstrap = clusters.source.bootstrap
        self.target_bootstrap = clusters.target.bootstrap
        self.engine = WireDataEngine(f"lab{number}", pool_bytes=32 * 1024 * 1024)
        self.syncs_topic = f"mm2-offset-syncs.{self.target.alias}.internal"
        self.positions_topic = f"mm2-offsets.{self.source.alias}.internal"
        self.runs_topic = f"srm-offset-runs.{self.source.alias}.internal"
        self.gaps_topic = f"srm-gaps.{self.source.alias}.internal"
        self.metrics_topic = f"srm-metrics.{self.source.alias}.internal"
        create_topic(self.target_bootstrap, self.positions_topic, 5, replicas=replicas, cleanup_policy="compact")
        create_topic(self.target_bootstrap, self.runs_topic, 4, replicas=replicas, cleanup_policy="compact")
        create_topic(self.target_bootstrap, self.gaps_topic, replicas=replicas, cleanup_policy="compact")
        create_topic(self.target_bootstrap, self.metrics_topic, 4, replicas=replicas)
        create_topic(self.source_bootstrap, self.syncs_topic, replicas=source_replicas, cleanup_policy="compact")
        if PRODUCERS_TOPIC not in self.list_topics():
            create_topic(self.target_bootstrap, PRODUCERS_TOPIC, replicas=replicas, cleanup_policy="compact")
        self.engine.start()

    def topic(self, name: str, partitions: int = 1, **configs: str) -> str:
        """A source topic and its remote topic; returns the upstream name."""
        create_topic(self.source_bootstrap, name, partitions, replicas=self._source_replicas, **configs)
        create_topic(self.target_bootstrap, self.remote(name), partitions, replicas=self._replicas)
        return name

    def remote(self, name: str) -> str:
        return f"{self.source.alias}.{name}"

    def spec(self, topics: dict[str, int], **changes: Any) -> SlotSpec:
        settings: dict[str, Any] = {"slot": 0, "generation": 1, "plan_version": 1, "commit_interval_ms": 200}
        settings["metrics_period_ms"] = 1_000
        partitions = tuple(
            PlannedPartition(
                upstream=TopicPartition(name, number),
                remote_topic=self.remote(name),
                topic_id=topic_id(self.source_bootstrap, name),
            )
            for name, count in topics.items()
            for number in range(count)
        )
        settings["partitions"] = partitions
        return SlotSpec(
            flow=FlowId(self.source.alias, self.target.alias),
            source=self.source,
            target=self.target,
            offset_syncs_topic=self.syncs_topic,
            **{**settings, **changes},
        )

    def start(self, spec: SlotSpec) -> WireSlotHandle:
        return self.engine.start_slot(spec, driver="lab", boot="boot-1")

    @contextmanager
    def running(self, spec: SlotSpec) -> Iterator[WireSlotHandle]:
        """A slot that is stopped cleanly at the end."""
        handle = self.start(spec)
        try:
            yield handle
        finally:
            handle.stop()
            assert handle.wait(15), "the slot does not stop"

    def copy_until(self, spec: SlotSpec, reached: Callable[[dict[str, Any]], bool]) -> None:
        """Run a slot until its live state says so, then stop it cleanly."""
        with self.running(spec) as handle:
            until(handle, reached)

    def wait_committed(self, handle: WireSlotHandle, topic: str, partitions: int, timeout_s: float = 120) -> None:
        """Until the committed positions, as an observer reads them, are the source's ends of now."""
        ends = dict(enumerate(end_offsets(self.source_bootstrap, topic, partitions)))
        deadline = time.monotonic() + timeout_s
        while (found := committed_positions(self.target_bootstrap, self.source.alias, topic)) != ends:
            assert not handle.wait(0), f"the slot ended: {handle.error()!r}"
            assert time.monotonic() < deadline, f"{topic}: committed {found}, source ends {ends}: {handle.live()}"
            time.sleep(0.2)

    def list_topics(self) -> set[str]:
        return set(admin(self.target_bootstrap).list_topics(timeout=10).topics)

    def close(self) -> None:
        self.engine.stop(10)


def until(handle: WireSlotHandle, reached: Callable[[dict[str, Any]], bool], timeout_s: float = 60) -> None:
    """Wait for a live state; fails with the state when the slot ends or takes too long."""
    deadline = time.monotonic() + timeout_s
    while not reached(handle.live()):
        assert not handle.wait(0), f"the slot ended: {handle.error()!r}"
        assert time.monotonic() < deadline, f"still not there: {handle.live()}"
        time.sleep(0.05)


def level(records: int) -> Callable[[dict[str, Any]], bool]:
    """True when that many records were copied and nothing is left."""
    return lambda live: live.get("records_total", 0) >= records and live.get("lag_offsets") == 0


def refused(cluster: ClusterClient) -> Callable[[dict[str, Any]], bool]:
    """True when the live state names this cluster and the refusal."""

    def said(live: dict[str, Any]) -> bool:
        cause = live.get("cause")
        return cause is not None and cause["code"] == "authentication_failed" and cluster.alias in cause["text"]

    return said
