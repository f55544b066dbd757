"""Group offset sync against a cluster in memory."""

from collections.abc import Mapping

import pytest

from replication.domain.errors import ClusterUnreachableError
from replication.domain.groups.consumer_group import Commit, GroupDescription, GroupProblem
from replication.domain.groups.sync.group_sync import GroupPlace, Places
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster
from replication.memory.groups import MemoryGroupAdmin
from replication.tasks.groups import group_offset_sync
from replication.tasks.groups.group_offset_sync import (
    LOOK_AGAIN_MS,
    UNSET_AGAIN_MS,
    GroupOffsetSync,
    SyncRun,
    sync_once,
)

REMOTE = (TopicPartition("a.t", 0), TopicPartition("a.t", 1))
LOGS = dict.fromkeys(REMOTE, LogRange(start=0, end=1_000))
NOW_MS = 10_000_000


class Stage:
    """A target with one topic, and the sync of one slot."""

    def __init__(self) -> None:
        self.target = MemoryCluster("b")
        self.target.create("a.t", partitions=2)
        self.admin = MemoryGroupAdmin(self.target)
        self.sync = GroupOffsetSync(self.admin)

    def run(self, places: Mapping[str, Places], *, after_ms: int = 0, writes: bool = True) -> SyncRun:
        return self.sync.run(places, LOGS, NOW_MS + after_ms, writes=writes)

    def offsets(self, group: str) -> list[int | None]:
        commits = self.target.group(group).commits
        return [commits[each].offset if each in commits else None for each in REMOTE]


@pytest.fixture
def stage() -> Stage:
    return Stage()


def places(*downstream: int, is_rewound: bool = False) -> Places:
    return {
        remote: GroupPlace(
            upstream=TopicPartition("t", remote.partition), downstream=offset, metadata="m", is_rewound=is_rewound
        )
        for remote, offset in zip(REMOTE, downstream, strict=False)
    }


def test_a_group_that_the_target_does_not_have_gets_all_its_offsets(stage: Stage) -> None:
    run = stage.run({"g": places(10, 20)})

    assert stage.offsets("g") == [10, 20]
    assert stage.target.group("g").commits[REMOTE[0]] == Commit(10, "m")
    assert (run.looked, run.offsets_set) == (1, 2)
    assert (run.groups["g"].word, run.groups["g"].synced_ms) == ("written", NOW_MS)
    assert run.groups["g"].offsets == {REMOTE[0]: 10, REMOTE[1]: 20}
    described = run.groups["g"].target.description
    assert isinstance(described, GroupDescription)
    assert described.state == "empty"  # the offsets have made it


def test_offsets_move_forward_only(stage: Stage) -> None:
    stage.target.group("g").commits |= {REMOTE[0]: Commit(5), REMOTE[1]: Commit(25)}

    run = stage.run({"g": places(10, 20)})

    assert stage.offsets("g") == [10, 25]
    assert run.groups["g"].word == "ahead"
    assert run.groups["g"].offsets == {REMOTE[0]: 10, REMOTE[1]: 25}


def test_a_group_rewound_on_the_source_does_not_move_back(stage: Stage) -> None:
    stage.run({"g": places(10)})

    run = stage.run({"g": places(4, is_rewound=True)}, after_ms=1)

    assert stage.offsets("g")[0] == 10
    assert run.groups["g"].word == "ahead"


def test_a_group_with_members_is_left_alone_until_the_last_one_left(stage: Stage) -> None:
    stage.target.group("g").members = 1

    waiting = stage.run({"g": places(10)})
    stage.target.group("g").members = 0
    done = stage.run({"g": places(10)}, after_ms=1)

    assert (waiting.groups["g"].word, waiting.groups["g"].synced_ms) == ("waits_for_members", None)
    assert done.groups["g"].word == "written"
    assert stage.offsets("g")[0] == 10


def test_members_that_join_between_look_and_commit_are_noticed_by_the_coordinator(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = stage.admin.describe
    group = stage.target.group("g")

    def joined_after(groups: list[str]) -> object:
        found = described(groups)
        group.members = 1
        return found

    monkeypatch.setattr(stage.admin, "describe", joined_after)

    run = stage.run({"g": places(10)})

    assert run.groups["g"].word == "waits_for_members"
    assert stage.offsets("g")[0] is None


def test_a_group_that_is_caught_up_is_not_asked_again_until_it_moves(stage: Stage) -> None:
    stage.run({"g": places(10)})
    requests = stage.admin.requests

    quiet = stage.run({"g": places(10)}, after_ms=1_000)
    asked = stage.admin.requests
    moved = stage.run({"g": places(11)}, after_ms=2_000)

    assert (quiet.looked, asked) == (0, requests)
    assert quiet.groups["g"].word == "written"
    assert (moved.looked, stage.offsets("g")[0]) == (1, 11)


def test_an_offset_that_expired_and_a_group_that_was_deleted_come_back(stage: Stage) -> None:
    stage.run({"g": places(10), "h": places(20)})
    stage.target.group("g").commits.clear()
    del stage.target.group_coordinator.groups["h"]

    early = stage.run({"g": places(10), "h": places(20)}, after_ms=LOOK_AGAIN_MS - 1)
    late = stage.run({"g": places(10), "h": places(20)}, after_ms=LOOK_AGAIN_MS)

    assert (early.looked, late.looked) == (0, 2)
    assert (stage.offsets("g")[0], stage.offsets("h")[0]) == (10, 20)


def test_a_refusal_concerns_one_group_and_is_named(stage: Stage) -> None:
    stage.target.group("g").operations = frozenset({"describe"})

    run = stage.run({"g": places(10), "h": places(20)})

    assert (run.groups["g"].word, run.groups["h"].word) == ("refused", "written")
    (found,) = run.groups["g"].findings
    assert (found.code, found.readiness) == ("missing_rights", "blocked")
    assert "on group g" in found.remedy
    assert run.groups["h"].findings == ()


def test_a_refusal_of_a_topic_concerns_its_partitions(stage: Stage) -> None:
    stage.target.topic_operations["a.t"] = frozenset({"describe"})

    run = stage.run({"g": places(10, 20)})

    assert run.groups["g"].word == "refused"
    assert [(each.code, each.topic, each.partition) for each in run.groups["g"].findings] == [
        ("missing_rights", "t", 0),
        ("missing_rights", "t", 1),
    ]


def test_a_coordinator_that_does_not_answer_is_named_and_asked_again(stage: Stage) -> None:
    stage.target.group("g").problem = GroupProblem("COORDINATOR_NOT_AVAILABLE", "it does not answer")

    run = stage.run({"g": places(10)})
    stage.target.group("g").problem = None
    again = stage.run({"g": places(10)}, after_ms=1)

    assert [each.code for each in run.groups["g"].findings] == ["sync_refused"]
    assert again.groups["g"].word == "written"


def test_without_the_sync_groups_are_looked_at_only(stage: Stage) -> None:
    stage.target.group("g").members = 2

    off = stage.run({"g": places(10), "h": places(20)}, writes=False)
    on = stage.run({"g": places(10), "h": places(20)}, after_ms=1)

    assert {group: state.word for group, state in off.groups.items()} == {"g": "off", "h": "off"}
    assert (off.offsets_set, on.looked) == (0, 2)
    assert not isinstance(off.groups["g"].target.description, GroupProblem)
    assert off.groups["g"].target.description.members == 2
    assert stage.offsets("h")[0] == 20


def test_a_target_that_does_not_show_a_group_is_named_without_the_sync(stage: Stage) -> None:
    stage.target.group("g").operations = frozenset()
    stage.target.topic_operations["a.t"] = frozenset({"describe"})

    off = stage.run({"g": places(10), "h": places(10)}, writes=False)

    assert [each.code for each in off.groups["g"].findings] == ["missing_rights"]
    assert off.groups["h"].findings == ()


def test_groups_that_left_are_forgotten(stage: Stage) -> None:
    stage.run({"g": places(10)})

    assert "g" not in stage.run({}, after_ms=1).groups


def test_many_groups_are_done_in_chunks(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_offset_sync, "MOST_GROUPS", 2)

    run = stage.run({f"g{number}": places(number) for number in range(5)})

    assert run.offsets_set == 5
    assert stage.admin.requests == 9  # describe, read and set, three times


def test_a_slow_sync_ends_in_time_and_the_next_run_continues_with_the_other_groups(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_offset_sync, "MOST_GROUPS", 2)
    sync = GroupOffsetSync(stage.admin, clock_ms=lambda: stage.admin.requests * 10_000)  # each request takes 10 s
    wanted = {f"g{number}": places(10) for number in range(5)}
    for group in ("g0", "g1"):
        stage.target.group(group).members = 1  # due in each run

    runs = [sync.run(wanted, LOGS, NOW_MS + number, budget_ms=20_000) for number in range(3)]

    assert [run.looked for run in runs] == [2, 2, 2]
    assert [run.is_done for run in runs] == [False, False, False]
    assert [stage.offsets(group)[0] for group in ("g2", "g3", "g4")] == [10, 10, 10]
    assert sync.run(wanted, LOGS, NOW_MS + 4, budget_ms=60_000).is_done


def test_an_unreachable_target_is_an_error_and_the_next_run_catches_up(stage: Stage) -> None:
    stage.target.is_up = False
    with pytest.raises(ClusterUnreachableError):
        stage.run({"g": places(10)})
    stage.target.is_up = True

    assert stage.run({"g": places(10)}, after_ms=1).groups["g"].word == "written"


def test_a_dry_run_sets_nothing(stage: Stage) -> None:
    found = sync_once(stage.admin, {"g": places(10)}, LOGS, writes=False)

    decision, _ = found["g"]
    assert decision.writes == {REMOTE[0]: Commit(10, "m")}
    assert "g" not in stage.target.group_coordinator.groups


def test_a_group_that_a_person_may_sync_is_read_again_soon_while_the_sync_is_off(stage: Stage) -> None:
    stage.run({"g": places(10)}, writes=False)
    stage.target.group("g").commits[REMOTE[0]] = Commit(10)

    early = stage.run({"g": places(10)}, after_ms=UNSET_AGAIN_MS - 1, writes=False)
    due = stage.run({"g": places(10)}, after_ms=UNSET_AGAIN_MS, writes=False)
    settled = stage.run({"g": places(10)}, after_ms=2 * UNSET_AGAIN_MS, writes=False)

    assert [run.looked for run in (early, due, settled)] == [0, 1, 0]
    assert due.groups["g"].offsets == {REMOTE[0]: 10}


def test_a_group_that_still_moves_on_the_source_is_read_less_often_while_the_sync_is_off(stage: Stage) -> None:
    stage.run({"g": places(10)}, writes=False)

    runs = [
        stage.run({"g": places(20)}, after_ms=after_ms, writes=False) for after_ms in (UNSET_AGAIN_MS, LOOK_AGAIN_MS)
    ]

    assert [run.looked for run in runs] == [0, 1]
