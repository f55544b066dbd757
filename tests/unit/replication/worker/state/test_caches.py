"""A driver continues with the last valid desired document and the newest plan, from Redis or from its disk."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from replication.config.security.secrets import seal
from replication.config.security.signed_document import signed
from replication.domain.desired.desired_document import DesiredCluster, DesiredDocument, DesiredFlow, desired_to_json
from replication.domain.plan.plan_document import plan_from_json, plan_to_json
from replication.worker.state.desired_cache import DesiredCache
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.state_folder import StateFolder, StateFolderError
from tests.support.plans import plan_of

KEY = Fernet.generate_key().decode()
SECRET = {"sasl.jaas.config": "very-secret"}
DOCUMENT = DesiredDocument(
    target="west",
    revision=1,
    published_ms=1,
    clusters={
        "east": DesiredCluster(bootstrap=("e:1",), client={"a": "1"}, secret=seal([KEY], SECRET)),
        "west": DesiredCluster(bootstrap=("w:1",)),
    },
    flows=(DesiredFlow(source="east", tasks_max=2),),
)
RAW = signed([KEY], desired_to_json(DOCUMENT)).encode()
PLAN = plan_of(generation=2, version=3, planned_ms=100)


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    made = StateFolder(tmp_path, "d1", "data", [KEY])
    made.lock()
    return made


def test_secrets_are_merged_over_the_client_settings(folder: StateFolder) -> None:
    applied = DesiredCache(folder, [KEY]).update("west", RAW)

    assert applied is not None
    assert applied.clients["east"].client == {"a": "1"} | SECRET


@pytest.mark.parametrize(
    "raw",
    [
        desired_to_json(replace(DOCUMENT, flows=())).encode(),
        signed([Fernet.generate_key().decode()], desired_to_json(replace(DOCUMENT, flows=()))).encode(),
        RAW.replace(b'"tasks_max":2', b'"tasks_max":9'),
        RAW[:-3] + (b'1"}' if RAW.endswith(b'0"}') else b'0"}'),
        signed([KEY], desired_to_json(replace(DOCUMENT, target="east", flows=()))).encode(),
    ],
    ids=["unsigned", "another key", "changed", "changed signature", "of another target"],
)
def test_a_document_not_signed_for_this_target_changes_nothing(folder: StateFolder, raw: bytes) -> None:
    cache = DesiredCache(folder, [KEY])
    before = cache.update("west", RAW)

    applied = cache.update("west", raw)

    assert before is not None
    assert applied is not None
    assert applied.document == before.document
    assert [refused.path for refused in applied.rejected] == ["document"]
    assert re.search("SRM_TRANSPORT_KEYS|of target east", applied.rejected[0].error)
    assert folder.load_desired("west") == RAW


def test_a_document_signed_with_an_older_key_is_accepted(folder: StateFolder) -> None:
    newer = Fernet.generate_key().decode()
    assert DesiredCache(folder, [newer, KEY]).update("west", RAW) is not None


def test_an_emptied_redis_leaves_the_document_in_force(folder: StateFolder) -> None:
    cache = DesiredCache(folder, [KEY])
    applied = cache.update("west", RAW)

    assert cache.update("west", None) is applied


def test_a_new_process_starts_with_the_copy_on_disk(folder: StateFolder) -> None:
    DesiredCache(folder, [KEY]).update("west", RAW)
    later = DesiredCache(folder, [KEY])

    later.load_from_disk()

    applied = later.get("west")
    assert applied is not None
    assert applied.document == DOCUMENT


def test_the_copy_on_disk_is_encrypted_and_private(folder: StateFolder, tmp_path: Path) -> None:
    DesiredCache(folder, [KEY]).update("west", RAW)

    (copy,) = (tmp_path / "driver" / "d1").glob("desired-*.bin")
    assert b"bootstrap" not in copy.read_bytes()
    assert copy.stat().st_mode & 0o777 == 0o600


def test_a_copy_under_another_key_is_left_alone(folder: StateFolder, tmp_path: Path) -> None:
    DesiredCache(folder, [KEY]).update("west", RAW)
    other = Fernet.generate_key().decode()
    cache = DesiredCache(StateFolder(tmp_path, "d1", "data", [other]), [other])

    cache.load_from_disk()

    assert cache.known_targets() == frozenset()


def test_an_unreadable_document_leaves_the_one_before_and_says_so(folder: StateFolder) -> None:
    cache = DesiredCache(folder, [KEY])
    cache.update("west", RAW)

    applied = cache.update("west", b"{broken")

    assert applied is not None
    assert applied.document == DOCUMENT
    assert [one.path for one in applied.rejected] == ["document"]


def test_a_flow_whose_new_definition_is_rejected_continues_with_the_old_one(folder: StateFolder) -> None:
    cache = DesiredCache(folder, [KEY])
    cache.update("west", RAW)
    broken = json.loads(RAW)
    broken["flows"][0]["tasks_max"] = 0

    applied = cache.update("west", signed([KEY], json.dumps(broken)).encode())

    assert applied is not None
    assert applied.document.flows == DOCUMENT.flows
    assert [(one.path, one.source) for one in applied.rejected] == [("flows[0].tasks_max", "east")]


def test_a_secret_that_does_not_open_rejects_the_cluster_and_its_flows(folder: StateFolder) -> None:
    stranger = seal([Fernet.generate_key().decode()], SECRET)
    clusters = DOCUMENT.clusters | {"east": replace(DOCUMENT.clusters["east"], secret=stranger)}

    applied = DesiredCache(folder, [KEY]).update(
        "west", signed([KEY], desired_to_json(replace(DOCUMENT, clusters=clusters))).encode()
    )

    assert applied is not None
    assert applied.document.flows == ()
    assert [(one.path, one.source) for one in applied.rejected] == [
        ("clusters.east.secret", ""),
        ("flows.east", "east"),
    ]


def test_a_plan_is_kept_on_disk_and_found_by_the_next_process(folder: StateFolder) -> None:
    PlanCache(folder).store(PLAN)

    assert PlanCache(folder).update("west", "east", None) == PLAN


def test_a_redis_that_fell_back_does_not_turn_a_plan_back(folder: StateFolder) -> None:
    cache = PlanCache(folder)
    cache.store(PLAN)
    older = plan_to_json(replace(PLAN, version=2, planned_ms=50)).encode()

    assert cache.update("west", "east", older) == PLAN
    assert plan_from_json(cache.unpublished("west", "east", older) or "") == PLAN


def test_a_plan_made_later_wins_even_with_a_lower_generation(folder: StateFolder) -> None:
    cache = PlanCache(folder)
    cache.store(PLAN)
    later = replace(PLAN, generation=1, version=1, planned_ms=200)

    assert cache.update("west", "east", plan_to_json(later).encode()) == later


def test_a_published_plan_is_not_published_again(folder: StateFolder) -> None:
    cache = PlanCache(folder)
    cache.store(PLAN)

    assert cache.unpublished("west", "east", plan_to_json(PLAN).encode()) is None
    assert cache.unpublished("west", "east", None) is not None


def test_an_unreadable_plan_leaves_the_one_before(folder: StateFolder) -> None:
    cache = PlanCache(folder)
    cache.store(PLAN)

    assert cache.update("west", "east", b"{}") == PLAN


def test_a_state_folder_serves_one_process_of_a_role(folder: StateFolder, tmp_path: Path) -> None:
    StateFolder(tmp_path, "d1", "control", [KEY]).lock()

    with pytest.raises(StateFolderError, match="set another SRM_DRIVER_ID"):
        StateFolder(tmp_path, "d1", "data", [KEY]).lock()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "driver").write_text("a file in the way")

    with pytest.raises(StateFolderError, match="correct SRM_HOME"):
        StateFolder(tmp_path, "d1", "data", [KEY]).lock()


def test_each_start_knows_the_starts_before_it(folder: StateFolder) -> None:
    assert folder.record_boot("one") == frozenset()
    assert folder.record_boot("two") == {"one"}
    assert folder.record_boot("three") == {"one", "two"}


def _document(revision: int, published_ms: int, tasks_max: int) -> bytes:
    flows = (DesiredFlow(source="east", tasks_max=tasks_max),)
    document = replace(DOCUMENT, revision=revision, published_ms=published_ms, flows=flows)
    return signed([KEY], desired_to_json(document)).encode()


def test_an_older_document_that_returns_is_refused_also_after_a_restart(folder: StateFolder) -> None:
    former, current = _document(1, 1_000, 2), _document(2, 2_000, 5)
    before = DesiredCache(folder, [KEY])
    before.update("west", former)
    before.update("west", current)
    restarted = DesiredCache(folder, [KEY])
    restarted.load_from_disk()

    for cache in (before, restarted):
        applied = cache.update("west", former)

        assert applied is not None
        assert applied.document.revision == 2
        assert applied.document.flows[0].tasks_max == 5
        assert "revision 1" in applied.rejected[0].error
        assert "revision 2" in applied.rejected[0].error


def test_a_lower_revision_that_was_published_later_comes_from_a_restored_service(folder: StateFolder) -> None:
    cache = DesiredCache(folder, [KEY])
    cache.update("west", _document(7, 1_000, 2))

    applied = cache.update("west", _document(1, 2_000, 5))

    assert applied is not None
    assert applied.document.revision == 1
    assert applied.rejected == ()


def test_a_higher_revision_applies_although_the_clock_was_set_back(folder: StateFolder) -> None:
    cache = DesiredCache(folder, [KEY])
    cache.update("west", _document(1, 2_000, 2))

    applied = cache.update("west", _document(2, 1_000, 5))

    assert applied is not None
    assert applied.document.revision == 2
