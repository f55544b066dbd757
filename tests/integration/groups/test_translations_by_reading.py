"""200 groups on 50 topics: each translated offset is judged by reading the target, beside real MirrorMaker 2.

Half of the topics are copied at least once, the others exactly once. The worker is killed with -9 three times, and
groups are translated once while it is dead and behind, and once when it has copied everything.
"""

import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import OffsetSpec

from replication.codecs.mm2_records import decode_checkpoint
from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import LogRange, Translation
from replication.domain.identifiers import TopicPartition
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.plan.slot import SlotSpec
from replication.kafka.copy_logs import KafkaCopyLogs
from replication.wire.groups.group_admin import WireGroupAdmin
from tests.support.engine.killed_worker import killed_worker
from tests.support.engine.slots import SlotLab, until
from tests.support.eventually import eventually
from tests.support.groups.judging import Tally, judge, read_copies
from tests.support.groups.shapes import COMPACTED, SHAPES, Shapes, shape_of
from tests.support.kafka.kafka_records import admin, create_topic, read_all, topic_id
from tests.support.kafka.mirror_maker import mirror_maker
from tests.support.kafka.writer import fault_seed, say

pytestmark = [pytest.mark.kafka, pytest.mark.large, pytest.mark.timeout(600)]

TOPICS, GROUPS, TOPICS_OF_A_GROUP = 50, 200, 3
MIRROR_S, REST_S = 120.0, 8.0
Offsets = dict[tuple[str, TopicPartition], int]


class Scene:
    """The topics of one run, what was written to them, and where the groups are."""

    def __init__(self, lab: SlotLab, seed: int) -> None:
        self.lab = lab
        self.rng = Random(seed)
        self.mark = f"g{uuid.uuid4().hex[:5]}"
        self.topics = [f"{self.mark}-{number:02}-{SHAPES[number % len(SHAPES)]}" for number in range(TOPICS)]
        self.shapes = Shapes(lab.source_bootstrap, seed)
        self.committed: Offsets = {}
        for topic in self.topics:
            create_topic(lab.source_bootstrap, topic, **(COMPACTED if shape_of(topic) == "compacted" else {}))
            create_topic(lab.target_bootstrap, lab.remote(topic))
        self.ids = {topic: topic_id(lab.source_bootstrap, topic) for topic in self.topics}

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
            eventually(lambda: self.copied() >= before + records, 90, f"{records} records are copied")
            time.sleep(self.rng.random() * 3)

    def move_groups(self, groups: range) -> None:
        """Commit for these groups: anywhere in the log, at its start, at its end."""
        logs = ranges(self.lab.source_bootstrap, self.topics)
        commits: dict[str, dict[TopicPartition, Commit]] = {}
        for number in groups:
            found = commits.setdefault(f"{self.mark}-group-{number}", {})
            for topic in self.rng.sample(self.topics, TOPICS_OF_A_GROUP):
                end = logs[topic].end
                places = (self.rng.randint(0, end), self.rng.randint(max(0, end - 40), end), end, 0)
                offset = self.rng.choices(places, weights=(6, 3, 2, 1))[0]
                found[TopicPartition(topic, 0)] = Commit(offset)
        groups_of_source = WireGroupAdmin(self.lab.source)
        try:
            answers = groups_of_source.alter(commits)
            assert not [each for found in answers.values() for each in found.values() if each is not None]
            read = groups_of_source.commits(list(commits))
        finally:
            groups_of_source.close()
        for group, partitions in read.items():
            assert not isinstance(partitions, GroupProblem)
            for upstream, commit in partitions.items():
                self.committed[group, upstream] = commit.offset

    def translated(self) -> dict[tuple[str, TopicPartition], Translation]:
        """Every commit by what the flow's topics say now."""
        lab = self.lab
        topics = CopyTopics(
            source=lab.source.alias,
            runs=lab.runs_topic,
            positions=lab.positions_topic,
            syncs=lab.syncs_topic,
            syncs_on_target=False,
        )
        account, logs = CopyAccount(), KafkaCopyLogs(lab.source, lab.target, topics)
        try:
            logs.read_into(account)
        finally:
            logs.close()
        source = ranges(lab.source_bootstrap, self.topics)
        remote = ranges(lab.target_bootstrap, [lab.remote(topic) for topic in self.topics])
        return {
            (group, at): account.translate(
                at, self.ids[at.topic], offset, source[at.topic], remote[lab.remote(at.topic)]
            )
            for (group, at), offset in self.committed.items()
        }


def ranges(bootstrap: str, topics: list[str]) -> Mapping[str, LogRange]:
    """Start and end of partition 0 of each."""
    found: dict[str, dict[str, int]] = {}
    sides = ("start", OffsetSpec.earliest()), ("end", OffsetSpec.latest())  # type: ignore[no-untyped-call]
    for side, spec in sides:
        asked = admin(bootstrap).list_offsets({Place(topic, 0): spec for topic in topics})
        for place, answer in asked.items():
            found.setdefault(place.topic, {})[side] = answer.result(20).offset
    return {topic: LogRange(start=each["start"], end=each["end"]) for topic, each in found.items()}


def mirror_properties(scene: Scene, folder: Path) -> Path:
    """The same topics, groups and intervals for MirrorMaker."""
    source, target = f"mm{scene.mark}", f"tt{scene.mark}"
    factors = ("replication", "checkpoints.topic.replication", "heartbeats.topic.replication",
               "offset-syncs.topic.replication", "offset.storage.replication", "status.storage.replication",
               "config.storage.replication")  # fmt: skip
    lines = [
        f"clusters = {source}, {target}",
        f"{source}.bootstrap.servers = {scene.lab.source_bootstrap}",
        f"{target}.bootstrap.servers = {scene.lab.target_bootstrap}",
        f"{source}->{target}.enabled = true",
        f"{source}->{target}.topics = {scene.mark}-.*",
        f"{source}->{target}.groups = {scene.mark}-.*",
        f"{source}->{target}.sync.group.offsets.enabled = false",
        f"{target}->{source}.enabled = false",
        f"{target}->{source}.emit.heartbeats.enabled = false",
        "tasks.max = 2",
        "source.consumer.isolation.level = read_committed",
        "emit.checkpoints.interval.seconds = 5",
        "refresh.groups.interval.seconds = 5",
        "sync.topic.configs.enabled = false",
        "sync.topic.acls.enabled = false",
        "heartbeats.replication.enabled = false",
        *(f"{factor}.factor = 1" for factor in factors),
    ]
    path = folder / "mm2.properties"
    path.write_text("\n".join(lines) + "\n")
    return path


def wait_for_mirror(scene: Scene) -> None:
    """Until MirrorMaker has copied everything: it has all topics, and their ends rest."""
    bootstrap = scene.lab.target_bootstrap
    remotes = [f"mm{scene.mark}.{topic}" for topic in scene.topics]

    def has_all() -> bool:
        known = admin(bootstrap).list_topics(timeout=10).topics
        return all(remote in known for remote in remotes) and all(
            each.end > 0 for each in ranges(bootstrap, remotes).values()
        )

    eventually(has_all, MIRROR_S, "MirrorMaker copies every topic")
    before: Mapping[str, LogRange] = {}
    deadline = time.monotonic() + MIRROR_S
    while (now := ranges(bootstrap, remotes)) != before:
        assert time.monotonic() < deadline, "MirrorMaker does not come to rest"
        before = now
        time.sleep(REST_S)


def mirror_checkpoints(scene: Scene) -> dict[tuple[str, TopicPartition], tuple[int, int]]:
    """The newest upstream and downstream offset of each group and partition."""
    found: dict[tuple[str, TopicPartition], tuple[int, int]] = {}
    for record in read_all(scene.lab.target_bootstrap, f"mm{scene.mark}.checkpoints.internal")[0]:
        checkpoint = decode_checkpoint(record.key, record.value)
        topic = checkpoint.remote.topic.removeprefix(f"mm{scene.mark}.")
        upstream = TopicPartition(topic, checkpoint.remote.partition)
        found[checkpoint.group, upstream] = checkpoint.upstream_offset, checkpoint.downstream_offset
    return found


Translations = dict[tuple[str, TopicPartition], Translation]


def copied_with_kills(scene: Scene, jars: Path, folder: Path) -> tuple[tuple[Offsets, Translations], Translations]:
    """Write, copy, kill and commit; return commits and translations while behind, and translations at the end."""
    lab, shapes = scene.lab, scene.shapes
    shapes.write(scene.topics, 120)
    say("waits for the cleaner")
    shapes.wait_compacted(scene.of_shape("compacted"))
    say("copies")
    for topic in scene.of_shape("cut"):
        shapes.cut(topic, 0.3)
    with mirror_maker(jars, mirror_properties(scene, folder), folder / "mirror-maker.log"):
        scene.kill_after(2_000)
        for _ in range(4):
            shapes.write(scene.topics, 40)
        scene.move_groups(range(GROUPS // 2))  # half of them stay here
        scene.kill_after(3_000)
        for _ in range(4):
            shapes.write(scene.topics, 30)
        scene.move_groups(range(GROUPS // 4, GROUPS))
        scene.kill_after(1_500)
        early = dict(scene.committed), scene.translated()
        shapes.write(scene.topics, 20)
        handles = [lab.start(spec) for spec in scene.specs]
        for handle in handles:
            until(handle, lambda live: live.get("lag_offsets") == 0, 120)
        time.sleep(2)  # the last commit
        for topic in scene.of_shape("cut"):
            shapes.cut(topic, 0.6)
        late = scene.translated()
        say("waits for MirrorMaker")
        wait_for_mirror(scene)
        time.sleep(15)  # three checkpoints
    for handle in handles:
        handle.stop()
        assert handle.wait(15)
    return early, late


def mirror_tally(scene: Scene) -> Tally:
    """MirrorMaker's checkpoints, judged in its remote topics, which also hold records of aborted transactions."""
    tally = Tally("MirrorMaker 2, when all is copied")
    checkpoints, bootstrap = mirror_checkpoints(scene), scene.lab.target_bootstrap
    written = {topic: scene.shapes.offsets[topic] | scene.shapes.aborted[topic] for topic in scene.topics}
    copies = {topic: read_copies(bootstrap, f"mm{scene.mark}.{topic}", written[topic]) for topic in scene.topics}
    for (group, at), offset in scene.committed.items():
        found = checkpoints.get((group, at))
        if found is None:
            tally.note("no checkpoint", None)
            continue
        judged = judge(found[1], offset, copies[at.topic])
        commit = "newest commit" if found[0] == offset else "older commit"
        tally.note(f"{commit}, {'exact' if judged.is_first else 'earlier'}", judged)
    return tally


def test_no_translated_offset_skips_a_record(lab: SlotLab, mirror_jars: Path, tmp_path: Path) -> None:
    scene = Scene(lab, fault_seed())
    (before, early), late = copied_with_kills(scene, mirror_jars, tmp_path)
    copies = {
        topic: read_copies(lab.target_bootstrap, lab.remote(topic), scene.shapes.offsets[topic])
        for topic in scene.topics
    }

    dead, level = Tally("SRM, while the worker is dead"), Tally("SRM, when all is copied")
    for tally, committed, found in ((dead, before, early), (level, scene.committed, late)):
        for (group, at), translation in found.items():
            tally.note_ours(f"{group} {at}", translation, committed[group, at], copies[at.topic])
    say(f"{dead}\n{level}")
    for error in [*dead.wrong, *level.wrong][:20]:
        say(error)
    say(str(mirror_tally(scene)))

    assert not [*dead.wrong, *level.wrong], "\n".join([*dead.wrong, *level.wrong][:20])
    assert dead.skipped == level.skipped == 0
    assert len(scene.committed) >= GROUPS * TOPICS_OF_A_GROUP
    exact = sum(count for kind, count in level.kinds.items() if kind.startswith("exact"))
    assert exact >= 0.95 * len(scene.committed)
