"""Declares a REST operation once: its place in the OpenAPI document and the checks of its requests.

    @operation("holds_set", "Hold a topic", tags=["holds"], body=HoldOrderSerializer, responses={201: HoldSerializer})
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response: ...

`query` and `body` are validated before the method runs and handed over as keyword arguments of these names. An
operation without `query` has no query parameters, and refuses all. A GET that answers a list also answers CSV.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from django.http import HttpResponseBase, QueryDict
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from srm_service.core.api.files.csv_lists import FORMAT, FORMAT_PARAMETER, csv_answer, csv_responses, wants_csv
from srm_service.core.api.idempotency import IDEMPOTENCY_HEADER, answer_once
from srm_service.core.api.lists import PagedSerializer
from srm_service.core.api.openapi.operation_schema import EXAMPLES_EXTENSION
from srm_service.core.api.requests import NoParameters, SerializerClass, Values, checked

IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="the `ETag` of the version that the change is based on; another version is answered with 412",
)
IDEMPOTENCY_KEY = OpenApiParameter(
    IDEMPOTENCY_HEADER,
    {"type": "string", "minLength": 1, "maxLength": 100, "pattern": r"^[\x21-\x7e]+$"},
    OpenApiParameter.HEADER,
    description="a key of your choice: a repeated request with it gets the first answer and changes nothing",
)
_POSTS = ("post", "create")
_DELETES = ("delete", "destroy")
_Handler = TypeVar("_Handler", bound=Callable[..., HttpResponseBase])


def operation(
    operation_id: str,
    summary: str,
    *,
    tags: Sequence[str],
    responses: Any,
    query: SerializerClass | None = None,
    body: SerializerClass | None = None,
    description: str | None = None,
    problems: Mapping[int, str] | None = None,
    if_match: bool = False,
    keeps_answer: bool | None = None,
) -> Callable[[_Handler], _Handler]:
    """Describe a method of a view and check its requests.

    `problems` are examples of problem documents by status, in place of the usual ones (openapi/operation_schema.py).
    `if_match` documents the header, which etags.py checks. `keeps_answer` honours `Idempotency-Key`, the default for
    POST. A POST that answers with a secret, waits for other systems or changes nothing says False.
    """

    def decorate(handler: _Handler) -> _Handler:
        keeps = handler.__name__ in _POSTS if keeps_answer is None else keeps_answer
        is_delete = handler.__name__ in _DELETES and not isinstance(responses, dict)
        queries: list[OpenApiParameter | SerializerClass] = [] if query is None else [query]
        listed = _list_of(handler, responses)
        queries += [] if listed is None else [FORMAT_PARAMETER]
        answers = {200: responses} if is_delete else responses if listed is None else csv_responses(listed)
        describe = extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=description,
            parameters=[*queries, *([IF_MATCH] * if_match), *([IDEMPOTENCY_KEY] * keeps)],
            request=body,
            responses=answers,
            tags=list(tags),
            extensions={EXAMPLES_EXTENSION: dict(problems)} if problems else None,
        )
        return cast("_Handler", describe(_checked(handler, query, body, listed, keeps=keeps)))

    return decorate


def _checked(
    handler: Callable[..., HttpResponseBase],
    query: SerializerClass | None,
    body: SerializerClass | None,
    listed: type[PagedSerializer] | None,
    *,
    keeps: bool,
) -> Callable[..., HttpResponseBase]:
    """Return the method with the checks of its query and body."""

    @wraps(handler)
    def checked_handler(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        is_csv = listed is not None and wants_csv(request)
        asked = checked(query or NoParameters, _parameters(request, is_list=listed is not None))
        values = {} if body is None else {"body": checked(body, request.data)}

        def run(wanted: Values = asked) -> HttpResponseBase:
            parameters = values if query is None else {**values, "query": wanted}
            return handler(view, request, *args, **parameters, **kwargs)

        if is_csv and listed is not None:
            return csv_answer(request, asked, run, listed)
        return answer_once(request, run) if keeps else run()

    checked_handler.is_list = listed is not None  # type: ignore[attr-defined]  # of functions
    return checked_handler


def _list_of(handler: Callable[..., HttpResponseBase], responses: Any) -> type[PagedSerializer] | None:
    """Return the serializer of the list that a GET answers; None for other operations."""
    is_list = isinstance(responses, type) and issubclass(responses, PagedSerializer)
    return responses if is_list and handler.__name__ == "get" else None


def _parameters(request: Request, *, is_list: bool) -> QueryDict:
    """Return the query parameters without the format of a list."""
    if not is_list or FORMAT not in request.query_params:
        return request.query_params
    parameters = request.query_params.copy()
    del parameters[FORMAT]
    return parameters
