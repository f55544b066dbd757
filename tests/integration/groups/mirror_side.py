"""Real MirrorMaker 2 in the scene of translations that are read: its properties, its checkpoints, their judgement."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from replication.codecs.mm2_records import decode_checkpoint, decode_offset_sync
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from tests.integration.groups.reading_scene import Scene, ranges
from tests.support.eventually import eventually
from tests.support.groups.judging import Copied, Tally, judge, read_copies
from tests.support.groups.shapes import shape_of
from tests.support.kafka import mirror_maker
from tests.support.kafka.kafka_records import admin, read_all

MIRROR_S, REST_S = 120.0, 8.0
Checkpoints = list[tuple[int, int]]  # upstream and downstream, in the order written


def mirror_properties(scene: Scene, folder: Path) -> Path:
    """The same topics, groups and intervals for MirrorMaker."""
    lines = (
        f"{{flow}}.topics = {scene.mark}-.*",
        f"{{flow}}.groups = {scene.mark}-.*",
        "{flow}.sync.group.offsets.enabled = false",
        "tasks.max = 2",
        "source.consumer.isolation.level = read_committed",
        "emit.checkpoints.interval.seconds = 5",
        "refresh.groups.interval.seconds = 5",
        "sync.topic.configs.enabled = false",
        "sync.topic.acls.enabled = false",
        "heartbeats.replication.enabled = false",
    )
    source, target = (f"mm{scene.mark}", scene.lab.source_bootstrap), (f"tt{scene.mark}", scene.lab.target_bootstrap)
    path = folder / "mm2.properties"
    path.write_text(mirror_maker.mirror_properties(source, target, *lines))
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


def mirror_checkpoints(scene: Scene) -> dict[tuple[str, TopicPartition], Checkpoints]:
    """The checkpoints of each group and upstream partition."""
    found: dict[tuple[str, TopicPartition], Checkpoints] = {}
    for record in read_all(scene.lab.target_bootstrap, f"mm{scene.mark}.checkpoints.internal")[0]:
        checkpoint = decode_checkpoint(record.key, record.value)
        topic = checkpoint.remote.topic.removeprefix(f"mm{scene.mark}.")
        upstream = TopicPartition(topic, checkpoint.remote.partition)
        pair = checkpoint.upstream_offset, checkpoint.downstream_offset
        found.setdefault((checkpoint.group, upstream), []).append(pair)
    return found


def wait_for_mirror_checkpoints(scene: Scene, number: int) -> None:
    """Until MirrorMaker has translated so many of the first commits, so that it sees groups that are rewound later."""

    def has_translated() -> bool:
        known = admin(scene.lab.target_bootstrap).list_topics(timeout=10).topics
        return f"mm{scene.mark}.checkpoints.internal" in known and len(mirror_checkpoints(scene)) >= number

    eventually(has_translated, MIRROR_S, f"MirrorMaker writes {number} checkpoints")


def oldest_syncs(scene: Scene) -> dict[TopicPartition, int]:
    """The upstream offset of the first sync that MirrorMaker wrote of each partition."""
    found: dict[TopicPartition, int] = {}
    for record in read_all(scene.lab.source_bootstrap, f"mm2-offset-syncs.tt{scene.mark}.internal")[0]:
        sync = decode_offset_sync(record.key, record.value)
        found[sync.upstream] = min(sync.upstream_offset, found.get(sync.upstream, sync.upstream_offset))
    return found


class MirrorTally(Tally):
    """Judges MirrorMaker's newest checkpoints in its remote topics, and says why a group would skip records."""

    def __init__(self, scene: Scene) -> None:
        super().__init__("MirrorMaker 2, when all is copied")
        self._scene = scene
        self._oldest = oldest_syncs(scene)
        self.reasons: Counter[str] = Counter()  # records skipped
        self.losers: list[str] = []

    def judge_all(self) -> None:
        scene, bootstrap = self._scene, self._scene.lab.target_bootstrap
        checkpoints = mirror_checkpoints(scene)
        written = {topic: scene.shapes.offsets[topic] | scene.shapes.aborted[topic] for topic in scene.topics}
        kept = scene.offsets_on_source()
        copies = {
            topic: read_copies(bootstrap, f"mm{scene.mark}.{topic}", written[topic], kept[topic])
            for topic in scene.topics
        }
        for (group, at), offset in scene.committed.items():
            found = checkpoints.get((group, at))
            if found is None:
                self.note("no checkpoint", None)
                continue
            judged = judge(found[-1][1], offset, copies[at.topic])
            commit = "newest commit" if found[-1][0] == offset else "older commit"
            self.note(f"{commit}, {'exact' if judged.is_first else 'earlier'}", judged)
            if judged.skipped:
                self._explain(group, at, found, judged.skipped, copies[at.topic])

    def _explain(
        self, group: str, at: TopicPartition, found: Checkpoints, skipped: int, copies: Sequence[Copied]
    ) -> None:
        offset, oldest = self._scene.committed[group, at], self._oldest.get(at)
        upstream, downstream = found[-1]
        record = next((copy.upstream for copy in copies if copy.downstream >= downstream), None)
        if offset >= upstream:
            reason = "the place of its checkpoint is wrong"
        elif oldest is None or offset < oldest:
            reason = "rewound to before the oldest sync: MirrorMaker has no place, and the older checkpoint stays"
        else:
            reason = "rewound, and the older checkpoint stays"
        self.reasons[reason] += skipped
        self.losers.append(
            f"{group} {at} ({shape_of(at.topic)}): committed {self._scene.former.get((group, at), [])}, then {offset}; "
            f"checkpoints {found}; it would continue at source offset {record}, {skipped} records skipped; "
            f"oldest sync {oldest}: {reason}"
        )

    def __str__(self) -> str:
        reasons = [f"    {count:6,} records skipped: {reason}" for reason, count in self.reasons.most_common()]
        return "\n".join([super().__str__(), *reasons, *(f"      {each}" for each in self.losers)])
