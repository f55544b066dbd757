"""A flow that data workers copy while their drivers lose processes, Redis or the clock; checked record by record."""

import json
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.settings.choices import Delivery
from tests.support.engine.auditor import audit_topic, committed_positions, read_partitions
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.engine.partition_pauses import PartitionPauses
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets
from tests.support.kafka.writer import Traffic, fault_seed, say

SECOND = "-2"  # ends the id of the second data worker of a driver


class Copying:
    """The flow of one topic with one partition for each slot. `faults` counts what may cost duplicates.

    `workers` are data workers; those with the suffix `-2` belong to the driver without it.
    """

    def __init__(
        self,
        fleet: EngineFleet,
        clusters: TwoClusters,
        delivery: Delivery,
        *,
        workers: Sequence[str],
        slots: int,
        records_per_second: int,
        heartbeats: bool = False,
    ) -> None:
        self.fleet, self.workers, self.slots, self.rate = fleet, tuple(workers), slots, records_per_second
        self.source, self.target = clusters.source.bootstrap, clusters.target.bootstrap
        self.topic = f"fleet-{uuid.uuid4().hex[:8]}"
        self.alias = f"a{uuid.uuid4().hex[:6]}"  # its own positions and syncs
        self.remote = f"{self.alias}.{self.topic}"
        self.delivery = delivery
        self.faults = 0
        self.in_flight = records_per_second  # a commit interval, what was in flight, what a loaded machine adds
        self.heartbeats = heartbeats
        create_topic(self.source, self.topic, slots)
        fleet.cluster(self.alias, self.source)
        fleet.cluster("b", self.target)
        self.publish()

    def publish(self, *, tasks_max: int | None = None, is_stopped: bool = False) -> None:
        """As a service does: the definition of the flow."""
        self.fleet.publish(
            "b",
            DesiredFlow(
                source=self.alias,
                heartbeats=self.heartbeats,
                state="stop" if is_stopped else "run",
                tasks_max=tasks_max or self.slots,
                delivery=self.delivery,
                topics=NamePatterns(allow=(self.topic,)),
                connectors=ConnectorSettings(source=SETTINGS),
            ),
        )

    def start(self, environments: Mapping[str, Mapping[str, str]] | None = None) -> None:
        """Start all workers and the control worker of each driver; `environments` are by driver or process."""
        given = environments or {}
        for worker in self.workers:
            environment = given.get(worker.removesuffix(SECOND), {})
            if not worker.endswith(SECOND):
                own = given.get(f"{worker}.control", {})
                self.fleet.start(worker, "control", SRM_DRIVER_PARENT=worker, **environment, **own)
            self.start_worker(worker, environment)

    def start_worker(self, worker: str, environment: Mapping[str, str] | None = None) -> None:
        self.fleet.start(worker, "data", SRM_DRIVER_PARENT=worker.removesuffix(SECOND), **(environment or {}))

    def traffic(self) -> Traffic:
        return Traffic(self.source, self.topic, self.slots, self.rate, seed=fault_seed())

    def owners(self) -> dict[int, str]:
        return self.fleet.owners(self.alias, "b")

    def wait_shared(self, *workers: str, slots: int | None = None, timeout_s: float = 90) -> float:
        """Seconds until these workers hold all slots in even shares; then positions reach the source's end of now."""
        wanted = slots or self.slots

        def shared() -> bool:
            held = list(self.owners().values())
            counts = [held.count(worker) for worker in workers]
            return sum(counts) == len(held) == wanted and max(counts) - min(counts) <= 1

        took_s = self.fleet.wait_until(f"even shares on {', '.join(workers)}", shared, timeout_s)
        ends = end_offsets(self.source, self.topic, self.slots)

        def committed() -> bool:
            found = committed_positions(self.target, self.alias, self.topic)
            return all(found.get(number, 0) >= end for number, end in enumerate(ends))

        self.fleet.wait_until("positions are committed", committed)
        return took_s

    @contextmanager
    def pauses(self) -> Iterator[PartitionPauses]:
        with PartitionPauses(self.target, self.remote, self.slots).watched() as pauses:
            yield pauses

    def wait_flowing_again(self, timeout_s: float = 60.0) -> float:
        """Seconds until every partition has advanced beyond what it held a moment after the call."""
        before = end_offsets(self.target, self.remote, self.slots)
        more = self.rate / self.slots / 4

        def advanced() -> bool:
            now = end_offsets(self.target, self.remote, self.slots)
            return all(end > then + more for end, then in zip(now, before, strict=True))

        return self.fleet.wait_until("every partition advances", advanced, timeout_s)

    def check(self) -> None:
        """Everything is there, in order; what came twice stays within what the faults may cost."""
        self.fleet.wait_level(self.alias, "b", self.topic, self.slots)
        findings = audit_topic(self.source, self.target, self.topic, self.remote, self.slots)
        say(f"{self.delivery}: {findings}")
        findings.check(duplicates_at_most=self.faults * self.in_flight if self.delivery == "at_least_once" else 0)
        assert self._backward_positions() == []

    def _backward_positions(self) -> list[str]:
        """Return the positions on the target that are lower than an earlier one of the same partition."""
        topic = f"mm2-offsets.{self.alias}.internal"
        described = admin(self.target).list_topics(topic, timeout=10).topics[topic]
        newest: dict[int, int] = defaultdict(lambda: -1)
        backward = []
        for records in read_partitions(self.target, topic, described.partitions).values():
            for record in records:
                place = json.loads(record.key or b"")[1]
                offset = json.loads(record.value or b"")["offset"]
                if offset < newest[place["partition"]]:
                    backward.append(f"{place['partition']}: {offset} after {newest[place['partition']]}")
                newest[place["partition"]] = offset
        return backward


def moves(before: Mapping[int, str], after: Mapping[int, str]) -> int:
    """Return the number of slots that another worker holds now."""
    return sum(after.get(slot) != driver for slot, driver in before.items())
