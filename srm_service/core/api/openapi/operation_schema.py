"""The OpenAPI description of an operation: besides its answers, every problem document that it can give."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework.permissions import SAFE_METHODS

from srm_service.core.api.problem import CONTENT_TYPE, PROBLEM_TITLES
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.auth.permissions import role_needed
from srm_service.core.web.hints import told

EXAMPLES_EXTENSION = "x-problem-examples"  # taken out before the document is written
_SHARED: dict[int, str] = {
    400: "limitt: is no parameter here; did you mean limit?",
    401: "Authentication credentials were not provided.",
    406: "Could not satisfy the request Accept header.",
    408: "the request body did not arrive within 20 s",
    413: "the request body is larger than 1,048,576 bytes",
    415: 'Unsupported media type "text/plain" in request.',
    429: "Request was throttled. Expected available in 30 seconds.",
    503: "the database is not available; see the service's log and /readyz",
}
_OWN: dict[int, str] = {
    403: "your role does not allow this: it needs the {role} role, ask an admin for it",
    404: "there is no such resource",
    409: "the change conflicts with the present state",
    412: 'this has changed since you read it: read it again, then send If-Match: "8"',
    422: "Idempotency-Key 7f3a was used for another request: use a new key",
}
_DIFF_EXAMPLE = [{"field": "tasks_max", "yours": 4, "current": 8}]

PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "RFC 9457 problem details; `request_id` identifies the log lines, `errors` names invalid fields, "
    "`diff` what has changed since the version in `If-Match`, `findings` every error of a configuration.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "hint": {"type": "string", "description": "the request that helps a program; absent: none is known"},
        "instance": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
                "required": ["field", "detail"],
            },
        },
        "diff": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "yours": {}, "current": {}},
                "required": ["field", "yours", "current"],
            },
        },
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "severity": {"type": "string", "enum": ["error", "warning", "note"]},
                    "key": {"type": "string"},
                    "line": {"type": ["integer", "null"]},
                    "message": {"type": "string"},
                },
                "required": ["severity", "key", "line", "message"],
            },
        },
    },
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
}


class OperationSchema(AutoSchema):
    """Adds the problem documents of an operation with examples."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        examples: dict[int, str] = operation.pop(EXAMPLES_EXTENSION, {})
        for status in sorted(self._problems(operation) | examples.keys()):
            operation["responses"][str(status)] = self._problem(status, examples)
        return operation

    def _map_basic_serializer(self, serializer: Any, direction: str) -> dict[str, Any]:
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        is_strict = direction == "request" and isinstance(serializer, StrictSerializer)
        return {**schema, "additionalProperties": False} if is_strict else schema

    def _problems(self, operation: dict[str, Any]) -> set[int]:
        headers = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "header"}
        found = {400, 401, 403, 406, 429, 503}
        found |= {404} if "{" in self.path else set()
        found |= {408, 413, 415} if "requestBody" in operation else set()
        found |= {409} if self.method not in SAFE_METHODS else set()
        found |= {412} if "If-Match" in headers else set()
        return found | ({422} if "Idempotency-Key" in headers else set())

    def _problem(self, status: int, examples: dict[int, str]) -> dict[str, Any]:
        if status in _SHARED and status not in examples:
            return {"$ref": f"#/components/responses/{_shared_name(status)}"}
        role = role_needed(self.view, self.method)
        detail = examples.get(status) or _OWN[status].format(role=role)
        return _response(status, detail, instance=self.path)


def add_problems(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """spectacular's hook: add the problem document and the responses that operations share."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    components["responses"] = {
        _shared_name(status): _response(status, detail, instance="/api/v2/replications")
        for status, detail in _SHARED.items()
    }
    return result


def _shared_name(status: int) -> str:
    return f"Problem{status}"


def _response(status: int, detail: str, *, instance: str) -> dict[str, Any]:
    text, hint = told(detail)
    example: dict[str, Any] = {
        "type": "about:blank",
        "title": PROBLEM_TITLES[status],
        "status": status,
        "detail": text,
        **({"hint": hint} if hint else {}),
        "instance": instance,
        "request_id": "5f0c6f1e8a4b4f0e9c1d2b3a4f5e6d7c",
    }
    if status == 412:
        example["diff"] = _DIFF_EXAMPLE
    content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}}
    return {"description": PROBLEM_TITLES[status], "content": content}
