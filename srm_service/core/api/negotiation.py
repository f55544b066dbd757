"""Content negotiation of answers that are not JSON, and lists as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import orjson
from rest_framework import status
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request


class AnyAccepted(BaseContentNegotiation):
    """For views with one form of answer, such as text: any `Accept` gets it, and errors are problem documents."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would calculate such a cell


class CsvListRenderer(BaseRenderer):
    """A page of a list as CSV for `Accept: text/csv`; the address of the next page is in the header `Link`.

    A column `a.b` shows the field `b` of an object `a`. Texts of a list of objects are joined.
    """

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"
    columns: ClassVar[tuple[str, ...]]

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        context = renderer_context or {}
        response = context.get("response")
        if response is not None and response.status_code >= status.HTTP_400_BAD_REQUEST:
            problem: bytes = JSONRenderer().render(data)
            return problem
        if response is not None and data["next_cursor"] is not None:
            response.headers["Link"] = f'<{_next_page(context["request"], data["next_cursor"])}>; rel="next"'
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(self.columns)
        writer.writerows([csv_cell(_field(item, column)) for column in self.columns] for item in data["items"])
        return text.getvalue().encode()


def csv_cell(value: Any) -> Any:
    """Return the value as a cell that a spreadsheet shows as it is; objects are JSON."""
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text.startswith(_FORMULA) else text


def _field(item: Mapping[str, Any], column: str) -> Any:
    name, _, inner = column.partition(".")
    value = item[name]
    if inner:
        return None if value is None else _field(value, inner)
    if isinstance(value, list):
        return "; ".join(str(each["text"]) for each in value)
    return value


def _next_page(request: Request, cursor: str) -> str:
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
