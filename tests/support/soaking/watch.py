"""The observer of a soak: each second what the system says of its flows, beside what the topics themselves say."""

import json
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition

from srm_cli.errors import OperatorError
from srm_cli.service.rest import ServiceClient, latest
from tests.support.soaking.stage import COPIES, FLOWS, PARTITIONS, Stage

EVERY_S = 1.0
_PATIENCE_S = 2.0

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look. None is not known: the service or a cluster does not answer."""

    at_s: float
    status: dict[Pair, str]  # empty when the service does not answer
    reported_lag: dict[Pair, float | None]
    reported_age_s: dict[Pair, float]
    own_lag: dict[Pair, int | None]


@dataclass(slots=True)
class Seen:
    samples: list[Sample] = field(default_factory=list)
    rss_bytes: dict[tuple[str, int], list[int]] = field(default_factory=dict)  # by name and process id


class Cluster:
    """Ends and positions of one cluster, read without group and without the engine's code."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._consumer = Consumer(
            {"bootstrap.servers": bootstrap, "group.id": "soak", "isolation.level": "read_committed", "log_level": 0}
        )
        self._positions: Consumer | None = None
        self.committed: dict[tuple[str, str, int], int] = {}  # source, topic, partition

    def end(self, topic: str, partition: int) -> int:
        found: int = self._consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=_PATIENCE_S)[1]
        return found

    def follow_positions(self, sources: list[str]) -> None:
        if self._positions is None:
            self._positions = self._open_positions(sources)
        while messages := self._positions.consume(1_000, 0.05):
            for message in messages:
                if message.error() is None and message.value() is not None:
                    source = (message.topic() or "").removeprefix("mm2-offsets.").removesuffix(".internal")
                    place = json.loads(message.key() or b"")[1]
                    offset = json.loads(message.value() or b"")["offset"] + 1
                    self.committed[source, place["topic"], place["partition"]] = offset

    def _open_positions(self, sources: list[str]) -> Consumer:
        names = [f"mm2-offsets.{source}.internal" for source in sources]
        known = self._consumer.list_topics(timeout=_PATIENCE_S).topics
        consumer = Consumer(
            {
                "bootstrap.servers": self._bootstrap,
                "group.id": "soak-positions",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "log_level": 0,
            }
        )
        consumer.assign([TopicPartition(name, number, 0) for name in names for number in known[name].partitions])
        return consumer

    def close(self) -> None:
        for consumer in (self._consumer, self._positions):
            if consumer is not None:
                consumer.close()


class Watch:
    """A separate thread until `stop`."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.seen = Seen()
        self._clusters = {alias: Cluster(bootstrap) for alias, bootstrap in stage.bootstraps.items()}
        password = (stage.system.home / "admin-password").read_text().strip()
        self._service = ServiceClient(f"http://127.0.0.1:{stage.system.port}", "admin", password)
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="soak-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(30)
        self._service.close()
        for cluster in self._clusters.values():
            cluster.close()

    def is_level(self, source: str, topic: str) -> bool:
        """Return True when every copy of a topic has committed the current end of the source."""
        with self._lock:
            return all(self._lag(copy.target, source, topic) == 0 for copy in COPIES if copy.topic == topic)

    def all_level(self) -> bool:
        return all(self.is_level(copy.source, copy.topic) for copy in COPIES)

    def _lag(self, target: str, source: str, topic: str) -> int | None:
        """Offsets between the committed positions and the ends; None while one is unknown or of an older life."""
        far, near = self._clusters[target], self._clusters[source]
        try:
            far.follow_positions([a for a, b in FLOWS if b == target])
            ends = [near.end(topic, number) for number in range(PARTITIONS)]
        except (KafkaException, KeyError):
            return None
        behind = [ends[number] - far.committed.get((source, topic, number), 0) for number in range(PARTITIONS)]
        return None if min(behind) < 0 else sum(behind)

    def _run(self) -> None:
        while not self._stop.is_set():
            began = time.monotonic()
            self.seen.samples.append(self._look())
            for name, pid in self._stage.pids().items():
                self.seen.rss_bytes.setdefault((name, pid), []).append(_rss_bytes(pid))
            self._stop.wait(max(0.1, EVERY_S - (time.monotonic() - began)))

    def _look(self) -> Sample:
        flows = self._flows()
        at_s = time.monotonic()
        with self._lock:
            own: dict[Pair, int | None] = {}
            for pair in FLOWS:
                lags = [self._lag(copy.target, copy.source, copy.topic) for copy in COPIES if pair == _pair(copy)]
                known = [lag for lag in lags if lag is not None]
                own[pair] = sum(known) if len(known) == len(lags) else None
        return Sample(
            at_s=at_s,
            status={pair: str(flow["status"]) for pair, flow in flows.items()},
            reported_lag={pair: latest(flow, "lag_offsets") for pair, flow in flows.items()},
            reported_age_s={pair: (flow.get("live_age_ms") or 0) / 1000 for pair, flow in flows.items()},
            own_lag=own,
        )

    def _flows(self) -> dict[Pair, dict[str, Any]]:
        try:
            flows = self._service.replications()
        except OperatorError:
            return {}
        return {(flow["source"], flow["target"]): flow for flow in flows if (flow["source"], flow["target"]) in FLOWS}


def _pair(copy: Any) -> Pair:
    return copy.source, copy.target


def _rss_bytes(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
