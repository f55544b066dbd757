"""200 groups on 50 topics that a worker copies, and is killed meanwhile: the scene of translations that are read."""

import time
import uuid
from collections.abc import Mapping
from contextlib import closing
from random import Random

from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import OffsetSpec

from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient, SlotSpec
from replication.wire.groups.group_admin import WireGroupAdmin
from tests.support.engine.killed_worker import killed_worker
from tests.support.engine.slots import SlotLab
from tests.support.eventually import eventually
from tests.support.groups.judging import Copied, offsets_on, read_copies
from tests.support.groups.shapes import COMPACTED, SHAPES, Shapes, shape_of
from tests.support.kafka.kafka_records import admin, create_topic

TOPICS, GROUPS, TOPICS_OF_A_GROUP = 50, 200, 3
Offsets = dict[tuple[str, TopicPartition], int]  # committed, by group and upstream partition


class Scene:
    """The topics of one run, what was written to them, and where the groups are."""

    def __init__(self, lab: SlotLab, seed: int) -> None:
        self.lab = lab
        self.rng = Random(seed)
        self.mark = f"g{uuid.uuid4().hex[:5]}"
        self.topics = [f"{self.mark}-{number:02}-{SHAPES[number % len(SHAPES)]}" for number in range(TOPICS)]
        self.shapes = Shapes(lab.source_bootstrap, seed)
        self.committed: Offsets = {}
        self.former: dict[tuple[str, TopicPartition], list[int]] = {}  # earlier offsets of the same
        for topic in self.topics:
            create_topic(lab.source_bootstrap, topic, **(COMPACTED if shape_of(topic) == "compacted" else {}))
            create_topic(lab.target_bootstrap, lab.remote(topic))

    def of_shape(self, shape: str) -> list[str]:
        return [topic for topic in self.topics if shape_of(topic) == shape]

    @property
    def specs(self) -> list[SlotSpec]:
        """One slot per delivery."""
        slots = (self.topics[::2], "at_least_once"), (self.topics[1::2], "exactly_once")
        return [
            self.lab.spec(
                dict.fromkeys(topics, 1),
                slot=slot,
                delivery=delivery,
                isolation_level="read_committed",
                commit_interval_ms=1_000,
            )
            for slot, (topics, delivery) in enumerate(slots)
        ]

    def copied(self) -> int:
        ends = ranges(self.lab.target_bootstrap, [self.lab.remote(topic) for topic in self.topics])
        return sum(each.end for each in ends.values())

    def kill_after(self, records: int) -> None:
        """Let a worker copy about so many records and kill it."""
        before = self.copied()
        with killed_worker(self.specs):
            eventually(lambda: self.copied() >= before + records, 120, f"{records} records are copied")
            time.sleep(self.rng.random() * 3)

    def group_names(self) -> list[str]:
        return sorted({group for group, _ in self.committed})

    def move_groups(self, groups: range) -> None:
        """Commit for these groups: anywhere in the log, at its start, at its end; one topic is an earlier one."""
        logs = ranges(self.lab.source_bootstrap, self.topics)
        commits: dict[str, dict[TopicPartition, Commit]] = {}
        for number in groups:
            group = f"{self.mark}-group-{number}"
            found = commits.setdefault(group, {})
            again = sorted(at.topic for name, at in self.committed if name == group)[:1]
            for topic in dict.fromkeys([*again, *self.rng.sample(self.topics, TOPICS_OF_A_GROUP)]):
                end = logs[topic].end
                places = (self.rng.randint(0, end), self.rng.randint(max(0, end - 40), end), end, 0)
                offset = self.rng.choices(places, weights=(6, 3, 2, 1))[0]
                found[TopicPartition(topic, 0)] = Commit(offset)
        with closing(WireGroupAdmin(self.lab.source)) as groups_of_source:
            answers = groups_of_source.alter(commits)
        assert not [each for found in answers.values() for each in found.values() if each is not None]
        for key, offset in offsets_of(self.lab.source, list(commits)).items():
            if self.committed.get(key, offset) != offset:
                self.former.setdefault(key, []).append(self.committed[key])
            self.committed[key] = offset

    def copies(self) -> dict[str, list[Copied]]:
        """The remote records of each topic."""
        target, written, kept = self.lab.target_bootstrap, self.shapes.offsets, self.offsets_on_source()
        return {
            topic: read_copies(target, self.lab.remote(topic), written[topic], kept[topic]) for topic in self.topics
        }

    def offsets_on_source(self) -> dict[str, set[int]]:
        """The offsets of the records that the source has, of each topic."""
        return {topic: offsets_on(self.lab.source_bootstrap, topic) for topic in self.topics}


def offsets_of(cluster: ClusterClient, groups: list[str]) -> Offsets:
    """The committed offsets of groups, as the cluster has them."""
    with closing(WireGroupAdmin(cluster)) as groups_of_cluster:
        read = groups_of_cluster.commits(groups)
    found: Offsets = {}
    for group, partitions in read.items():
        assert not isinstance(partitions, GroupProblem), partitions
        found |= {(group, partition): commit.offset for partition, commit in partitions.items()}
    return found


def ranges(bootstrap: str, topics: list[str]) -> Mapping[str, LogRange]:
    """Start and end of partition 0 of each."""
    found: dict[str, dict[str, int]] = {}
    sides = ("start", OffsetSpec.earliest()), ("end", OffsetSpec.latest())  # type: ignore[no-untyped-call]
    for side, spec in sides:
        asked = admin(bootstrap).list_offsets({Place(topic, 0): spec for topic in topics})
        for place, answer in asked.items():
            found.setdefault(place.topic, {})[side] = answer.result(20).offset
    return {topic: LogRange(start=each["start"], end=each["end"]) for topic, each in found.items()}
