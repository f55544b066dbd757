"""Requests generated from the schema by schemathesis, sent to the service in this process."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.rest.operations import DOCUMENT

_CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# Operations that wait for control workers and brokers, which the tests do not have, so that 503 is their answer.
_WAITING = frozenset(
    (
        "groups_partitions",
        "groups_sync",
        "groups_sync_all",
        "lists_change",
        "replications_drift",
        "replications_preview",
        "replications_preview_groups",
        "replications_record",
        "replications_set_again",
        "replications_topic_states",
        "replications_translate",
    )
)
_DOCUMENT_PATH = "/openapi.json"
_SEED = 20_261_123


@contextmanager
def service() -> Iterator[Any]:
    """Yield the schema with the service behind it; requests use the connection of the test."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    try:
        yield schemathesis.openapi.from_wsgi(_DOCUMENT_PATH, _with_document(get_wsgi_application()))
    finally:
        request_started.connect(close_old_connections)
        request_finished.connect(close_old_connections)


def failures_of(
    operation: APIOperation[Any, Any, Any, Any],
    headers: Mapping[str, str],
    known: Mapping[str, str],
    *,
    examples: int,
    before_each: Callable[[], None],
    seen: Counter[int],
) -> list[str]:
    """Send valid requests to things that exist, invalid ones, and requests to nothing; returns what was wrong.

    `seen` counts the statuses of the answers.
    """
    fixed = {each.name: known[each.name] for each in operation.path_parameters}
    kinds = ((GenerationMode.POSITIVE, fixed), (GenerationMode.NEGATIVE, fixed), (GenerationMode.POSITIVE, None))

    waits = operation.definition.raw["operationId"] in _WAITING

    def ask(case: Case[Any]) -> None:
        before_each()
        answer = case.call(headers={**headers, "Accept-Encoding": "identity"})
        seen[answer.status_code] += 1
        expected = [] if waits and answer.status_code == 503 else [schemathesis.checks.not_a_server_error]
        case.validate_response(answer, checks=[*_CHECKS, *expected])

    failed: list[str] = []
    for mode, path_parameters in kinds if fixed else kinds[:2]:
        try:
            _explore(operation.as_strategy(mode, path_parameters=path_parameters), examples, ask)
        except FailureGroup as group:
            failed += [str(each) for each in group.exceptions]
        except Unsatisfiable:
            continue  # an operation without parameters and body cannot be asked wrongly
    return failed


def _explore(cases: SearchStrategy[Case[Any]], examples: int, ask: Callable[[Case[Any]], None]) -> None:
    @seed(_SEED)
    @settings(
        max_examples=examples,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def send(case: Case[Any]) -> None:
        ask(case)

    send()


def _with_document(application: Callable[..., Any]) -> Callable[..., Any]:
    """Return the application with the committed document at one more address."""
    text = json.dumps(json.loads(DOCUMENT.read_text())).encode()

    def answer(environ: Any, start_response: Any) -> Any:
        if environ["PATH_INFO"] != _DOCUMENT_PATH:
            return application(environ, start_response)
        start_response("200 OK", [("Content-Type", "application/json")])
        return [text]

    return answer
