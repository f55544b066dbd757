"""Saved views and preferences: stored per person, bounded, and seen by no one else."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.people.personal.contracts import LONGEST_VIEW_QUERY, MOST_VIEWS
from srm_service.trail.models import TrailEntry

pytestmark = [pytest.mark.django_db]

_VIEWS = "/api/v2/me/views"
_PREFERENCES = "/api/v2/me/preferences"


def _save(client: APIClient, name: str, **values: Any) -> Any:
    return client.post(_VIEWS, {"name": name, "page": "overview", **values}, format="json")


def _refused_fields(answer: Any) -> set[str]:
    return {error["field"] for error in answer.json()["errors"]}


def test_a_view_is_saved_changed_opened_and_deleted(viewer: APIClient) -> None:
    saved = _save(viewer, "lagging", query="status=degraded&sort=-lag").json()

    assert (saved["name"], saved["query"], saved["is_default"]) == ("lagging", "status=degraded&sort=-lag", False)
    changed = viewer.patch(f"{_VIEWS}/{saved['id']}", {"name": "slow"}, format="json").json()
    assert (changed["name"], changed["query"]) == ("slow", "status=degraded&sort=-lag")
    assert [view["name"] for view in viewer.get(_VIEWS, {"page": "overview"}).json()["items"]] == ["slow"]
    assert viewer.delete(f"{_VIEWS}/{saved['id']}").status_code == 204
    assert viewer.get(_VIEWS).json()["items"] == []
    assert viewer.get(f"{_VIEWS}/{saved['id']}").status_code == 404


def test_a_page_has_one_default_view(viewer: APIClient) -> None:
    first = _save(viewer, "first", is_default=True).json()
    second = _save(viewer, "second").json()

    viewer.patch(f"{_VIEWS}/{second['id']}", {"is_default": True}, format="json")

    assert viewer.get(f"{_VIEWS}/{first['id']}").json()["is_default"] is False
    assert viewer.get(f"{_VIEWS}/{second['id']}").json()["is_default"] is True


def test_others_do_not_reach_a_view_and_may_use_its_name(
    viewer: APIClient, person: Callable[[str | None], APIClient]
) -> None:
    saved = _save(viewer, "mine", is_default=True).json()
    admin = person("admin")

    assert admin.get(_VIEWS).json()["items"] == []
    for answer in (
        admin.get(f"{_VIEWS}/{saved['id']}"),
        admin.patch(f"{_VIEWS}/{saved['id']}", {"name": "x"}, format="json"),
        admin.delete(f"{_VIEWS}/{saved['id']}"),
    ):
        assert answer.status_code == 404
    assert _save(admin, "mine", is_default=True).status_code == 201
    assert viewer.get(f"{_VIEWS}/{saved['id']}").json()["is_default"] is True


def test_a_name_is_used_once(viewer: APIClient) -> None:
    _save(viewer, "one")
    two = _save(viewer, "two").json()

    again = _save(viewer, "one")
    renamed = viewer.patch(f"{_VIEWS}/{two['id']}", {"name": "one"}, format="json")

    for answer in (again, renamed):
        assert answer.status_code == 400
        assert _refused_fields(answer) == {"name"}


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"query": "q=" + "x" * LONGEST_VIEW_QUERY}, "query"),
        ({"query": "q=a b"}, "query"),
        ({"query": "?q=a"}, "query"),
        ({"page": "anything"}, "page"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_view_is_refused_by_field(viewer: APIClient, wrong: dict[str, str], named: str) -> None:
    answer = viewer.post(_VIEWS, {"name": "n", "page": "overview", **wrong}, format="json")

    assert answer.status_code == 400
    assert _refused_fields(answer) == {named}


def test_the_number_of_views_is_bounded(viewer: APIClient) -> None:
    for number in range(MOST_VIEWS):
        assert _save(viewer, f"view {number:02}").status_code == 201

    answer = _save(viewer, "one more")

    assert answer.status_code == 400
    assert "delete one" in str(answer.json()["errors"])
    page = viewer.get(_VIEWS, {"limit": "20", "ordering": "-name"}).json()
    assert page["items"][0]["name"] == "view 49"
    assert (
        len(viewer.get(_VIEWS, {"limit": "40", "ordering": "-name", "cursor": page["next_cursor"]}).json()["items"])
        == 30
    )


def test_a_view_that_another_window_has_changed_is_not_overwritten(viewer: APIClient) -> None:
    saved = _save(viewer, "mine")
    address = f"{_VIEWS}/{saved.json()['id']}"
    viewer.patch(address, {"query": "q=other"}, format="json")

    answer = viewer.patch(address, {"query": "q=this"}, format="json", headers={"If-Match": saved["ETag"]})

    assert answer.status_code == 412
    assert answer.json()["diff"] == [{"field": "query", "yours": "q=this", "current": "q=other"}]


def test_preferences_are_replaced_and_belong_to_the_person(
    viewer: APIClient, person: Callable[[str | None], APIClient]
) -> None:
    assert viewer.get(_PREFERENCES).json() == {"pinned_flows": [], "columns": []}

    pinned = {"pinned_flows": ["b->c", "a->b"], "columns": ["status", "lag_time"]}
    answer = viewer.put(_PREFERENCES, pinned, format="json")

    assert answer.json() == viewer.get(_PREFERENCES).json() == pinned
    assert person("operator").get(_PREFERENCES).json() == {"pinned_flows": [], "columns": []}
    entries = TrailEntry.objects.filter(action="preferences.set").count()
    viewer.put(_PREFERENCES, pinned, format="json", headers={"If-Match": answer["ETag"]})
    assert TrailEntry.objects.filter(action="preferences.set").count() == entries, "nothing changed"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"pinned_flows": ["a->b", "a->b"]},
        {"pinned_flows": ["a"]},
        {"pinned_flows": [f"a->b{number}" for number in range(51)]},
        {"pinned_flows": "a->b"},
        {"pinned_flows": [], "theme": "dark"},
        {"pinned_flows": [], "columns": ["no such column"]},
        {"pinned_flows": [], "columns": [f"c{number}" for number in range(51)]},
    ],
)
def test_wrong_preferences_are_refused(viewer: APIClient, wrong: Any) -> None:
    assert viewer.put(_PREFERENCES, wrong, format="json").status_code == 400


def test_stale_preferences_are_refused_with_the_difference(viewer: APIClient) -> None:
    etag = viewer.get(_PREFERENCES)["ETag"]
    viewer.put(_PREFERENCES, {"pinned_flows": ["a->b"]}, format="json")

    answer = viewer.put(_PREFERENCES, {"pinned_flows": []}, format="json", headers={"If-Match": etag})

    assert answer.status_code == 412
    assert answer.json()["diff"] == [{"field": "pinned_flows", "yours": [], "current": ["a->b"]}]


def test_columns_that_are_not_given_keep_their_value(viewer: APIClient) -> None:
    viewer.put(_PREFERENCES, {"pinned_flows": [], "columns": ["lag"]}, format="json")

    answer = viewer.put(_PREFERENCES, {"pinned_flows": ["a->b"]}, format="json")

    assert answer.json() == {"pinned_flows": ["a->b"], "columns": ["lag"]}
