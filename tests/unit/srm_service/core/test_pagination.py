"""Pages of lists in every order, over changing lists, and cursors that are none."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from srm_service.core.api.pagination import PageQuery, page_of

_Item = tuple[str, int | None]


class _Query(PageQuery):
    orderings = {"name": lambda item: item[0], "size": lambda item: item[1]}


def _page(items: list[_Item], **query: Any) -> tuple[list[_Item], str | None]:
    wanted = _Query(data=query)
    wanted.is_valid(raise_exception=True)
    page = page_of(items, wanted.validated_data, key=lambda item: item[0], orderings=_Query.orderings)
    return list(page.items), page.next_cursor


def _all(items: list[_Item], **query: Any) -> list[_Item]:
    found, cursor = _page(items, **query)
    while cursor:
        more, cursor = _page(items, cursor=cursor, **query)
        found += more
    return found


_ITEMS = st.dictionaries(st.text(max_size=3), st.none() | st.integers(-3, 3), max_size=12).map(
    lambda items: list(items.items())
)


@given(items=_ITEMS, limit=st.integers(1, 4), ordering=st.sampled_from(["", "name", "-name", "size", "-size"]))
def test_pages_in_any_order_hold_each_item_once_with_unknown_values_last(
    items: list[_Item], limit: int, ordering: str
) -> None:
    query = {"ordering": ordering} if ordering else {}

    found = _all(items, limit=limit, **query)

    column = 1 if ordering.endswith("size") else 0
    known: list[Any] = [item[column] for item in found if item[column] is not None]
    assert sorted(found) == sorted(items, key=lambda item: item[0]) or set(found) == set(items)
    assert len(found) == len(items)
    assert known == sorted(known, reverse=ordering.startswith("-"))
    assert all(item[column] is None for item in found[len(known) :])


def test_an_item_that_appears_before_the_cursor_repeats_none() -> None:
    first, cursor = _page([("b", 1), ("d", 2)], limit=1)

    assert first == [("b", 1)]
    assert _page([("a", 0), ("b", 1), ("d", 2)], cursor=cursor) == ([("d", 2)], None)


def _cursor(content: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "garbage",
        "é",
        "====",
        "A",
        _cursor([]),
        _cursor({"a": 1}),
        _cursor(["size", 1, "b"]),
        _cursor(["-name", "x", "b"]),
        _cursor(["name", 7, "b"]),
        _cursor(["name", "x", 5]),
        _cursor(["name", [], "b"]),
        _cursor("[" * 400),
    ],
)
def test_a_cursor_of_another_list_or_none_is_refused_by_name(cursor: str) -> None:
    with pytest.raises(ValidationError) as refused:
        _page([("a", 1), ("b", 2)], cursor=cursor, ordering="name")

    assert "cursor" in str(refused.value.detail)


def test_an_unknown_order_and_a_misspelt_name_are_refused() -> None:
    with pytest.raises(ValidationError) as order:
        _page([], ordering="colour")
    with pytest.raises(ValidationError) as name:
        _page([], limt=3)

    assert "ordering" in str(order.value.detail)
    assert "did you mean limit?" in str(name.value.detail)
