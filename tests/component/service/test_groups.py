"""Consumer groups over REST: readiness from summaries, partitions, sync and translations from a control worker."""

import csv
import io
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.questions.groups import (
    GroupPartitions,
    GroupPlaces,
    PartitionPlace,
    SyncReceipt,
    SyncReceipts,
    TranslatedPlace,
    Translations,
    UnlookedGroups,
)
from replication.domain.questions.question import Question
from srm_service.monitoring.flows.live_state import forget_snapshot
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.drivers.group_summaries import group, publish, summary, three_groups
from tests.support.drivers.scripted_worker import scripted_worker
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]
_PAIR = ("us-east", "eu-central")
_FLOW = "/api/v2/replications/us-east/eu-central"
_GROUPS = f"{_FLOW}/groups"
_STRANGE = "zahlung/größe 1"


@pytest.fixture
def groups(live_redis: redis.Redis, one_flow: str) -> redis.Redis:
    """us-east->eu-central has a ready, an approximate and a blocked group."""
    publish(live_redis, *_PAIR, summary(*_PAIR, at_ms()))
    return live_redis


def _names(client: APIClient, **query: str | int) -> list[str]:
    answer = client.get(_GROUPS, query)
    assert answer.status_code == 200, answer.content
    return [each["group"] for each in answer.json()["items"]]


def test_groups_are_listed_with_readiness_causes_and_counts(viewer: APIClient, groups: redis.Redis) -> None:
    answer = viewer.get(_GROUPS).json()

    found = {each["group"]: each for each in answer["items"]}
    assert list(found) == ["billing", "payments", _STRANGE]
    assert found["payments"]["readiness"] == "approximate"
    assert found["payments"]["causes"][0]["remedy"] == "wait until the flow has caught up"
    assert found["payments"]["if_source_gone"] == {"readiness": "ready", "rereads": 0, "causes": []}
    assert answer["counts"] == {"total": 3, "ready": 1, "approximate": 1, "blocked": 1}
    assert answer["sync"]["effective_interval_ms"] == 5_000
    assert answer["skipped"] == [{"group": "shares", "reason": "share groups have no offsets to translate"}]
    assert answer["partial"] == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"readiness": "blocked"}, [_STRANGE]),
        ({"state": "empty"}, []),
        ({"q": "PAY"}, ["payments"]),
        ({"group": _STRANGE}, [_STRANGE]),
        ({"group": "pay"}, []),
        ({"type": "classic", "readiness": "ready"}, ["billing"]),
        ({"ordering": "-readiness"}, [_STRANGE, "payments", "billing"]),
        ({"ordering": "-lag"}, ["payments", "billing", _STRANGE]),
    ],
)
def test_groups_are_filtered_and_ordered(
    query: dict[str, str], names: list[str], viewer: APIClient, groups: redis.Redis
) -> None:
    assert _names(viewer, **query) == names


def test_groups_of_a_topic_are_those_that_committed_in_it(viewer: APIClient, groups: redis.Redis) -> None:
    tiles.group_row(*_PAIR, "payments", "orders", at_ms())
    tiles.group_row(*_PAIR, "billing", "clicks", at_ms())

    assert _names(viewer, topic="orders") == ["payments"]
    assert _names(viewer, topic="nothing") == []


def test_groups_of_several_tasks_are_one_list_with_pages(viewer: APIClient, groups: redis.Redis) -> None:
    publish(groups, *_PAIR, summary(*_PAIR, at_ms(), group("aaa"), group("zzz"), slot=1), slot=1)

    first = viewer.get(_GROUPS, {"limit": 3}).json()
    second = viewer.get(_GROUPS, {"limit": 3, "cursor": first["next_cursor"]}).json()

    assert [each["group"] for each in first["items"] + second["items"]] == [
        "aaa",
        "billing",
        "payments",
        _STRANGE,
        "zzz",
    ]
    assert first["counts"]["total"] == 5


def test_a_new_summary_replaces_the_former(viewer: APIClient, groups: redis.Redis) -> None:
    assert len(_names(viewer)) == 3

    publish(groups, *_PAIR, summary(*_PAIR, at_ms(), group("only")))
    forget_snapshot()  # equal requests share an answer for a second

    assert _names(viewer) == ["only"]


def test_groups_come_as_csv_that_a_spreadsheet_does_not_calculate(viewer: APIClient, groups: redis.Redis) -> None:
    publish(groups, *_PAIR, summary(*_PAIR, at_ms(), *three_groups(), group("=1+1")))

    answer = viewer.get(_GROUPS, {"limit": 2}, headers={"Accept": "text/csv"})
    following = viewer.get(answer["Link"].partition(">")[0][1:], headers={"Accept": "text/csv"})

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = [row for each in (answer, following) for row in csv.DictReader(io.StringIO(each.getvalue().decode()))]
    assert [row["group"] for row in rows] == ["'=1+1", "billing", "payments", _STRANGE]
    assert rows[2]["causes"] == "orders-1: 12 records that the group has read are not copied yet"
    assert rows[2]["if_source_gone.readiness"] == "ready"
    assert "Link" not in following


def test_an_error_for_csv_is_a_problem_document(viewer: APIClient, groups: redis.Redis) -> None:
    answer = viewer.get(_GROUPS, {"no": 1}, headers={"Accept": "text/csv"})

    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["errors"][0]["field"] == "no"


def test_a_task_that_does_not_report_is_named(viewer: APIClient, groups: redis.Redis) -> None:
    now = at_ms()
    key, document = live.plan_document(*_PAIR, now)
    put(groups, (key, document[:-1] + ', "groups": [["billing"], ["other"], []]}'))
    publish(groups, *_PAIR, summary(*_PAIR, now - 95_000))

    partial = viewer.get(_GROUPS).json()["partial"]

    missing, silent = (each["error"] for each in partial)
    assert missing == "the checkpoint task us-east/checkpoint/1 has not reported; the flow's driver runs it"
    found = re.fullmatch(r"the checkpoint task us-east/checkpoint/0 has not reported for (\d+) s", silent)
    assert found
    assert 95 <= int(found[1]) <= 125  # the question takes its time on a busy machine


def test_without_redis_the_list_says_so(viewer: APIClient, one_flow: str, settings: Any) -> None:
    settings.SRM_REDIS_URL = ""

    answer = viewer.get(_GROUPS).json()

    assert (answer["items"], answer["counts"]) == ([], None)
    assert answer["partial"] == [{"peer": "redis", "error": "Redis does not answer", "age_ms": None}]


def test_a_malformed_summary_hides_no_other(viewer: APIClient, groups: redis.Redis) -> None:
    groups.set("srm:groups:eu-central:us-east:1", b"\xff\x00")
    groups.set("srm:groups:eu-central:us-east:x", b"1")

    assert len(_names(viewer)) == 3


def test_another_flow_has_other_groups(viewer: APIClient, groups: redis.Redis) -> None:
    publish(groups, "us-e*", "eu-central", summary("us-e*", "eu-central", at_ms(), group("foreign")))

    assert "foreign" not in _names(viewer)


@pytest.mark.parametrize("name", ["billing", _STRANGE, "a/b/partitions", "sync", "a/sync", "100%2F", "?x=1#y"])
def test_a_group_is_found_by_its_encoded_name(name: str, viewer: APIClient, groups: redis.Redis) -> None:
    publish(groups, *_PAIR, summary(*_PAIR, at_ms(), group("billing"), group(_STRANGE), group(name), group("b")))

    assert _names(viewer, group=name) == [name]
    if not name.endswith("/partitions"):  # which is the path of the partitions of the group before it
        assert viewer.get(f"{_GROUPS}/{quote(name, safe='')}").json()["group"] == name


def test_a_group_that_is_not_there_is_404_with_the_reason(viewer: APIClient, groups: redis.Redis) -> None:
    unknown, skipped = (viewer.get(f"{_GROUPS}/{name}") for name in ("nothing", "shares"))

    assert (unknown.status_code, skipped.status_code) == (404, 404)
    assert unknown.json()["detail"] == "us-east->eu-central has no consumer group nothing."
    assert "share groups have no offsets" in skipped.json()["detail"]
    assert viewer.get("/api/v2/replications/us-east/nowhere/groups").status_code == 404


def test_partitions_of_a_group_are_asked_of_the_control_worker(
    viewer: APIClient, groups: redis.Redis, settings: Any
) -> None:
    place = PartitionPlace(
        topic="orders",
        partition=1,
        remote="us-east.orders",
        committed=7,
        kind="exact",
        reason="inside_run",
        downstream=5,
    )
    with scripted_worker(settings.SRM_REDIS_URL, {"group_partitions": lambda asked: _places(asked, place)}) as asked:
        answer = viewer.get(f"{_GROUPS}/{quote(_STRANGE, safe='')}/partitions?wait_ms=3000")

    assert asked[0].groups == (_STRANGE,)
    found = answer.json()
    assert (found["group"], found["source"], found["target"]) == (_STRANGE, *_PAIR)
    assert found["partitions"][0]["downstream"] == 5
    assert found["unlooked"] == [{"part": "source", "reason": "us-east does not answer"}]


def _places(asked: Question, *places: PartitionPlace) -> GroupPartitions:
    return GroupPartitions(
        source=asked.sources[0],
        target=asked.target,
        groups=tuple(
            GroupPlaces(group=name, type="classic", state="empty", readiness="ready", partitions=places)
            for name in asked.groups
            if name != "nothing"
        ),
        unlooked=(UnlookedGroups(part="source", reason="us-east does not answer"),),
    )


def test_partitions_of_an_unknown_group_are_404_and_without_a_worker_503(
    viewer: APIClient, groups: redis.Redis, settings: Any
) -> None:
    with scripted_worker(settings.SRM_REDIS_URL, {"group_partitions": _places}):
        unknown = viewer.get(f"{_GROUPS}/nothing/partitions")
    silent = viewer.get(f"{_GROUPS}/billing/partitions?wait_ms=100")

    assert (unknown.status_code, silent.status_code) == (404, 503)
    assert "us-east does not answer" in unknown.json()["detail"]
    assert "start a driver that serves eu-central" in silent.json()["detail"]


def _receipts(state: Any) -> Callable[[Question], SyncReceipts]:
    def answer(asked: Question) -> SyncReceipts:
        receipt = SyncReceipt(
            group="billing", topic="us-east.orders", partition=0, state=state, text="set", before=3, after=5, rereads=0
        )
        return SyncReceipts(
            source=asked.sources[0], target=asked.target, items=(receipt,), counts={state: 1}, dry_run=asked.dry_run
        )

    return answer


def test_a_sync_gives_receipts_and_an_entry_in_the_trail(
    operator: APIClient, groups: redis.Redis, settings: Any
) -> None:
    with scripted_worker(settings.SRM_REDIS_URL, {"sync_groups": _receipts("written")}) as asked:
        answer = operator.post(f"{_GROUPS}/billing/sync", {"reason": "move"}, format="json")

    assert answer.json()["counts"] == {"written": 1, "unchanged": 0, "refused": 0, "impossible": 0}
    assert answer.json()["items"][0] == {
        "group": "billing",
        "topic": "us-east.orders",
        "partition": 0,
        "state": "written",
        "text": "set",
        "before": 3,
        "after": 5,
        "rereads": 0,
        "skips": 0,
    }
    assert (asked[0].groups, asked[0].dry_run, asked[0].most_names) == (("billing",), False, 1_000)
    entry = TrailEntry.objects.get(action="groups.sync")
    assert (entry.subject, entry.reason, entry.outcome) == ("us-east->eu-central", "move", "done")
    assert entry.after == {"groups": ["billing"], "written": 1, "unchanged": 0, "refused": 0, "impossible": 0}


def test_a_dry_run_of_all_groups_leaves_no_trail(operator: APIClient, groups: redis.Redis, settings: Any) -> None:
    with scripted_worker(settings.SRM_REDIS_URL, {"sync_groups": _receipts("written")}) as asked:
        answer = operator.post(f"{_GROUPS}/sync", {"dry_run": True}, format="json")

    assert answer.json()["dry_run"] is True
    assert (asked[0].groups, asked[0].dry_run) == ((), True)
    assert not TrailEntry.objects.filter(action="groups.sync").exists()


@pytest.mark.parametrize(("answered", "outcome"), [("refused", "refused"), (None, "failed")])
def test_a_sync_that_writes_nothing_is_in_the_trail_as_such(
    answered: str | None, outcome: str, operator: APIClient, groups: redis.Redis, settings: Any
) -> None:
    script = _receipts(answered) if answered else lambda asked: "eu-central does not answer"
    with scripted_worker(settings.SRM_REDIS_URL, {"sync_groups": script}):
        answer = operator.post(f"{_GROUPS}/sync", {"groups": ["billing", _STRANGE]}, format="json")

    assert answer.status_code == (200 if answered else 503)
    entry = TrailEntry.objects.get(action="groups.sync")
    assert (entry.outcome, (entry.after or {})["groups"]) == (outcome, ["billing", _STRANGE])


def test_a_viewer_may_translate_and_not_sync(viewer: APIClient, groups: redis.Redis, settings: Any) -> None:
    def answer(asked: Question) -> Translations:
        items = tuple(
            TranslatedPlace(
                topic=each.topic,
                partition=each.partition,
                direction=each.direction,
                kind="exact",
                reason="inside_run",
                evidence="the run 0..99 -> 10..109",
                given_offset=each.offset,
                offset=17,
            )
            for each in asked.places
        )
        return Translations(source=asked.sources[0], target=asked.target, items=items)

    places = [
        {"topic": "orders", "partition": 0, "offset": 7},
        {"topic": "us-east.orders", "partition": 0, "timestamp_ms": 5, "direction": "to_source"},
    ]
    with scripted_worker(settings.SRM_REDIS_URL, {"translate": answer}) as asked:
        found = viewer.post(f"{_FLOW}/translate", {"items": places}, format="json").json()

    assert [(each["given_offset"], each["offset"]) for each in found["items"]] == [(7, 17), (None, 17)]
    assert asked[0].places[1].direction == "to_source"
    assert viewer.post(f"{_GROUPS}/sync", {}, format="json").status_code == 403
    assert viewer.post(f"{_GROUPS}/billing/sync", {}, format="json").status_code == 403


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ({"topic": "orders", "partition": 0}, "send offset or timestamp_ms"),
        ({"topic": "orders", "partition": 0, "offset": 1, "timestamp_ms": 1}, "send offset or timestamp_ms"),
        ({"topic": "orders", "partition": -1, "offset": 1}, "greater than or equal to 0"),
        ({"topic": "orders", "partition": 0, "offset": 2**63}, "less than or equal to"),
        ({"topic": "orders", "partition": 0, "ofset": 1}, "did you mean offset?"),
    ],
)
def test_a_place_that_is_none_is_refused_by_name(
    place: dict[str, Any], text: str, viewer: APIClient, groups: redis.Redis
) -> None:
    answer = viewer.post(f"{_FLOW}/translate", {"items": [place]}, format="json")

    assert answer.status_code == 400
    assert text in answer.json()["detail"]


def test_the_flow_row_counts_groups_of_all_checkpoint_tasks(viewer: APIClient, groups: redis.Redis) -> None:
    now = at_ms()
    more = {"total": 2, "ready": 2, "approximate": 0, "blocked": 0}
    put(
        groups,
        live.plan_task(*_PAIR, now, groups=7),  # the number of groups in the plan
        live.checkpoint_task(*_PAIR, now),
        live.checkpoint_task(*_PAIR, now, slot=1, groups=more, group_lag=5),
    )

    flow = viewer.get(_FLOW).json()
    page = viewer.get("/metrics").content.decode()

    assert "No driver plans" not in flow["reason"]
    assert flow["groups"] == {"total": 5, "ready": 3, "approximate": 1, "blocked": 1}
    labels = 'source="us-east",target="eu-central"'
    assert f'srm_flow_groups{{readiness="ready",{labels}}} 3.0' in page
    assert f"srm_flow_group_lag_offsets{{{labels}}} 125.0" in page
    (age,) = re.findall(rf"srm_flow_group_round_age_ms\{{{labels}\}} (\S+)", page)
    assert 1_000 <= float(age) < 60_000


def test_a_flow_without_a_checkpoint_task_has_unknown_counts(viewer: APIClient, groups: redis.Redis) -> None:
    assert viewer.get(_FLOW).json()["groups"] is None
    assert "srm_flow_groups{" not in viewer.get("/metrics").content.decode()


def test_the_history_of_a_group_is_a_series(viewer: APIClient, groups: redis.Redis) -> None:
    begin = at_ms() // 10_000 * 10_000 - 60_000
    for name, lag in (("billing", 7), ("payments", 9)):
        series = tiles.series(*_PAIR, group=name)
        tiles.tile(series, begin, level="group", lag_last=lag, lag_max=lag, latencies_ms=[5, 50])
    window: dict[str, str | int] = {"from_ms": begin, "to_ms": begin + 10_000, "group": "billing"}

    lag = viewer.get(f"{_FLOW}/series", {**window, "metric": "lag_offsets"}).json()
    latency = viewer.get(f"{_FLOW}/series", {**window, "metric": "checkpoint_latency_ms"}).json()
    refused = viewer.get(f"{_FLOW}/series", {**window, "metric": "bytes_per_second"}).json()

    assert lag["points"] == [[begin, 7, 7, 7, 1]]
    assert latency["points"][0][4] == 2
    assert refused["errors"][0] == {"field": "metric", "detail": "Groups have lag_offsets and checkpoint_latency_ms."}
