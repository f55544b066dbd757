"""Lists as CSV: `Accept: text/csv` or `?format=csv` gets the whole list, page by page as the client reads it.

The columns are those of the answer's serializer: `a.b` is the field `b` of an object `a`. With `limit` or `cursor` it
is one page, and the header `Link` has the address of the next one.
"""

import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from srm_service.core.api.lists import PagedSerializer
from srm_service.core.api.pagination import MAX_PAGE
from srm_service.core.api.requests import Values

FORMAT = "format"
CSV_MEDIA_TYPE = "text/csv"
FORMAT_PARAMETER = OpenApiParameter(
    FORMAT, str, enum=["json", "csv"], description="`csv`, as `Accept: text/csv` does, gets the whole list as a table"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet would calculate such a cell
_PAGING = ("limit", "cursor")
Pages = Callable[[Values], HttpResponseBase]


def csv_responses(answer: type[PagedSerializer]) -> dict[tuple[int, str], Any]:
    """Return the responses of a list for the OpenAPI document."""
    return {(200, "application/json"): answer, (200, CSV_MEDIA_TYPE): OpenApiTypes.STR}


def wants_csv(request: Request) -> bool:
    """Return True if the request asks for CSV. Raises ValidationError for an unknown format."""
    given = request.query_params.getlist(FORMAT)
    if given:
        if len(given) > 1 or given[0] not in ("json", "csv"):
            raise serializers.ValidationError({FORMAT: "the format must be json or csv"})
        return given[0] == "csv"
    return accepts_csv(request.headers.get("Accept", ""))


def accepts_csv(accept: str) -> bool:
    """Return True if a header `Accept` names CSV before JSON."""
    kinds = [kind.partition(";")[0].strip().lower() for kind in accept.split(",")]
    return CSV_MEDIA_TYPE in kinds and "application/json" not in kinds[: kinds.index(CSV_MEDIA_TYPE)]


def csv_answer(request: Request, query: Values, pages: Pages, answer: type[PagedSerializer]) -> HttpResponseBase:
    """Return the list as CSV. `pages` answers a page as JSON would; a refusal of the first one is the answer."""
    is_page = any(name in request.query_params for name in _PAGING)
    first = pages(query if is_page else _page_after(None, query))
    if not isinstance(first, Response) or first.status_code != 200:
        return first
    texts = _texts(first.data, query, pages, answer, only_first=is_page)
    is_async = isinstance(request._request, ASGIRequest)
    response = StreamingHttpResponse(
        _asynchronous(texts) if is_async else texts, content_type=f"{CSV_MEDIA_TYPE}; charset=utf-8"
    )
    response.headers["Content-Disposition"] = f'attachment; filename="{_file_name(request)}.csv"'
    if first.data.get("partial"):
        response.headers["X-Partial"] = "; ".join(_header_text(part["peer"]) for part in first.data["partial"])
    if is_page and first.data["next_cursor"] is not None:
        response.headers["Link"] = f'<{_next_page(request, first.data["next_cursor"])}>; rel="next"'
    return response


def csv_cell(value: Any) -> Any:
    """Return the value as a cell that a spreadsheet shows as it is; objects are JSON."""
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    return f"'{text}" if text.startswith(_FORMULA) else text


def columns_of(answer: type[PagedSerializer]) -> list[str]:
    """Return the columns of a list, in the order of the fields of its items."""
    items = answer().fields[answer.rows]
    return list(_columns(getattr(items, "child", items)))


def _columns(item: Any, prefix: str = "") -> Iterator[str]:
    for name, field in item.fields.items():
        if isinstance(field, serializers.Serializer):
            yield from _columns(field, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def _texts(
    page: Mapping[str, Any], query: Values, pages: Pages, answer: type[PagedSerializer], *, only_first: bool
) -> Iterator[bytes]:
    """Yield the header and the first page, then one text per page. A page that fails ends the answer before its end."""
    columns = columns_of(answer)
    yield _table([columns, *_rows(page[answer.rows], columns)])
    while page["next_cursor"] is not None and not only_first:
        following = pages(_page_after(page["next_cursor"], query))
        if not isinstance(following, Response) or following.status_code != 200:
            raise RuntimeError("a page of the list was refused")
        page = following.data
        yield _table(_rows(page[answer.rows], columns))


async def _asynchronous(texts: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(texts, None))
    while (text := await following()) is not None:
        yield text


def _page_after(cursor: str | None, query: Values) -> Values:
    """Return the query of the largest page; lists without pages have all in one."""
    return {**query, "limit": MAX_PAGE, "cursor": cursor or ""} if "limit" in query else query


def _rows(items: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> Iterator[list[Any]]:
    return ([csv_cell(_field(item, column)) for column in columns] for item in items)


def _table(rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _field(item: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column; the texts of a list of objects that have one are joined."""
    value: Any = item
    for name in column.split("."):
        value = None if value is None else value.get(name)
    if isinstance(value, list) and value and all(isinstance(each, dict) and "text" in each for each in value):
        return "; ".join(str(each["text"]) for each in value)
    return value


def _file_name(request: Request) -> str:
    """Return the last word of the path: names of flows and topics may hold anything."""
    words = [part for part in request.path.split("/") if part.isascii() and part.replace("-", "").isalnum()]
    return words[-1] if words else "list"


def _header_text(text: str) -> str:
    return "".join(each if each.isascii() and each.isprintable() else "?" for each in text)


def _next_page(request: Request, cursor: str) -> str:
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
