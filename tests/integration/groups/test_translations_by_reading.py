"""200 groups on 50 topics: all that is told of them is judged by reading the target, beside real MirrorMaker 2.

Half of the topics are copied at least once, the others exactly once. The worker is killed with -9 three times, and
groups are translated once while it is dead and behind, and once when it has copied everything.
"""

import time
from pathlib import Path

import pytest

from tests.integration.groups.mirror_side import (
    MirrorTally,
    mirror_properties,
    wait_for_mirror,
    wait_for_mirror_checkpoints,
)
from tests.integration.groups.product_side import (
    ProductTally,
    Receipts,
    Told,
    offsets_on_target,
    synced,
    tasks_of,
    told,
)
from tests.integration.groups.reading_scene import GROUPS, TOPICS_OF_A_GROUP, Scene
from tests.support.engine.slots import SlotLab, until
from tests.support.groups.checkpointing import Checkpointing
from tests.support.kafka.mirror_maker import mirror_maker
from tests.support.kafka.writer import fault_seed, say

pytestmark = [pytest.mark.kafka, pytest.mark.large, pytest.mark.timeout(900)]


def write_first(scene: Scene) -> None:
    """Write what is there before anything is copied: compacted, and with the oldest records removed."""
    scene.shapes.write(scene.topics, 120)
    say("waits for the cleaner")
    scene.shapes.wait_compacted(scene.of_shape("compacted"))
    for topic in scene.of_shape("cut"):
        scene.shapes.cut(topic, 0.3)


def told_while_behind(scene: Scene, work: Checkpointing) -> Told:
    """Write, copy, kill and commit; the worker is dead in the end, and some groups have read what is not copied."""
    shapes = scene.shapes
    scene.kill_after(2_000)
    for _ in range(4):
        shapes.write(scene.topics, 40)
    scene.move_groups(range(GROUPS // 2))  # half of them stay here
    work.find_groups()
    work.round()
    say("waits for checkpoints of MirrorMaker")
    wait_for_mirror_checkpoints(scene, GROUPS)
    scene.kill_after(3_000)
    for _ in range(4):
        shapes.write(scene.topics, 30)
    scene.move_groups(range(GROUPS // 4, GROUPS))
    scene.kill_after(1_500)
    shapes.write(scene.topics, 20)
    scene.move_groups(range(GROUPS // 2, GROUPS * 3 // 4))
    return told(scene, work)


def told_when_copied(scene: Scene, work: Checkpointing) -> tuple[Told, Receipts, Told]:
    """Copy everything, and set the groups' offsets on the target: what is told before and after, and the receipts."""
    scene.shapes.write(scene.topics, 20)
    handles = [scene.lab.start(spec) for spec in scene.specs]
    for handle in handles:
        until(handle, lambda live: live.get("lag_offsets") == 0, 180)
    time.sleep(2)  # the last commit
    for topic in scene.of_shape("cut"):
        scene.shapes.cut(topic, 0.6)
    late = told(scene, work)
    receipts = synced(scene, work)
    final = told(scene, work)
    for handle in handles:
        handle.stop()
        assert handle.wait(30)
    return late, receipts, final


def test_no_translated_offset_skips_a_record(lab: SlotLab, mirror_jars: Path, tmp_path: Path) -> None:
    scene = Scene(lab, fault_seed())
    write_first(scene)
    say("copies")
    properties, log = mirror_properties(scene, tmp_path), tmp_path / "mirror-maker.log"
    with tasks_of(scene) as work, mirror_maker(mirror_jars, properties, log):
        early = told_while_behind(scene, work)
        late, receipts, final = told_when_copied(scene, work)
        say("waits for MirrorMaker")
        wait_for_mirror(scene)
        time.sleep(15)  # three checkpoints

    copies = scene.copies()
    dead = ProductTally("SRM, while the worker is dead", scene, copies)
    level = ProductTally("SRM, when all is copied", scene, copies)
    target = ProductTally("SRM, offsets on the target", scene, copies)
    done = ProductTally("SRM, when the offsets are set", scene, copies)
    dead.judge_all(early)
    level.judge_all(late)
    target.judge_offsets(scene.committed, offsets_on_target(scene), receipts)
    done.judge_all(final)
    wrong = [*dead.wrong, *level.wrong, *target.wrong, *done.wrong]
    say("\n".join(map(str, (dead, level, target, done))))
    for error in wrong[:20]:
        say(error)
    mirror = MirrorTally(scene)
    mirror.judge_all()
    say(str(mirror))

    assert mirror.kinds.total() > mirror.kinds["no checkpoint"]
    assert not wrong, "\n".join(wrong[:20])
    assert dead.skipped == level.skipped == target.skipped == done.skipped == 0
    assert len(scene.committed) >= GROUPS * TOPICS_OF_A_GROUP
    exact = sum(count for kind, count in level.kinds.items() if kind.startswith("exact"))
    assert exact >= 0.95 * len(scene.committed)
    assert done.kinds["group ready"] >= GROUPS / 2
    assert target.kinds["no offset"] <= 0.05 * len(scene.committed)
