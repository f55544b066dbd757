"""The promises of the API for every operation of the schema: strict requests, pages, documented refusals."""

import gzip
import json
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from srm_service.core.web.body_limit import MOST_BYTES
from tests.component.service.conftest import BOTH
from tests.support.rest.operations import DOCUMENT, OPERATIONS, Operation
from tests.support.rest.world import World

pytestmark = [BOTH, pytest.mark.redis]

_LISTS = [operation for operation in OPERATIONS if operation.is_list]
_WITH_BODY = [operation for operation in OPERATIONS if operation.takes_body]
_PROBLEM = "application/problem+json"
_IMPOSSIBLE = ("cursor=garbage", "cursor=WyJhIiwgMSwgMV0", "limit=0", "limit=x", "limit=99999999", "ordering=no")


def _name(operation: Operation) -> str:
    return operation.name


def _send(client: APIClient, operation: Operation, address: str, body: str = "{}", **options: Any) -> Any:
    content = body if operation.takes_body else ""
    kind = options.pop("content_type", "application/json")
    return client.generic(operation.method.upper(), address, content, kind, **options)


def _with(address: str, query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{query}"


def test_an_unknown_query_parameter_is_refused_by_name_everywhere(admin: APIClient, world: World) -> None:
    wrong = {}
    for operation in OPERATIONS:
        answer = _send(admin, operation, _with(operation.address(world.known), "no_such_name=1"))
        if answer.status_code != 400 or "no_such_name: This is no parameter here" not in answer.content.decode():
            wrong[operation.name] = (answer.status_code, answer.content[:200])

    assert wrong == {}


def test_an_unknown_field_of_a_body_is_refused_by_name_everywhere(admin: APIClient, world: World) -> None:
    wrong = {}
    for operation in _WITH_BODY:
        answer = _send(admin, operation, operation.address(world.known), '{"no_such_name": 1}')
        if answer.status_code != 400 or "no_such_name: This is no field here" not in answer.content.decode():
            wrong[operation.name] = (answer.status_code, answer.content[:200])

    assert wrong == {}


def test_the_nearest_name_is_offered(viewer: APIClient, operator: APIClient, world: World) -> None:
    parameter = viewer.get("/api/v2/replications?limitt=3").json()
    field = operator.put(
        "/api/v2/replications/us-east/eu-central/throttle", {"bytes_per_secnd": 5}, format="json"
    ).json()

    assert parameter["errors"] == [{"field": "limitt", "detail": "This is no parameter here; did you mean limit?"}]
    assert {"field": "bytes_per_secnd", "detail": "This is no field here; did you mean bytes_per_second?"} in field[
        "errors"
    ]


def test_no_field_of_a_body_may_be_longer_than_the_body_that_brings_it() -> None:
    schemas = json.loads(DOCUMENT.read_text())["components"]["schemas"]
    lengths = {
        (schema, name): field["maxLength"]
        for schema, described in schemas.items()
        for name, field in described.get("properties", {}).items()
        if "maxLength" in field
    }

    assert lengths["ImportOrderRequest", "text"] == MOST_BYTES
    assert [place for place, length in lengths.items() if length > MOST_BYTES] == []


def test_lists_exist_and_offer_orders() -> None:
    assert len(_LISTS) >= 9
    assert [operation.name for operation in _LISTS if not operation.orderings()] == []


@pytest.mark.parametrize("operation", _LISTS, ids=_name)
def test_a_list_has_pages_in_every_order(operation: Operation, admin: APIClient, world: World) -> None:
    address = operation.address(world.known)
    column = "topics" if operation.name == "audits_state" else "items"
    everything = _walk(admin, address, column, "limit=200")
    limit = max(1, len(everything) // 4)
    for ordering in operation.orderings():
        found = _walk(admin, address, column, f"limit={limit}&ordering={ordering}")
        assert sorted(map(_identity, found)) == sorted(map(_identity, everything)), ordering


def _walk(client: APIClient, address: str, column: str, query: str) -> list[dict[str, Any]]:
    """Return the items of all pages."""
    found: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(_with(address, f"{query}&cursor={cursor}"))
        assert page.status_code == 200, page.content
        found += page.json()[column]
        cursor = page.json()["next_cursor"]
    return found


def _identity(item: dict[str, Any]) -> str:
    names = (
        "alias",
        "group",
        "id",
        "key",
        "number",
        "client",
        "name",
        "role",
        "source",
        "target",
        "topic",
        "partition",
        "kind",
        "source_offset",
        "username",
    )
    return json.dumps([item.get(name) for name in names])


def test_a_garbage_cursor_and_an_impossible_limit_are_refused_everywhere(admin: APIClient, world: World) -> None:
    wrong = []
    for operation in _LISTS:
        for query in _IMPOSSIBLE:
            answer = admin.get(_with(operation.address(world.known), query))
            if answer.status_code != 400 or answer.json()["errors"][0]["field"] != query.partition("=")[0]:
                wrong.append((operation.name, query, answer.content[:100]))

    assert wrong == []


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("{", "application/json", 400),
        ("[1]", "application/json", 400),
        ("null", "application/json", 400),
        ('"text"', "application/json", 400),
        ('{"a": NaN}', "application/json", 400),
        ("a=1", "application/x-www-form-urlencoded", 415),
        ("<a/>", "text/xml", 415),
        ('{"a": "' + "x" * 3_000_000 + '"}', "application/json", 413),
    ],
    ids=["cut", "array", "null", "text", "NaN", "form", "xml", "3 MB"],
)
def test_a_body_that_is_no_order_is_refused_everywhere(
    body: str, kind: str, status: int, admin: APIClient, world: World
) -> None:
    wrong = {}
    for operation in _WITH_BODY:
        answer = _send(admin, operation, operation.address(world.known), body, content_type=kind)
        if (answer.status_code, answer["Content-Type"]) != (status, _PROBLEM) or status not in operation.statuses:
            wrong[operation.name] = (answer.status_code, answer.content[:100])

    assert wrong == {}


def test_a_body_within_the_limit_is_read(operator: APIClient, world: World) -> None:
    reason = {"action": "pause", "reason": "x" * (MOST_BYTES - 100)}

    answer = operator.post("/api/v2/replications/us-east/eu-central/actions", reason, format="json")

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "reason")


def test_a_session_without_the_csrf_token_changes_nothing_anywhere(admin: APIClient, world: World) -> None:
    strict = APIClient(enforce_csrf_checks=True)
    strict.cookies = admin.cookies
    wrong = {}
    for operation in OPERATIONS:
        if operation.method != "get":
            answer = _send(strict, operation, operation.address(world.known))
            if answer.status_code != 403 or "CSRF" not in answer.content.decode():
                wrong[operation.name] = answer.status_code

    assert wrong == {}


@pytest.mark.parametrize(
    "strange", ["..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%00", "a%0d%0ab", "'%20OR%201=1", "é" * 200]
)
def test_names_that_walk_or_inject_are_not_found(strange: str, admin: APIClient, world: World) -> None:
    wrong = {}
    for operation in OPERATIONS:
        if "path" in {each["in"] for each in operation.described.get("parameters", ())}:
            answer = _send(admin, operation, operation.address(dict.fromkeys(world.known, strange)))
            if answer.status_code not in (400, 404, 405):
                wrong[operation.name] = (answer.status_code, answer.content[:100])

    assert wrong == {}


_FLOW_GROUPS = "/api/v2/replications/{source}/{target}/groups"
# a group may be named `sync`, or end with `/sync`: read, these paths are documented as groups/{group}
_READ_AS_GROUPS = (f"{_FLOW_GROUPS}/sync", f"{_FLOW_GROUPS}/{{group}}/sync")


def test_head_and_options_answer_like_get(admin: APIClient, world: World) -> None:
    wrong = {}
    for path in sorted({operation.path for operation in OPERATIONS}):
        group = [operation for operation in OPERATIONS if operation.path == path]
        options = admin.options(group[0].address(world.known))
        allowed = {word.strip().lower() for word in options["Allow"].split(",")} - {"head", "options"}
        documented = {operation.method for operation in group} | ({"get"} if path in _READ_AS_GROUPS else set())
        if options.status_code != 200 or allowed != documented:
            wrong[path] = options.content[:100]
        if "get" in allowed:
            head, read = (ask(group[0].address(world.known)) for ask in (admin.head, admin.get))
            if (head.status_code, head.content) != (read.status_code, b""):
                wrong[path] = head.content[:100]

    assert wrong == {}


def test_a_method_that_a_path_does_not_have_is_a_problem_document(admin: APIClient, world: World) -> None:
    answer = admin.patch("/api/v2/me", {}, format="json")

    assert (answer.status_code, answer["Content-Type"], answer.json()["status"]) == (405, _PROBLEM, 405)
    assert answer["Allow"] == "GET, HEAD, OPTIONS"


def test_an_answer_that_the_client_does_not_accept_is_406(viewer: APIClient, world: World) -> None:
    answer = viewer.get("/api/v2/me", headers={"Accept": "text/xml"})

    assert (answer.status_code, answer["Content-Type"]) == (406, _PROBLEM)


@pytest.mark.parametrize("accepted", ["text/plain", "application/openmetrics-text;version=1.0.0", "*/*"])
def test_the_prometheus_page_answers_every_scraper(accepted: str, viewer: APIClient, world: World) -> None:
    assert viewer.get("/metrics", headers={"Accept": accepted}).status_code == 200


def test_a_long_answer_is_compressed_for_those_who_accept_it(viewer: APIClient, world: World) -> None:
    plain = viewer.get("/api/v2/replications", headers={"Accept-Encoding": "identity"})
    packed = viewer.get("/api/v2/replications", headers={"Accept-Encoding": "gzip"})

    assert packed["Content-Encoding"] == "gzip"
    assert len(packed.content) < len(plain.content) / 2
    assert json.loads(gzip.decompress(packed.content))["items"][0]["source"] == plain.json()["items"][0]["source"]


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/metrics", {"Accept": "text/plain"}, 401),
        ("/metrics", {}, 401),
        ("/no-such-page", {"Accept": "application/json"}, 401),
        ("/no-such-page", {"Accept": "*/*"}, 401),
        ("/no-such-page", {"Authorization": "Bearer x"}, 404),
        ("/swagger/", {"Accept": "application/json"}, 401),
        ("/api/no-such-thing", {}, 404),
        ("/assets/no-such-file.js", {"Accept": "*/*"}, 404),
        ("/no-such-page", {"Accept": "text/html,*/*;q=0.8"}, 302),
        ("/no-such-page", {}, 302),
    ],
)
def test_programs_get_a_problem_document_and_people_the_login_page(
    path: str, headers: dict[str, str], status: int
) -> None:
    answer = Client().get(path, headers=headers)

    assert answer.status_code == status
    if status != 302:
        assert answer["Content-Type"] == _PROBLEM


def test_a_program_with_a_session_learns_that_a_page_is_none(viewer: APIClient) -> None:
    answer = viewer.get("/no-such-page", headers={"Accept": "application/json"})

    assert (answer.status_code, answer["Content-Type"]) == (404, _PROBLEM)
