"""The judgement of all that a flow tells of the groups in the scene of translations that are read.

Checkpoints, readiness, answers to questions and receipts come from the checkpoint tasks and the questions of a flow.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from replication.codecs.mm2_records import Checkpoint
from replication.domain.groups.group_summary import GroupSummary
from replication.domain.groups.translation import Translation
from replication.domain.identifiers import TopicPartition
from replication.domain.questions.groups import GroupPartitions, PartitionPlace, SyncReceipt, SyncReceipts
from tests.integration.groups.reading_scene import Offsets, Scene, offsets_of
from tests.support.groups.checkpointing import Checkpointing
from tests.support.groups.judging import Copied, Judged, Tally, judge

Receipts = dict[tuple[str, str], SyncReceipt]  # by group and topic on the target


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Everything that is told at one moment, with the commits of that moment."""

    committed: Offsets
    checkpoints: Mapping[tuple[str, TopicPartition], Checkpoint]
    groups: Mapping[str, GroupSummary]
    places: Mapping[tuple[str, TopicPartition], PartitionPlace]
    receipts: Receipts


def checkpointing_of(scene: Scene) -> Checkpointing:
    """Two checkpoint tasks; group offset sync is off."""
    return Checkpointing(
        scene.lab,
        scene.topics,
        {"sync.group.offsets.enabled": "false"},
        allowed=f"{scene.mark}-.*",
        tasks_max=2,
    )


def told(scene: Scene, work: Checkpointing) -> Told:
    """Do a round, and ask for all groups; nothing is set on the target."""
    found = {group for slot in work.find_groups().slots for group in slot}
    assert found == set(scene.group_names())
    groups = {each.group: each for each in work.round()}
    answer = work.ask("group_partitions", groups=tuple(sorted(found)))
    assert isinstance(answer, GroupPartitions)
    assert answer.unlooked == ()
    return Told(
        committed=dict(scene.committed),
        checkpoints=work.newest(),
        groups=groups,
        places={
            (group.group, TopicPartition(place.topic, place.partition)): place
            for group in answer.groups
            for place in group.partitions
        },
        receipts=receipts_of(work, dry_run=True),
    )


def receipts_of(work: Checkpointing, *groups: str, dry_run: bool = False) -> Receipts:
    """Sync these groups now, all without names."""
    answer = work.ask("sync_groups", groups=groups, dry_run=dry_run)
    assert isinstance(answer, SyncReceipts)
    assert (answer.unlooked, answer.skipped) == ((), ())
    assert sum(answer.counts.values()) == len(answer.items)
    return {(each.group, each.topic): each for each in answer.items}


class ProductTally(Tally):
    """Judges what was told at one moment, by the records that the remote topics have in the end."""

    def __init__(self, name: str, scene: Scene, copies: Mapping[str, Sequence[Copied]]) -> None:
        super().__init__(name)
        self._scene = scene
        self._copies = copies

    def judge_all(self, moment: Told) -> None:
        places: dict[str, list[Judged | None]] = {}
        for (group, at), offset in moment.committed.items():
            remote = self._remote(at)
            place = moment.places[group, at]
            assert place.committed == offset
            found = self._place(group, at, offset, place)
            places.setdefault(group, []).append(found)
            self._checkpoint(group, at, offset, moment.checkpoints.get((group, remote)), place)
            self._receipt(group, at, offset, moment.receipts[group, remote.topic], place)
        for group, judged in places.items():
            self._readiness(moment.groups[group], judged)

    def judge_offsets(self, committed: Offsets, on_target: Offsets, receipts: Receipts) -> None:
        """Judge the offsets that the groups have on the target, and the receipts of those that were set by hand."""
        for (group, at), offset in committed.items():
            remote = self._remote(at)
            found = on_target.get((group, remote))
            if found is None:
                self.note("no offset", None)
                continue
            judged = self._judge(found, offset, at)
            self.note("exact" if judged.is_first else "earlier", judged)
            self._wrong(group, at, offset, "the offset on the target skips records", judged.skipped > 0)
            receipt = receipts.get((group, remote.topic))
            if receipt is not None:
                self._wrong(group, at, offset, f"{receipt} and its offset {found}", receipt.after != found)
                self._wrong(group, at, offset, f"{receipt}: {judged}", _reads_more(judged, receipt.rereads))

    def _remote(self, at: TopicPartition) -> TopicPartition:
        return TopicPartition(self._scene.lab.remote(at.topic), at.partition)

    def _judge(self, place: int, committed: int, at: TopicPartition) -> Judged:
        return judge(place, committed, self._copies[at.topic])

    def _wrong(self, group: str, at: TopicPartition, offset: int, text: str, is_wrong: bool) -> None:
        if is_wrong:
            self.wrong.append(f"{group} {at} at {offset}: {text}")

    def _place(self, group: str, at: TopicPartition, offset: int, place: PartitionPlace) -> Judged | None:
        assert place.kind is not None
        assert place.reason is not None
        found = Translation(
            kind=place.kind,
            reason=place.reason,
            downstream=place.downstream,
            latest=place.latest,
            rereads=place.rereads,
        )
        self.note_ours(f"{group} {at}", found, offset, self._copies[at.topic])
        return None if place.downstream is None else self._judge(place.downstream, offset, at)

    def _checkpoint(
        self, group: str, at: TopicPartition, offset: int, found: Checkpoint | None, place: PartitionPlace
    ) -> None:
        if place.downstream is None:
            return
        if found is None:
            self._wrong(group, at, offset, "no checkpoint was written", True)
            return
        judged = self._judge(found.downstream_offset, offset, at)
        self._wrong(group, at, offset, f"{found} skips {judged.skipped} records", judged.skipped > 0)
        is_other = place.kind == "exact" and found.downstream_offset != place.downstream and judged.rereads > 0
        self._wrong(group, at, offset, f"{found} is not at the place {place.downstream}", is_other)

    def _receipt(self, group: str, at: TopicPartition, offset: int, found: SyncReceipt, place: PartitionPlace) -> None:
        if found.after is None:
            self._wrong(group, at, offset, f"{found} sets nothing", place.downstream is not None)
            return
        judged = self._judge(found.after, offset, at)
        self._wrong(group, at, offset, f"{found} skips {judged.skipped} records", judged.skipped > 0)
        self._wrong(group, at, offset, f"{found}: {judged}", _reads_more(judged, found.rereads))

    def _readiness(self, group: GroupSummary, judged: Sequence[Judged | None]) -> None:
        self.kinds[f"group {group.readiness}"] += 1
        known = [each for each in judged if each is not None]
        rereads = sum(each.rereads for each in known)
        if len(known) < len(judged) and group.readiness != "blocked":
            self.wrong.append(f"{group}: a place is impossible")
        if group.readiness == "ready" and (rereads or not all(each.is_first for each in known)):
            self.wrong.append(f"{group}: {judged}")
        if group.rereads is not None and rereads > group.rereads:
            self.wrong.append(f"{group}: {rereads} records are read again")


def _reads_more(judged: Judged, stated: int | None) -> bool:
    return stated is not None and judged.rereads > stated


def offsets_on_target(scene: Scene) -> Offsets:
    """The offsets that the groups have on the target."""
    return offsets_of(scene.lab.target, scene.group_names())


def synced(scene: Scene, work: Checkpointing) -> Receipts:
    """Sync every second group now; then let the tasks set the others."""
    groups = scene.group_names()
    assert offsets_on_target(scene) == {}
    receipts = receipts_of(work, *groups[::2])
    assert {group for group, _ in offsets_on_target(scene)} <= set(groups[::2])
    work.settings = {"sync.group.offsets.enabled": "true"}
    work.round()
    return receipts


def tasks_of(scene: Scene) -> "closing[Checkpointing]":
    return closing(checkpointing_of(scene))
